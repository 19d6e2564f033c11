//===- Pieces.cpp - Sequences as tensors ----------------------------------===//

#include "lib/Frontend/Ops/Pieces.h"

#include "lib/Frontend/Ops/Loops.h"
#include "lib/Frontend/Ops/ShapeMath.h"
#include "onnx/onnx_pb.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

Item frontend::itemOf(NodeBuilder &node, unsigned i) {
  return i < node.numInputs() ? node.graph().find(node.proto().input(int(i))) : Item();
}

Item frontend::requiredItem(NodeBuilder &node, unsigned i) {
  Item item = itemOf(node, i);
  return isSequence(item) ? item : Item(node.required(i));
}

void frontend::setItem(NodeBuilder &node, unsigned i, const Item &item) {
  if (!isSequence(item))
    node.setOutput(i, tensorOf(item));
  else if (const Elements *elements = std::get_if<Elements>(&item))
    node.setSequence(i, *elements);
  else if (node.wantsOutput(i) && !node.failed())
    node.graph().bind(node.proto().output(int(i)), item);
}

/// `names` are those of the sequence.
static std::optional<Join> findJoinOf(const onnx::GraphProto &graph, llvm::StringSet<> &names) {
  for (const onnx::NodeProto &node : graph.node()) {
    bool reads = node.domain().empty() && node.input_size() && names.contains(node.input(0));
    if (reads && node.op_type() == "ConcatFromSequence") {
      Join join{0, false};
      for (const onnx::AttributeProto &attribute : node.attribute())
        if (attribute.name() == "axis")
          join.axis = attribute.i();
        else if (attribute.name() == "new_axis")
          join.isNew = attribute.i() != 0;
      return join;
    }
    if (reads && node.op_type() == "Identity" && node.output_size() == 1)
      names.insert(node.output(0));
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        if (auto join = findJoinOf(attribute.g(), names))
          return join;
  }
  return std::nullopt;
}

std::optional<Join> frontend::findJoin(const onnx::GraphProto &graph, StringRef name) {
  llvm::StringSet<> names;
  names.insert(name);
  return name.empty() ? std::nullopt : findJoinOf(graph, names);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// The type that holds the elements of `a` and those of `b`, where null means none; null after a diagnostic.
static RankedTensorType joinElements(NodeBuilder &node, RankedTensorType a, RankedTensorType b) {
  if (!a || !b)
    return a ? a : b;
  RankedTensorType joined = joinTypes(a, b);
  if (!joined)
    (void)node.fail("the sequence holds tensors of different kinds: " + describe(a) + " and " + describe(b) +
                    "; its length and all positions would have to be known while importing");
  return joined;
}

/// The type that holds all elements of a sequence; null where it is empty, and after a diagnostic.
static RankedTensorType elementType(NodeBuilder &node, const Item &item) {
  RankedTensorType type;
  if (const auto *pieces = std::get_if<Pieces>(&item)) {
    type = node.typeOf(pieces->whole);
    SmallVector<int64_t> shape(type.getShape());
    if (pieces->dropsAxis)
      shape.erase(shape.begin() + pieces->axis);
    else
      shape[size_t(pieces->axis)] = ShapedType::kDynamic;
    return RankedTensorType::get(shape, type.getElementType());
  }
  for (Value element : std::get<Elements>(item))
    if (!node.failed())
      type = joinElements(node, type, node.typeOf(element));
  return type;
}

/// A cut for elements of `type`. Elements that have one shape are stacked; others are laid end to end along the axis
/// where they differ: where more than one may, the one along which they are joined, whose others must then be equal.
static Form cutFor(RankedTensorType type, std::optional<Join> join) {
  Form form{Form::Cut, 0, 0, true, type};
  if (type.hasStaticShape() || (join && join->isNew))
    return form;
  form.dropsAxis = false;
  int64_t rank = type.getRank();
  if (join && join->axis >= -rank && join->axis < rank)
    form.axis = join->axis < 0 ? join->axis + rank : join->axis;
  else
    while (!type.isDynamicDim(unsigned(form.axis)))
      ++form.axis;
  return form;
}

SmallVector<Type> Form::cutTypes() const {
  SmallVector<int64_t> shape(element.getShape());
  if (dropsAxis)
    shape.insert(shape.begin() + axis, ShapedType::kDynamic);
  else
    shape[size_t(axis)] = ShapedType::kDynamic;
  SmallVector<Type> types{RankedTensorType::get(shape, element.getElementType())};
  if (!dropsAxis)
    types.push_back(RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(element.getContext(), 64)));
  return types;
}

