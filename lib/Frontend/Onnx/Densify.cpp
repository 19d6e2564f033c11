//===- Densify.cpp - Sparse tensors as dense ones ---------------*- C++ -*-===//
//
// The version converter drops sparse initializers, so they become dense ones before it runs.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Onnx/Library.h"

#include <cstring>

using namespace onnx;

namespace hone::frontend::library {
namespace {

/// A sparse tensor may claim any shape; this is what is believed.
constexpr int64_t kMaxDenseBytes = int64_t(1) << 30;

int64_t elementBytes(int type) {
  switch (type) {
  case TensorProto::FLOAT:
  case TensorProto::INT32:
  case TensorProto::UINT32:
    return 4;
  case TensorProto::DOUBLE:
  case TensorProto::INT64:
  case TensorProto::UINT64:
    return 8;
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return 2;
  case TensorProto::INT8:
  case TensorProto::UINT8:
  case TensorProto::BOOL:
  case TensorProto::FLOAT8E4M3FN:
  case TensorProto::FLOAT8E4M3FNUZ:
  case TensorProto::FLOAT8E5M2:
  case TensorProto::FLOAT8E5M2FNUZ:
  case TensorProto::FLOAT8E8M0:
    return 1;
  default:
    return 0;
  }
}

/// Bytes of value `i` of a tensor whose elements are in a typed field or raw.
bool copyElement(const TensorProto &tensor, int64_t i, int64_t bytes, char *to) {
  if (tensor.has_raw_data()) {
    if ((i + 1) * bytes > int64_t(tensor.raw_data().size()))
      return false;
    std::memcpy(to, tensor.raw_data().data() + i * bytes, bytes);
    return true;
  }
  auto copy = [&](const auto &field) {
    if (i >= field.size())
      return false;
    auto value = field.Get(int(i));
    std::memcpy(to, &value, bytes);
    return true;
  };
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return copy(tensor.float_data());
  case TensorProto::DOUBLE:
    return copy(tensor.double_data());
  case TensorProto::INT64:
    return copy(tensor.int64_data());
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return copy(tensor.uint64_data());
  default:
    return copy(tensor.int32_data());
  }
}

Error densifyTensor(const SparseTensorProto &sparse, TensorProto &dense) {
  const TensorProto &values = sparse.values();
  const TensorProto &indices = sparse.indices();
  Error where = "sparse tensor '" + values.name() + "': ";
  int64_t bytes = elementBytes(values.data_type());
  if (!bytes)
    return where + "unsupported element type";
  if (values.data_location() == TensorProto::EXTERNAL || indices.data_location() == TensorProto::EXTERNAL)
    return where + "external data is not supported here";
  int64_t elements = 1;
  for (int64_t dim : sparse.dims())
    if (dim < 0 || __builtin_mul_overflow(elements, dim, &elements) || elements > kMaxDenseBytes / bytes)
      return where + "too large to be made dense";

  std::string raw(size_t(elements * bytes), '\0');
  int64_t count = values.dims_size() == 1 ? values.dims(0) : 0;
  bool coordinates = indices.dims_size() == 2;
  int rank = sparse.dims_size();
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = 0;
    for (int d = 0; d < (coordinates ? rank : 1); ++d) {
      int64_t index = 0;
      if (!copyElement(indices, coordinates ? i * rank + d : i, 8, reinterpret_cast<char *>(&index)))
        return where + "too few indices";
      if (coordinates && (index < 0 || index >= sparse.dims(d)))
        return where + "an index is out of range";
      position = coordinates ? position * sparse.dims(d) + index : index;
    }
    if (position < 0 || position >= elements)
      return where + "an index is out of range";
    if (!copyElement(values, i, bytes, raw.data() + position * bytes))
      return where + "too few values";
  }
  dense.set_name(values.name());
  dense.set_data_type(values.data_type());
  *dense.mutable_dims() = sparse.dims();
  dense.set_raw_data(std::move(raw));
  return {};
}

Error densifyNodes(google::protobuf::RepeatedPtrField<NodeProto> &nodes);

Error densifyGraph(GraphProto &graph) {
  for (const SparseTensorProto &sparse : graph.sparse_initializer())
    if (Error error = densifyTensor(sparse, *graph.add_initializer()); !error.empty())
      return error;
  graph.clear_sparse_initializer();
  return densifyNodes(*graph.mutable_node());
}

Error densifyNodes(google::protobuf::RepeatedPtrField<NodeProto> &nodes) {
  for (NodeProto &node : nodes)
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_sparse_tensor() && node.op_type() == "Constant" && node.domain().empty()) {
        TensorProto dense;
        if (Error error = densifyTensor(attribute.sparse_tensor(), dense); !error.empty())
          return error;
        attribute.clear_sparse_tensor();
        attribute.set_name("value");
        attribute.set_type(AttributeProto::TENSOR);
        *attribute.mutable_t() = std::move(dense);
      }
      if (attribute.has_g())
        if (Error error = densifyGraph(*attribute.mutable_g()); !error.empty())
          return error;
      for (GraphProto &graph : *attribute.mutable_graphs())
        if (Error error = densifyGraph(graph); !error.empty())
          return error;
    }
  return {};
}

} // namespace

Error densify(ModelProto &model) {
  if (Error error = densifyGraph(*model.mutable_graph()); !error.empty())
    return error;
  for (FunctionProto &function : *model.mutable_functions())
    if (Error error = densifyNodes(*function.mutable_node()); !error.empty())
      return error;
  return {};
}

} // namespace hone::frontend::library
