//===- NodeLocation.h - ONNX nodes as source locations ----------*- C++ -*-===//
//
// The importer gives every operation the location of the node it came from; rewrites fuse
// locations and never invent them. So a diagnostic can always be answered with the names a user
// sees in a model viewer.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_SUPPORT_NODELOCATION_H
#define LIB_SUPPORT_NODELOCATION_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>

namespace hone {

/// `name` with everything but printable ASCII escaped as \xNN: ONNX names may hold any bytes.
std::string escapeName(llvm::StringRef name);

/// The location of node number `index` of `file`. An unnamed node is called by its operator and
/// number ("Relu#4"), so no node is ever without a name.
mlir::Location nodeLocation(mlir::MLIRContext *context, llvm::StringRef file, unsigned index, llvm::StringRef name,
                            llvm::StringRef opType);

/// The names of all nodes that `loc` stands for, each once.
llvm::SmallVector<std::string> nodeNames(mlir::Location loc);

/// Prints every node that `loc` stands for as `file: node 'name' (#index)`.
void printNodes(mlir::Location loc, llvm::raw_ostream &os);

/// A diagnostic in terms of the model.
struct NodeDiagnostic {
  mlir::DiagnosticSeverity severity;
  std::string message;
  std::string file;                     ///< of the model; empty when it concerns none
  llvm::SmallVector<std::string> nodes; ///< at fault, as `nodeNames`
  std::string text;                     ///< as a terminal shows it, with notes: whole lines
};
using DiagnosticSink = std::function<void(const NodeDiagnostic &)>;

/// Prints diagnostics to `os`, which must outlive the sink.
DiagnosticSink printTo(llvm::raw_ostream &os);

/// Hands on the diagnostics of a context while alive, each once, and counts errors.
class NodeDiagnosticHandler : public mlir::ScopedDiagnosticHandler {
public:
  NodeDiagnosticHandler(mlir::MLIRContext *context, DiagnosticSink sink, bool withRemarks = false);
  NodeDiagnosticHandler(mlir::MLIRContext *context, llvm::raw_ostream &os, bool withRemarks = false)
      : NodeDiagnosticHandler(context, printTo(os), withRemarks) {}
  unsigned numErrors() const { return errors; }

private:
  unsigned errors = 0;
  llvm::StringSet<> printed;
};

} // namespace hone

#endif // LIB_SUPPORT_NODELOCATION_H