std::optional<Form> frontend::commonForm(NodeBuilder &node, const Item &a, const Item &b, std::optional<Join> join) {
  if (!isSequence(a) && !isSequence(b))
    return Form();
  if (!isSequence(a) || !isSequence(b)) {
    (void)node.fail("a value is a tensor in one place and a sequence in another");
    return std::nullopt;
  }
  const auto *listA = std::get_if<Elements>(&a), *listB = std::get_if<Elements>(&b);
  if (listA && listB && listA->size() == listB->size())
    return Form{Form::List, listA->size(), 0, false, {}};
  RankedTensorType element = joinElements(node, elementType(node, a), elementType(node, b));
  if (node.failed() || !element)
    return std::nullopt;
  const auto *piecesA = std::get_if<Pieces>(&a), *piecesB = std::get_if<Pieces>(&b);
  if (!piecesA && !piecesB)
    return cutFor(element, join);
  const Pieces &given = piecesA ? *piecesA : *piecesB;
  if (piecesA && piecesB && (piecesA->axis != piecesB->axis || piecesA->dropsAxis != piecesB->dropsAxis)) {
    (void)node.fail("the sequences have elements that may differ in different dimensions");
    return std::nullopt;
  }
  return Form{Form::Cut, 0, given.axis, given.dropsAxis, element};
}

/// The elements as a cut.
static std::optional<Pieces> cut(NodeBuilder &node, ArrayRef<Value> elements, const Form &form) {
  RankedTensorType type = joinElements(node, form.element, elementType(node, Item(Elements(elements))));
  if (node.failed() || !type)
    return std::nullopt;
  Pieces pieces{{}, form.axis, {}, form.dropsAxis, form.dropsAxis ? 1 : -1};
  if (elements.empty()) {
    // Extents that are not known yet are taken from the first element: see `fitTo`.
    SmallVector<int64_t> shape(cast<RankedTensorType>(form.cutTypes()[0]).getShape());
    for (int64_t &extent : shape)
      extent = ShapedType::isDynamic(extent) ? 0 : extent;
    pieces.whole = node.splat(0, type.getElementType(), shape);
    if (!form.dropsAxis)
      pieces.offsets = node.constant(ArrayRef<int64_t>{0});
    return pieces;
  }
  ShapeMath math(node);
  SmallVector<Value> parts, offsets{math.number(0)};
  for (Value element : elements) {
    parts.push_back(form.dropsAxis ? node.unsqueeze(element, {form.axis}) : element);
    if (!form.dropsAxis)
      offsets.push_back(math.add(offsets.back(), math.dim(element, form.axis)));
  }
  pieces.whole = node.concat(parts, form.axis);
  if (!form.dropsAxis)
    pieces.offsets = math.concat(offsets);
  return node.failed() ? std::nullopt : std::optional(pieces);
}

std::optional<SmallVector<Value>> frontend::toTensors(NodeBuilder &node, const Item &item, const Form &form) {
  if (form.kind == Form::Tensor && !isSequence(item))
    return SmallVector<Value>{tensorOf(item)};
  const auto *elements = std::get_if<Elements>(&item);
  const auto *pieces = std::get_if<Pieces>(&item);
  if (form.kind == Form::List && elements && elements->size() == form.length)
    return *elements;
  std::optional<Pieces> made = form.kind == Form::Cut && elements ? cut(node, *elements, form) : std::nullopt;
  pieces = made ? &*made : pieces;
  if (!pieces || form.kind != Form::Cut || pieces->axis != form.axis || pieces->dropsAxis != form.dropsAxis) {
    if (!node.failed())
      (void)node.fail("the length of a sequence is known in one trip and not in another");
    return std::nullopt;
  }
  SmallVector<Value> tensors{pieces->whole};
  if (!pieces->dropsAxis)
    tensors.push_back(pieces->offsets);
  return tensors;
}

