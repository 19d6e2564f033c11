//===- Prelude.h - What printed kernels call --------------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_PRELUDE_H
#define BACKENDS_CUDA_EMIT_PRELUDE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace hone::cuda {

/// The definitions that `kernels`, a CUDA C++ text, needs before it: types and functions by the names it
/// mentions. NVRTC brings CUDA's functions without a header; everything else is here.
std::string preludeOf(llvm::StringRef kernels);

/// Calls `visit` for every identifier of a C++ text.
template <typename Visit> void forEachIdentifier(llvm::StringRef text, Visit visit) {
  auto isPart = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (!text.empty()) {
    llvm::StringRef word = text.take_while(isPart);
    if (!word.empty() && !(word[0] >= '0' && word[0] <= '9'))
      visit(word);
    text = text.drop_front(word.size());
    text = text.drop_until(isPart);
  }
}

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_PRELUDE_H
