//===- NodeBuilder.cpp - Inputs, outputs, attributes, facts ---------------===//

#include "lib/Frontend/NodeBuilder.h"

#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/Types.h"
#include "lib/Support/NodeLocation.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace hone::frontend;

NodeBuilder::NodeBuilder(GraphImporter &importer, const onnx::NodeProto &node, Location location)
    : importer(importer), node(node), location(location) {}

OpBuilder &NodeBuilder::builder() { return importer.builder(); }
MLIRContext *NodeBuilder::context() { return importer.context().context; }
StringRef NodeBuilder::opType() { return node.op_type(); }
StringRef NodeBuilder::domain() { return node.domain(); }

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

unsigned NodeBuilder::numInputs() { return unsigned(node.input_size()); }
unsigned NodeBuilder::numOutputs() { return unsigned(node.output_size()); }

Value NodeBuilder::input(unsigned i) { return i < numInputs() ? importer.lookup(node.input(int(i))) : Value(); }

Value NodeBuilder::required(unsigned i) {
  Value value = input(i);
  if (!value && i < numInputs() && (sequence(i) || importer.lookupPieces(node.input(int(i)))))
    return failValue("input #" + Twine(i) + " is a sequence, which is not supported here");
  return value ? value : failValue("input #" + Twine(i) + " is missing");
}

const SmallVector<Value> *NodeBuilder::sequence(unsigned i) {
  return i < numInputs() ? importer.lookupSequence(node.input(int(i))) : nullptr;
}

void NodeBuilder::setSequence(unsigned i, ArrayRef<Value> elements) {
  if (llvm::is_contained(elements, Value()))
    hasFailed = true;
  else if (wantsOutput(i))
    importer.bind(node.output(int(i)), Item(Elements(elements)));
}

bool NodeBuilder::wantsOutput(unsigned i) { return i < numOutputs() && !node.output(int(i)).empty(); }

std::optional<SmallVector<int64_t>> NodeBuilder::declaredShape(unsigned i) {
  const onnx::TypeProto *type = wantsOutput(i) ? importer.typeOf(node.output(int(i))) : nullptr;
  if (!type || !type->has_tensor_type() || !type->tensor_type().has_shape())
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (const auto &dim : type->tensor_type().shape().dim())
    shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  return shape;
}

void NodeBuilder::setOutput(unsigned i, Value v) {
  if (!v)
    hasFailed = true;
  else if (wantsOutput(i))
    importer.bind(node.output(int(i)), v);
}

LogicalResult NodeBuilder::fail(const Twine &message) {
  hasFailed = true;
  emitError(location) << escapeName(node.op_type()) << ": " << message;
  return failure();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const onnx::AttributeProto *NodeBuilder::attribute(StringRef name, int type) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (StringRef(attribute.name()) != name)
      continue;
    // ONNX's checker knows its own operators' attributes only.
    if (type == onnx::AttributeProto::UNDEFINED || attribute.type() == type)
      return &attribute;
    (void)fail("attribute '" + name + "' is of the wrong type");
  }
  return nullptr;
}

bool NodeBuilder::hasAttribute(StringRef name) { return attribute(name, onnx::AttributeProto::UNDEFINED) != nullptr; }

int64_t NodeBuilder::getInt(StringRef name, int64_t fallback) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::INT);
  return found ? found->i() : fallback;
}

float NodeBuilder::getFloat(StringRef name, float fallback) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::FLOAT);
  return found ? found->f() : fallback;
}

std::string NodeBuilder::getString(StringRef name, StringRef fallback) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::STRING);
  return found ? found->s() : fallback.str();
}

std::optional<SmallVector<int64_t>> NodeBuilder::getInts(StringRef name) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::INTS);
  if (!found)
    return std::nullopt;
  return SmallVector<int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<SmallVector<float>> NodeBuilder::getFloats(StringRef name) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::FLOATS);
  if (!found)
    return std::nullopt;
  return SmallVector<float>(found->floats().begin(), found->floats().end());
}

std::optional<SmallVector<std::string>> NodeBuilder::getStrings(StringRef name) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::STRINGS);
  if (!found)
    return std::nullopt;
  return SmallVector<std::string>(found->strings().begin(), found->strings().end());
}

ElementsAttr NodeBuilder::getTensor(StringRef name) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::UNDEFINED);
  if (!found || !found->has_t())
    return {};
  std::string error;
  ElementsAttr value = importer.context().tensors.read(found->t(), error);
  if (!value)
    (void)fail("attribute " + name + ": " + error);
  return value;
}

const onnx::GraphProto *NodeBuilder::getGraph(StringRef name) {
  const onnx::AttributeProto *found = attribute(name, onnx::AttributeProto::UNDEFINED);
  return found && found->has_g() ? &found->g() : nullptr;
}

Type NodeBuilder::elementType(int64_t onnxDataType) {
  Type type = elementTypeOf(onnxDataType, context());
  if (!type)
    (void)fail("element type " + onnxTypeName(onnxDataType) + " is not supported");
  return type;
}

//===----------------------------------------------------------------------===//
// Facts about values
//===----------------------------------------------------------------------===//

