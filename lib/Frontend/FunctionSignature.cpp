//===- FunctionSignature.cpp - Inputs and outputs of the model ------------===//

#include "lib/Frontend/FunctionSignature.h"

#include "lib/Frontend/Types.h"
#include "lib/Support/NodeLocation.h"
#include "onnx/onnx_pb.h"
#include "runtime/format/Format.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hone::frontend;

std::string FunctionSignature::freshName(StringRef tensor, int64_t dim) {
  std::string name = (tensor + "." + Twine(dim)).str();
  while (usedNames.contains(name))
    name += "'";
  return name;
}

const DimRange *FunctionSignature::rangeOf(StringRef name) {
  for (const DimRange &range : options.dims)
    if (range.name == name) {
      usedRanges.insert(name);
      return &range;
    }
  return nullptr;
}

/// The type of what a run gives for an input: an optional always has its element.
static const onnx::TypeProto &givenType(const onnx::ValueInfoProto &input) {
  const onnx::TypeProto *type = &input.type();
  while (type->has_optional_type())
    type = &type->optional_type().elem_type();
  return *type;
}

LogicalResult FunctionSignature::readInput(const onnx::ValueInfoProto &input) {
  std::string shown = escapeName(input.name());
  const onnx::TypeProto &type = givenType(input);
  if (!type.has_tensor_type())
    return emitError(loc) << "input '" << shown << "' is no tensor of numbers but: " << describeType(type);
  Type element = elementTypeOf(type.tensor_type().elem_type(), context);
  if (!element)
    return emitError(loc) << "input '" << shown << "' is no tensor of numbers but: " << describeType(type);
  if (!type.tensor_type().has_shape())
    return emitError(loc) << "input '" << shown << "' has no declared rank";

  if (type.tensor_type().shape().dim_size() > int(format::kMaxRank))
    return emitError(loc) << "input '" << shown << "' has rank " << type.tensor_type().shape().dim_size() << "; "
                          << format::kMaxRank << " is the most";

  Builder builder(context);
  SmallVector<int64_t> shape;
  SmallVector<Attribute> dims, ranges;
  bool hasRange = false;
  for (const auto &dim : type.tensor_type().shape().dim()) {
    int64_t extent = dim.has_dim_value() ? dim.dim_value() : ShapedType::kDynamic;
    // -1 stands for an unknown extent with many exporters.
    if (dim.has_dim_value() && extent < -1)
      return emitError(loc) << "input '" << shown << "' has an extent of " << extent;
    if (extent >= 0 && extent > INT32_MAX)
      return emitError(loc) << "input '" << shown << "' has an extent of " << extent << ", which is too large";
    Attribute name = builder.getUnitAttr(), range = builder.getUnitAttr();
    if (extent < 0) {
      // Exporters write "?" where they know no name: not a symbol that makes extents equal.
      bool named = !dim.dim_param().empty() && dim.dim_param() != "?";
      std::string symbol = !named ? freshName(input.name(), int64_t(shape.size())) : dim.dim_param();
      if (usedNames.insert(symbol).second)
        dimNames.push_back(symbol);
      const DimRange *known = rangeOf(symbol);
      extent = known && known->min == known->max ? known->min : ShapedType::kDynamic;
      // An extent that the user fixes keeps its name: a run that has another is told which it is.
      name = builder.getStringAttr(symbol);
      if (known && ShapedType::isDynamic(extent)) {
        range = builder.getDenseI64ArrayAttr({known->min, known->max});
        hasRange = true;
      }
    }
    shape.push_back(extent);
    dims.push_back(name);
    ranges.push_back(range);
  }
  auto tensor = RankedTensorType::get(shape, element);
  if (!isAddressable(tensor))
    return emitError(loc) << "input '" << shown << "' of shape " << describeShape(tensor)
                          << " is larger than can be addressed";
  NamedAttrList list;
  list.append("graph.name", builder.getStringAttr(input.name()));
  list.append("graph.dims", builder.getArrayAttr(dims));
  if (hasRange)
    list.append("graph.ranges", builder.getArrayAttr(ranges));
  names.push_back(input.name());
  types.push_back(tensor);
  attributes.push_back(list.getDictionary(context));
  return success();
}

