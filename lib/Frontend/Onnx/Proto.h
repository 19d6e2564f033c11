//===- Proto.h - Small things about ONNX's messages -------------*- C++ -*-===//

#ifndef LIB_FRONTEND_ONNX_PROTO_H
#define LIB_FRONTEND_ONNX_PROTO_H

#include "onnx/onnx_pb.h"

#include <string>

namespace hone::frontend::library {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

inline onnx::AttributeProto *findAttribute(onnx::NodeProto &node, const std::string &name) {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

inline void removeAttribute(onnx::NodeProto &node, const std::string &name) {
  auto &list = *node.mutable_attribute();
  for (auto it = list.begin(); it != list.end();)
    it = it->name() == name ? list.erase(it) : it + 1;
}

/// Calls `visit` for every node, those of subgraphs behind their owner.
template <typename F> void forEachNode(Nodes &nodes, F &&visit) {
  for (onnx::NodeProto &node : nodes) {
    visit(node);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        forEachNode(*attribute.mutable_g()->mutable_node(), visit);
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        forEachNode(*graph.mutable_node(), visit);
    }
  }
}

/// The import of ai.onnx, or null.
inline onnx::OperatorSetIdProto *defaultImport(onnx::ModelProto &model) {
  for (onnx::OperatorSetIdProto &import : *model.mutable_opset_import())
    if (import.domain().empty())
      return &import;
  return nullptr;
}

/// Brings `model` to the newest opset; throws.
void convertToNewest(onnx::ModelProto &model);

/// Rewrites nodes of graphs before opset 13 that ONNX's converter gets wrong; throws.
void rewriteOldGraph(onnx::GraphProto &graph, int opset);

} // namespace hone::frontend::library

#endif // LIB_FRONTEND_ONNX_PROTO_H
