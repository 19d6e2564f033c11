//===- FunctionSignature.h - Inputs and outputs of the model ----*- C++ -*-===//

#ifndef LIB_FRONTEND_FUNCTIONSIGNATURE_H
#define LIB_FRONTEND_FUNCTIONSIGNATURE_H

#include "lib/Frontend/ImportOptions.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class GraphProto;
class TypeProto;
class ValueInfoProto;
} // namespace onnx

namespace hone::frontend {

/// Types and attributes of the arguments and results of @main.
class FunctionSignature {
public:
  FunctionSignature(mlir::MLIRContext *context, const onnx::GraphProto &graph, const ImportOptions &options,
                    mlir::Location loc)
      : context(context), graph(graph), options(options), loc(loc) {}

  /// Fills the arguments; reports all inputs that cannot be.
  mlir::LogicalResult readInputs();
  /// The attributes of result `index`.
  mlir::DictionaryAttr resultAttributes(unsigned index, mlir::RankedTensorType type);

  llvm::SmallVector<std::string> names;
  /// Inputs that were reported and are no arguments.
  llvm::SmallVector<std::string> refused;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;

private:
  mlir::LogicalResult readInput(const onnx::ValueInfoProto &input);
  /// Files with a wrong declaration are common, and run elsewhere.
  void warnOfContradiction(const onnx::ValueInfoProto &output, mlir::RankedTensorType type);
  std::string freshName(llvm::StringRef tensor, int64_t dim);
  const DimRange *rangeOf(llvm::StringRef name);
  mlir::LogicalResult checkAllRangesUsed();

  mlir::MLIRContext *context;
  const onnx::GraphProto &graph;
  const ImportOptions &options;
  mlir::Location loc;
  /// Names of dynamic dimensions, in order of appearance.
  llvm::SmallVector<std::string> dimNames;
  llvm::StringSet<> usedNames, usedRanges;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_FUNCTIONSIGNATURE_H