Item frontend::fromTensors(const Form &form, ValueRange tensors) {
  if (form.kind == Form::Tensor)
    return tensors.front();
  if (form.kind == Form::List)
    return Elements(tensors);
  return Pieces{tensors[0], form.axis, form.dropsAxis ? Value() : tensors[1], form.dropsAxis, form.dropsAxis ? 1 : -1};
}

std::optional<Pieces> frontend::toPieces(NodeBuilder &node, ArrayRef<Value> elements, RankedTensorType added) {
  RankedTensorType type = joinElements(node, elementType(node, Item(Elements(elements))), added);
  if (!type && !node.failed())
    (void)node.fail("the sequence is empty");
  return type ? cut(node, elements, cutFor(type, std::nullopt)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value frontend::count(NodeBuilder &node, const Pieces &sequence) {
  ShapeMath math(node);
  return sequence.dropsAxis ? math.dim(sequence.whole, sequence.axis)
                            : math.sub(math.dim(sequence.offsets, 0), math.number(1));
}

/// A position counted from 0, a vector of one; one before the first piece is as far out of range as one behind the
/// last.
static Value fromStart(NodeBuilder &node, const Pieces &sequence, Value position) {
  ShapeMath math(node);
  Value at = node.vectorOf(math.integers(position)), zero = math.number(0);
  if (auto known = node.constantInts(at); known && known->front() >= 0)
    return at;
  at = math.selectIf(graph::Predicate::Lt, at, zero, math.add(at, count(node, sequence)), at);
  return math.selectIf(graph::Predicate::Lt, at, zero, math.number(INT64_MAX / 2), at);
}

static Value part(NodeBuilder &node, Value x, Value begin, Value end, int64_t axis) {
  return node.make<graph::SliceOp>(x, begin, end, node.constant(ArrayRef<int64_t>{1}), SmallVector<int64_t>{axis});
}

/// Where pieces begin, and the last one ends.
static Value offsetsOf(NodeBuilder &node, const Pieces &sequence) {
  ShapeMath math(node);
  return sequence.dropsAxis ? math.range(math.add(count(node, sequence), math.number(1))) : sequence.offsets;
}

/// `count` offsets from that of the piece at `at`; a run checks that there are as many.
static Value offsetsAt(NodeBuilder &node, const Pieces &sequence, Value at, int64_t count) {
  ShapeMath math(node);
  return node.reshapeTo(part(node, offsetsOf(node, sequence), at, math.add(at, math.number(count)), 0), {count});
}

Value frontend::pieceAt(NodeBuilder &node, const Pieces &sequence, Value position) {
  ShapeMath math(node);
  Value at = fromStart(node, sequence, position);
  if (sequence.dropsAxis)
    return node.squeeze(part(node, sequence.whole, at, math.add(at, math.number(1)), sequence.axis), {sequence.axis});
  Value bounds = offsetsAt(node, sequence, at, 2);
  return part(node, sequence.whole, math.at(bounds, 0), math.at(bounds, 1), sequence.axis);
}

/// `whole` with the extents of `added` but along `axis`. They are equal, unless nothing is in it yet: then some of its
/// extents were not known where it was made.
static Value fitTo(NodeBuilder &node, Value whole, Value added, int64_t axis) {
  SmallVector<Piece> shape;
  bool fits = true;
  for (int64_t d = 0; d < node.rankOf(whole); ++d) {
    fits &= d == axis || !node.typeOf(whole).isDynamicDim(unsigned(d));
    shape.push_back(node.piece(d == axis ? whole : added, d));
  }
  return fits ? whole : node.reshape(whole, shape);
}

std::optional<Pieces> frontend::insertPiece(NodeBuilder &node, const Pieces &sequence, Value element, Value position) {
  ShapeMath math(node);
  Pieces result = sequence;
  RankedTensorType held = elementType(node, sequence), given = node.typeOf(element);
  if (!given || !joinElements(node, held, given))
    return std::nullopt;
  int64_t axis = sequence.axis;
  result.extent = sequence.dropsAxis ? 1 : -1;
  Value added = sequence.dropsAxis ? node.unsqueeze(element, {axis}) : element;
  Value whole = fitTo(node, sequence.whole, added, axis);
  Value all = math.dim(whole, axis), extent = math.dim(added, axis), none = math.number(0), one = math.number(1);
  if (!position) {
    result.whole = node.concat({whole, added}, axis);
    if (!sequence.dropsAxis)
      result.offsets = math.concat({sequence.offsets, math.add(all, extent)});
    return node.failed() ? std::nullopt : std::optional(result);
  }
  Value at = fromStart(node, sequence, position), begin = offsetsAt(node, sequence, at, 1);
  result.whole = node.concat({part(node, whole, none, begin, axis), added, part(node, whole, begin, all, axis)}, axis);
  if (!sequence.dropsAxis)
    result.offsets =
        math.concat({part(node, sequence.offsets, none, math.add(at, one), 0),
                     math.add(part(node, sequence.offsets, at, math.dim(sequence.offsets, 0), 0), extent)});
  return node.failed() ? std::nullopt : std::optional(result);
}

Pieces frontend::erasePiece(NodeBuilder &node, const Pieces &sequence, Value position) {
  ShapeMath math(node);
  Pieces result = sequence;
  int64_t axis = sequence.axis;
  Value none = math.number(0), one = math.number(1), all = math.dim(sequence.whole, axis);
  Value at = fromStart(node, sequence, position ? position : math.number(-1)), next = math.add(at, one);
  Value bounds = offsetsAt(node, sequence, at, 2), begin = math.at(bounds, 0), end = math.at(bounds, 1);
  result.whole =
      node.concat({part(node, sequence.whole, none, begin, axis), part(node, sequence.whole, end, all, axis)}, axis);
  if (!sequence.dropsAxis) {
    Value after = part(node, sequence.offsets, next, math.dim(sequence.offsets, 0), 0);
    result.offsets = math.concat({part(node, sequence.offsets, none, at, 0), math.sub(after, math.sub(end, begin))});
  }
  return result;
}

Value frontend::joinPieces(NodeBuilder &node, const Pieces &sequence, Join join) {
  int64_t axis = sequence.axis, rank = node.rankOf(sequence.whole) - sequence.dropsAxis;
  auto to = node.normalizeAxis(join.axis, rank + join.isNew);
  if (!to)
    return {};
  if (!sequence.dropsAxis && !join.isNew && *to == axis)
    return sequence.whole;
  if (!sequence.dropsAxis && sequence.extent < 0)
    return node.failValue("the pieces were cut along dimension " + Twine(axis) +
                          " and may differ there, so that they cannot be joined along " +
                          (join.isNew ? "a new one" : "another"));
  // Stacked, they are moved to where they are joined; a run checks that they are of equal extent.
  Value stacked = sequence.whole;
  if (!sequence.dropsAxis) {
    SmallVector<Piece> shape;
    for (int64_t d = 0; d < rank; ++d) {
      if (d == axis)
        shape.push_back(node.vectorOf(count(node, sequence)));
      shape.push_back(d == axis ? Piece(sequence.extent) : node.piece(sequence.whole, d));
    }
    stacked = node.reshape(sequence.whole, shape);
  }
  SmallVector<int64_t> perm;
  for (int64_t d = 0; d <= rank; ++d)
    if (d != axis)
      perm.push_back(d);
  perm.insert(perm.begin() + *to, axis);
  stacked = node.transpose(stacked, perm);
  if (join.isNew || !stacked)
    return stacked;
  ShapeMath math(node);
  SmallVector<Piece> shape;
  for (int64_t d = 0; d < rank; ++d)
    if (d < *to)
      shape.push_back(node.piece(stacked, d));
    else if (d > *to)
      shape.push_back(node.piece(stacked, d + 1));
    else
      shape.push_back(math.mul(math.dim(stacked, d), math.dim(stacked, d + 1)));
  return node.reshape(stacked, shape);
}
