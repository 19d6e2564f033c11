//===- GraphImporter.h - The nodes of one ONNX graph ------------*- C++ -*-===//
//
// A scope of names and the nodes that define them: the main graph, a subgraph of a control-flow
// node, or the body of a function. A node that fails poisons its outputs; the nodes behind it are
// skipped, so that one import reports every failing node once.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_FRONTEND_GRAPHIMPORTER_H
#define LIB_FRONTEND_GRAPHIMPORTER_H

#include "lib/Frontend/ModelFile.h"
#include "lib/Frontend/OpRegistry.h"
#include "lib/Frontend/TensorData.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace hone::frontend {

class NodeBuilder;

/// What all graphs of one import share.
struct ImportContext {
  ImportContext(ModelFile &file, mlir::MLIRContext *context)
      : file(file), context(context), tensors(file, context), builder(context) {}

  ModelFile &file;
  mlir::MLIRContext *context;
  TensorReader tensors;
  mlir::OpBuilder builder;
  /// Where constants go: they are visible in every region.
  mlir::Block *entry = nullptr;
  mlir::Operation *lastConstant = nullptr;
  /// Bodies of functions within bodies.
  unsigned depth = 0;
};

/// A sequence of as many pieces of a tensor as a run says.
struct Pieces {
  mlir::Value whole;
  int64_t axis;        ///< along which it is cut
  mlir::Value offsets; ///< where each piece begins, and where the last one ends
  bool dropsAxis;      ///< pieces are of extent 1 and lack the dimension
};

class GraphImporter {
public:
  /// `parent`: the scope whose names `graph` sees. `outer`: the node around the graph, null for the main one.
  GraphImporter(ImportContext &shared, const onnx::GraphProto &graph, GraphImporter *parent,
                std::optional<mlir::Location> outer);

  ImportContext &context() { return shared; }
  mlir::OpBuilder &builder() { return shared.builder; }
  const onnx::GraphProto &proto() { return graph; }

  void bind(llvm::StringRef name, mlir::Value value) { values[name] = value; }
  /// Marks a name as defined by something that failed and was reported.
  void poison(llvm::StringRef name) { values[name] = nullptr; }
  /// Sequences exist while importing only: lists of values.
  void bindSequence(llvm::StringRef name, llvm::ArrayRef<mlir::Value> elements) {
    sequences[name] = llvm::SmallVector<mlir::Value>(elements);
  }
  void bindPieces(llvm::StringRef name, Pieces sequence) { pieces[name] = sequence; }
  /// The elements of a sequence; null when `name` is none whose length is known.
  const llvm::SmallVector<mlir::Value> *lookupSequence(llvm::StringRef name) {
    return lookupAmong(&GraphImporter::sequences, name);
  }
  /// A sequence whose length is not known; null when `name` is none.
  const Pieces *lookupPieces(llvm::StringRef name) { return lookupAmong(&GraphImporter::pieces, name); }
  /// The value of a name; null when it is unknown, poisoned or a sequence.
  mlir::Value lookup(llvm::StringRef name);
  bool isDefined(llvm::StringRef name);
  /// What the model or shape inference says of a name; null when nothing.
  const onnx::TypeProto *typeOf(llvm::StringRef name);

  /// Imports all nodes; failure when any of them failed.
  mlir::LogicalResult importNodes();
  /// Values of the graph's outputs; null for poisoned ones, a diagnostic for missing ones.
  llvm::SmallVector<mlir::Value> outputs(mlir::Location loc);

  /// Creates a constant visible everywhere.
  mlir::Value materialize(mlir::ElementsAttr value, mlir::Location loc);
  /// Expands a node by ONNX's function body.
  mlir::LogicalResult expand(NodeBuilder &node);
  /// Whether a function body exists for the node.
  bool canExpand(const onnx::NodeProto &node);

private:
  llvm::SmallVector<mlir::Location> nodeLocations();
  mlir::LogicalResult importNode(const onnx::NodeProto &node, mlir::Location loc);
  void poisonOutputs(const onnx::NodeProto &node);
  /// Looks a sequence up here, then in the scopes around unless something of this graph hides it.
  template <typename T> const T *lookupAmong(llvm::StringMap<T> GraphImporter::*list, llvm::StringRef name) {
    auto it = (this->*list).find(name);
    if (it != (this->*list).end())
      return &it->second;
    return parent && !isDefinedHere(name) ? parent->lookupAmong(list, name) : nullptr;
  }
  bool isDefinedHere(llvm::StringRef name) {
    return values.contains(name) || sequences.contains(name) || pieces.contains(name) || initializers.contains(name);
  }

  ImportContext &shared;
  const onnx::GraphProto &graph;
  GraphImporter *parent;
  std::optional<mlir::Location> outer;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<llvm::SmallVector<mlir::Value>> sequences;
  llvm::StringMap<Pieces> pieces;
  llvm::StringMap<const onnx::TensorProto *> initializers;
  llvm::StringMap<const onnx::TypeProto *> types;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_GRAPHIMPORTER_H