RankedTensorType NodeBuilder::typeOf(Value v) {
  return v ? llvm::cast<RankedTensorType>(v.getType()) : RankedTensorType();
}
Type NodeBuilder::elementOf(Value v) { return v ? typeOf(v).getElementType() : Type(); }
int64_t NodeBuilder::rankOf(Value v) { return v ? typeOf(v).getRank() : 0; }
ArrayRef<int64_t> NodeBuilder::shapeOf(Value v) { return v ? typeOf(v).getShape() : ArrayRef<int64_t>(); }
bool NodeBuilder::isFloat(Value v) { return v && isa<FloatType>(elementOf(v)); }
bool NodeBuilder::isUnsigned(Value v) { return v && elementOf(v).isUnsignedInteger(); }
bool NodeBuilder::isBool(Value v) { return v && elementOf(v).isInteger(1); }

std::optional<SmallVector<int64_t>> NodeBuilder::constantInts(Value v) {
  if (!v || !isa<IntegerType>(elementOf(v)))
    return std::nullopt;
  if (auto known = graph::constantIntegers(v))
    return known;
  graph::ExtentBuilder extents;
  auto elements = extents.elements(v);
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (graph::Extent element : *elements) {
    std::optional<int64_t> number = graph::constantExtent(element);
    if (!number)
      return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

std::optional<SmallVector<double>> NodeBuilder::constantFloats(Value v) {
  auto constant = v ? v.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  auto value = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!value)
    return std::nullopt;
  SmallVector<double> result;
  if (isa<FloatType>(value.getElementType())) {
    for (APFloat element : value.getValues<APFloat>()) {
      bool lost;
      element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      result.push_back(element.convertToDouble());
    }
    return result;
  }
  bool isUnsigned = value.getElementType().isUnsignedInteger() || value.getElementType().isInteger(1);
  for (const APInt &element : value.getValues<APInt>())
    result.push_back(element.roundToDouble(!isUnsigned));
  return result;
}

std::optional<double> NodeBuilder::constantNumber(Value v) {
  if (!v || !typeOf(v).hasStaticShape() || typeOf(v).getNumElements() != 1)
    return std::nullopt;
  auto values = constantFloats(v);
  return values ? std::optional<double>(values->front()) : std::nullopt;
}

std::optional<int64_t> NodeBuilder::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    (void)fail("axis " + Twine(axis) + " is out of range for a tensor of rank " + Twine(rank));
    return std::nullopt;
  }
  return axis < 0 ? axis + rank : axis;
}

std::optional<SmallVector<int64_t>> NodeBuilder::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    std::optional<int64_t> normalized = normalizeAxis(axis, rank);
    if (!normalized)
      return std::nullopt;
    if (llvm::is_contained(result, *normalized)) {
      (void)fail("axis " + Twine(axis) + " is given twice");
      return std::nullopt;
    }
    result.push_back(*normalized);
  }
  return result;
}

std::optional<SmallVector<int64_t>> NodeBuilder::axesFrom(unsigned i, StringRef name, int64_t rank) {
  if (Value value = input(i)) {
    auto axes = constantInts(value);
    if (!axes) {
      (void)fail("axes must be known at compile time");
      return std::nullopt;
    }
    return normalizeAxes(*axes, rank);
  }
  auto axes = getInts(name);
  return axes ? normalizeAxes(*axes, rank) : std::nullopt;
}

SmallVector<Value> NodeBuilder::callAll(StringRef opType, ArrayRef<Optional> operands, unsigned numResults,
                                        ArrayRef<std::pair<StringRef, int64_t>> ints,
                                        ArrayRef<std::pair<StringRef, float>> floats) {
  SmallVector<Value> results(numResults);
  if (failed())
    return results;
  onnx::GraphProto body;
  onnx::NodeProto &called = *body.add_node();
  called.set_op_type(opType.str());
  for (unsigned i = 0; i < numResults; ++i)
    called.add_output("y" + std::to_string(i));
  *called.mutable_attribute() = node.attribute();
  auto set = [&](StringRef name, onnx::AttributeProto::AttributeType type) -> onnx::AttributeProto & {
    auto &list = *called.mutable_attribute();
    for (int i = list.size(); i-- > 0;)
      if (StringRef(list.Get(i).name()) == name)
        list.DeleteSubrange(i, 1);
    onnx::AttributeProto &added = *list.Add();
    added.set_name(name.str());
    added.set_type(type);
    return added;
  };
  for (auto [name, value] : ints)
    set(name, onnx::AttributeProto::INT).set_i(value);
  for (auto [name, value] : floats)
    set(name, onnx::AttributeProto::FLOAT).set_f(value);
  GraphImporter inner(importer.context(), body, nullptr, loc());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::string name = operand.value ? "x" + std::to_string(i) : "";
    called.add_input(name);
    if (operand.value)
      inner.bind(name, operand.value);
  }
  if (llvm::failed(inner.importNodes()))
    markFailed();
  for (auto [i, result] : llvm::enumerate(results))
    result = inner.lookup("y" + std::to_string(i));
  return results;
}
