//===- Import.h - ONNX models as graph modules ------------------*- C++ -*-===//
//
// The module holds `func.func @main`: arguments are the model's inputs that are not initializers,
// results its outputs. Arguments and results carry `graph.name` (the name in the model) and
// `graph.dims` (per dimension: unit when the model fixes it, else the name of the extent, whether it
// is dynamic or fixed by an option; an integer where only the model claims an extent); arguments may
// carry `graph.ranges` (per dimension: unit or [min, max]). The module carries `graph.model`, `graph.opset`,
// `graph.producer`, `graph.metadata`.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_IMPORT_H
#define LIB_FRONTEND_IMPORT_H

#include "lib/Frontend/ImportOptions.h"
#include "lib/Frontend/ModelSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace hone::frontend {

/// What a file holds, as it is counted before any work.
struct ModelSummary {
  struct Node {
    std::string name; ///< as locations call it
    std::string opType;
  };
  std::vector<Node> nodes; ///< of the main graph, in the order of the file
  int64_t parameters = 0;  ///< elements of all initializers
};

/// Imports a model. On failure the diagnostics name every node that is at fault, and the result is null.
mlir::OwningOpRef<mlir::ModuleOp> importModel(const ModelSource &source, mlir::MLIRContext *context,
                                              const ImportOptions &options = {}, ModelSummary *summary = nullptr);

/// Whether a model can be imported; reports everything that cannot, by node.
mlir::LogicalResult checkModel(const ModelSource &source, mlir::MLIRContext *context,
                               const ImportOptions &options = {});

/// Prints which ONNX operators are supported, in which versions, for which types and how, as Markdown.
void printSupportTable(llvm::raw_ostream &os);

} // namespace hone::frontend

#endif // LIB_FRONTEND_IMPORT_H
