//===- OpRegistry.h - Which ONNX operators have importers -------*- C++ -*-===//
//
// One table serves the import itself and the printed list of supported operators.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_OPREGISTRY_H
#define LIB_FRONTEND_OPREGISTRY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace hone::frontend {

class NodeBuilder;

/// Imports one node at the newest opset: defines every wanted output or fails with a diagnostic.
using ImportFn = mlir::LogicalResult (*)(NodeBuilder &);

/// Importers by domain and operator type. The default domain is "".
class OpRegistry {
public:
  struct Entry {
    ImportFn import = nullptr;
    std::string note; ///< limits of the support, for the table; empty when complete
  };

  void add(llvm::StringRef domain, llvm::StringRef opType, ImportFn fn, llvm::StringRef note = "");
  /// The entry, or null.
  const Entry *find(llvm::StringRef domain, llvm::StringRef opType) const;
  /// All entries, ordered by domain and operator type.
  const std::map<std::pair<std::string, std::string>, Entry> &all() const { return entries; }

  /// The registry of all families of lib/Frontend/Ops.
  static const OpRegistry &get();

private:
  std::map<std::pair<std::string, std::string>, Entry> entries;
};

// One function per file of lib/Frontend/Ops; Register.cpp calls them all.
void registerAttention(OpRegistry &);
void registerConstant(OpRegistry &);
void registerContrib(OpRegistry &);
void registerControlFlow(OpRegistry &);
void registerConvolution(OpRegistry &);
void registerCreation(OpRegistry &);
void registerElementwise(OpRegistry &);
void registerLinearAlgebra(OpRegistry &);
void registerMatmul(OpRegistry &);
void registerMovement(OpRegistry &);
void registerNormalization(OpRegistry &);
void registerPooling(OpRegistry &);
void registerQuantization(OpRegistry &);
void registerRecurrent(OpRegistry &);
void registerReduction(OpRegistry &);
void registerResize(OpRegistry &);
void registerSelection(OpRegistry &);
void registerSequence(OpRegistry &);
void registerSignal(OpRegistry &);
void registerText(OpRegistry &);

} // namespace hone::frontend

#endif // LIB_FRONTEND_OPREGISTRY_H