LogicalResult FunctionSignature::readInputs() {
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  // Symbols come first: a made-up name must not equal one.
  for (const onnx::ValueInfoProto &input : graph.input())
    for (const auto &dim : givenType(input).tensor_type().shape().dim())
      if (dim.has_dim_param() && !dim.dim_param().empty() && dim.dim_param() != "?" &&
          usedNames.insert(dim.dim_param()).second)
        dimNames.push_back(dim.dim_param());
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!initializers.contains(input.name()) && failed(readInput(input)))
      refused.push_back(input.name());
  // An input that failed may have had the dimension.
  return failure(!refused.empty() || failed(checkAllRangesUsed()));
}

LogicalResult FunctionSignature::checkAllRangesUsed() {
  for (const DimRange &range : options.dims) {
    if (usedRanges.contains(range.name))
      continue;
    std::string known;
    for (const std::string &name : dimNames)
      known += (known.empty() ? "" : ", ") + escapeName(name);
    return emitError(loc) << "no input has a dynamic dimension '" << escapeName(range.name) << "'; there "
                          << (known.empty() ? "is none" : "are: " + known);
  }
  return success();
}

void FunctionSignature::warnOfContradiction(const onnx::ValueInfoProto &output, RankedTensorType type) {
  if (!output.type().has_tensor_type() || !output.type().tensor_type().has_shape())
    return;
  const auto &declared = output.type().tensor_type().shape();
  bool contradicts = declared.dim_size() != type.getRank();
  std::string text;
  for (auto [d, dim] : llvm::enumerate(declared.dim())) {
    bool known = dim.has_dim_value() && dim.dim_value() >= 0;
    text += (d ? "x" : "") + (known ? std::to_string(dim.dim_value()) : "?");
    contradicts |=
        known && !contradicts && !type.isDynamicDim(unsigned(d)) && type.getDimSize(unsigned(d)) != dim.dim_value();
  }
  if (!contradicts)
    return;
  std::string computed;
  for (auto [d, extent] : llvm::enumerate(type.getShape()))
    computed += (d ? "x" : "") + (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  emitWarning(loc) << "output '" << escapeName(output.name()) << "' is declared with shape [" << text
                   << "], but the nodes compute [" << computed << "]; the declaration is ignored";
}

DictionaryAttr FunctionSignature::resultAttributes(unsigned index, RankedTensorType type) {
  const onnx::ValueInfoProto &output = graph.output(int(index));
  const auto &declared = output.type().tensor_type().shape();
  warnOfContradiction(output, type);
  Builder builder(context);
  SmallVector<Attribute> dims;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      dims.push_back(builder.getUnitAttr());
      continue;
    }
    bool matches = declared.dim_size() == type.getRank();
    const DimRange *range = nullptr;
    if (matches && declared.dim(int(d)).has_dim_value() && declared.dim(int(d)).dim_value() >= 0) {
      dims.push_back(builder.getI64IntegerAttr(declared.dim(int(d)).dim_value()));
    } else if (matches && !declared.dim(int(d)).dim_param().empty()) {
      const std::string &symbol = declared.dim(int(d)).dim_param();
      range = rangeOf(symbol);
      if (range && range->min == range->max)
        dims.push_back(builder.getI64IntegerAttr(range->min));
      else
        dims.push_back(builder.getStringAttr(symbol));
    } else {
      std::string name = freshName(output.name(), d);
      usedNames.insert(name);
      dims.push_back(builder.getStringAttr(name));
    }
  }
  NamedAttrList list;
  list.append("graph.name", builder.getStringAttr(output.name()));
  list.append("graph.dims", builder.getArrayAttr(dims));
  return list.getDictionary(context);
}
