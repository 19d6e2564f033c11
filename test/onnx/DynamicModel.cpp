//===- DynamicModel.cpp - A case's model with unknown extents -------------===//

#include "test/onnx/DynamicModel.h"

#include "lib/Frontend/Onnx/Library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace hone::conformance;

namespace {

using Values = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;

/// The tensor type of a value, in an optional too; null for others.
onnx::TypeProto::Tensor *tensorTypeOf(onnx::ValueInfoProto &value) {
  onnx::TypeProto *type = value.mutable_type();
  while (type->has_optional_type())
    type = type->mutable_optional_type()->mutable_elem_type();
  return type->has_tensor_type() ? type->mutable_tensor_type() : nullptr;
}

void dropExtents(Values &values) {
  for (onnx::ValueInfoProto &value : values)
    if (onnx::TypeProto::Tensor *type = tensorTypeOf(value); type && type->has_shape())
      for (onnx::TensorShapeProto::Dimension &dim : *type->mutable_shape()->mutable_dim())
        dim.clear_value();
}

void dropShapes(Values &values) {
  for (onnx::ValueInfoProto &value : values)
    if (onnx::TypeProto::Tensor *type = tensorTypeOf(value))
      type->clear_shape();
}

/// What graphs say of their values; the inputs of those within nodes are values of the model as any other.
void dropShapes(onnx::GraphProto &graph, bool isMain) {
  graph.clear_value_info();
  if (isMain) {
    dropExtents(*graph.mutable_output());
  } else {
    dropShapes(*graph.mutable_input());
    dropShapes(*graph.mutable_output());
  }
  for (onnx::NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        dropShapes(*attribute.mutable_g(), /*isMain=*/false);
      for (onnx::GraphProto &inner : *attribute.mutable_graphs())
        dropShapes(inner, /*isMain=*/false);
    }
}

} // namespace

llvm::Expected<std::string> hone::conformance::readDynamicModel(const Case &testCase) {
  std::string path = testCase.modelPath();
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError(file.getError(), "cannot read " + path);
  onnx::ModelProto model;
  std::string error = frontend::library::parse((*file)->getBufferStart(), (*file)->getBufferSize(), model);
  if (!error.empty())
    return llvm::createStringError(error);
  onnx::GraphProto &graph = *model.mutable_graph();
  dropShapes(graph, /*isMain=*/true);
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    onnx::TypeProto::Tensor *type = tensorTypeOf(input);
    if (!type || !type->has_shape() || llvm::is_contained(testCase.keptInputs, input.name()))
      continue;
    int position = 0;
    for (onnx::TensorShapeProto::Dimension &dim : *type->mutable_shape()->mutable_dim())
      dim.set_dim_param("dynamic." + input.name() + "." + std::to_string(position++));
  }
  return model.SerializeAsString();
}

llvm::Expected<hone::frontend::ModelSource> CaseModel::source() {
  if (!dynamic)
    return frontend::ModelSource(testCase.modelPath());
  auto model = readDynamicModel(testCase);
  if (!model)
    return model.takeError();
  bytes = std::move(*model);
  return frontend::ModelSource(llvm::ArrayRef<char>(bytes.data(), bytes.size()), testCase.modelPath(), testCase.folder);
}
