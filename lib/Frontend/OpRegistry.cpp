//===- OpRegistry.cpp - Which ONNX operators have importers ---------------===//

#include "lib/Frontend/OpRegistry.h"

using namespace hone::frontend;

namespace hone::frontend {
void registerAll(OpRegistry &registry);
} // namespace hone::frontend

void OpRegistry::add(llvm::StringRef domain, llvm::StringRef opType, ImportFn fn, llvm::StringRef note) {
  entries[{domain.str(), opType.str()}] = {fn, note.str()};
}

const OpRegistry::Entry *OpRegistry::find(llvm::StringRef domain, llvm::StringRef opType) const {
  auto it = entries.find({domain.str(), opType.str()});
  return it == entries.end() ? nullptr : &it->second;
}

const OpRegistry &OpRegistry::get() {
  static const OpRegistry registry = [] {
    OpRegistry all;
    registerAll(all);
    return all;
  }();
  return registry;
}
