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

#include <variant>

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
  mlir::Value offsets; ///< where each piece begins, and where the last one ends; null where pieces drop the axis
  bool dropsAxis;      ///< pieces are of extent 1 and lack the dimension
  int64_t extent = -1; ///< of all pieces along the axis, the last one may have less; -1 where nothing is known
};

/// A sequence whose length is known.
using Elements = llvm::SmallVector<mlir::Value>;

/// What a name stands for. Sequences exist while importing only.
using Item = std::variant<mlir::Value, Elements, Pieces>;

inline bool isSequence(const Item &item) { return !std::holds_alternative<mlir::Value>(item); }
/// The tensor of an item that is one.
inline mlir::Value tensorOf(const Item &item) {
  const mlir::Value *tensor = std::get_if<mlir::Value>(&item);
  return tensor ? *tensor : mlir::Value();
}

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
  void bind(llvm::StringRef name, const Item &item);
  /// What a name stands for; a null tensor when it is unknown or poisoned.
  Item find(llvm::StringRef name);
  /// The elements of a sequence; null when `name` is none whose length is known.
  const Elements *lookupSequence(llvm::StringRef name) { return lookupAs<Elements>(name); }
  /// A sequence whose length is not known; null when `name` is none.
  const Pieces *lookupPieces(llvm::StringRef name) { return lookupAs<Pieces>(name); }
  /// The value of a name; null when it is unknown, poisoned or a sequence.
  mlir::Value lookup(llvm::StringRef name);
  bool isDefined(llvm::StringRef name);
  /// What the model or shape inference says of a name; null when nothing.
  const onnx::TypeProto *typeOf(llvm::StringRef name);

  /// Imports all nodes; failure when any of them failed.
  mlir::LogicalResult importNodes();
  /// Values of the graph's outputs; null for poisoned ones, a diagnostic for missing ones.
  llvm::SmallVector<mlir::Value> outputs(mlir::Location loc);
  /// As `outputs`, but they may be sequences.
  llvm::SmallVector<Item> items(mlir::Location loc);

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
  const Item *lookupSequenceItem(llvm::StringRef name) {
    auto it = sequences.find(name);
    if (it != sequences.end())
      return &it->second;
    return parent && !isDefinedHere(name) ? parent->lookupSequenceItem(name) : nullptr;
  }
  template <typename T> const T *lookupAs(llvm::StringRef name) {
    const Item *item = lookupSequenceItem(name);
    return item ? std::get_if<T>(item) : nullptr;
  }
  bool isDefinedHere(llvm::StringRef name) {
    return values.contains(name) || sequences.contains(name) || initializers.contains(name);
  }

  ImportContext &shared;
  const onnx::GraphProto &graph;
  GraphImporter *parent;
  std::optional<mlir::Location> outer;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<Item> sequences;
  llvm::StringMap<const onnx::TensorProto *> initializers;
  llvm::StringMap<const onnx::TypeProto *> types;
};

} // namespace hone::frontend

#endif // LIB_FRONTEND_GRAPHIMPORTER_H
