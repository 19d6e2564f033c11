//===- GraphOps.cpp - Structure ops and shared checks ---------------------===//

#include "dialects/Graph/IR/Shapes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph::shapes;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

LogicalResult shapes::checkDims(OptLoc loc, StringRef what, ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (failed(checkDim(loc, what, dim, rank)))
      return failure();
    if (seen.test(dim))
      return refuse(loc, Twine(what) + " names dimension " + Twine(dim) + " twice");
    seen.set(dim);
  }
  return success();
}

LogicalResult shapes::checkEqual(OptLoc loc, ExtentBuilder &extents, const Twine &what, Extent a, Extent b,
                                 StringRef message) {
  auto ca = constantExtent(a), cb = constantExtent(b);
  if (ca && cb && *ca != *cb)
    return refuse(loc, what + " differ: " + Twine(*ca) + " and " + Twine(*cb));
  extents.require(extents.eq(a, b), message.empty() ? what + " differ" : Twine(message));
  return success();
}

LogicalResult shapes::checkWindow(OptLoc loc, int64_t spatial, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                                  ArrayRef<int64_t> pads) {
  auto expect = [&](StringRef what, ArrayRef<int64_t> values, int64_t count, int64_t least) -> LogicalResult {
    if (static_cast<int64_t>(values.size()) != count)
      return refuse(loc, "has " + Twine(values.size()) + " " + what + " for " + Twine(spatial) + " spatial dimensions");
    for (int64_t value : values)
      if (value < least || value > (int64_t(1) << 31))
        return refuse(loc, Twine(what) + " of " + Twine(value) + " are out of range");
    return success();
  };
  if (spatial < 1)
    return refuse(loc, "needs an input of rank 3 or more");
  return failure(failed(expect("strides", strides, spatial, 1)) || failed(expect("dilations", dilations, spatial, 1)) ||
                 failed(expect("pads", pads, 2 * spatial, 0)));
}

SmallVector<int64_t> hone::graph::memoryOrder(RankedTensorType type) {
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    return llvm::to_vector(layout.getOrder());
  return llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
}

bool hone::graph::keepsMemory(RankedTensorType from, RankedTensorType to, ArrayRef<int64_t> perm) {
  for (RankedTensorType type : {from, to})
    if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()); layout && layout.getTile() > 1)
      return false;
  SmallVector<int64_t> placeOf = invertPermutationVector(memoryOrder(from)), places;
  for (int64_t dim : memoryOrder(to))
    if (to.getDimSize(dim) != 1 && from.getDimSize(perm[dim]) != 1)
      places.push_back(placeOf[perm[dim]]);
  return llvm::is_sorted(places);
}

bool hone::graph::isRefinement(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != actual.size())
    return false;
  for (auto [a, b] : llvm::zip(inferred, actual)) {
    auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
    if (!left || !right || left.getElementType() != right.getElementType() ||
        failed(verifyCompatibleShape(left, right)))
      return false;
  }
  return true;
}

Domain hone::graph::domainOf(Type element) {
  if (isa<FloatType>(element))
    return Domain::F;
  return element.isInteger(1) ? Domain::B : Domain::I;
}

unsigned hone::graph::storageBytes(Type element) { return std::max(1u, element.getIntOrFloatBitWidth() / 8); }

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static LogicalResult checkYield(Operation *op, StringRef region, Block &block, TypeRange expected) {
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getNumOperands() != expected.size())
    return op->emitOpError() << region << " yields " << yield.getNumOperands() << " values for " << expected.size();
  for (auto [index, types] : llvm::enumerate(llvm::zip(yield.getOperandTypes(), expected))) {
    auto [given, wanted] = types;
    if (!isRefinement(wanted, given))
      return op->emitOpError() << region << " yields " << given << " as value #" << index << ", expected " << wanted;
  }
  return success();
}

LogicalResult IfOp::verify() {
  if (failed(checkYield(*this, "then", getThenRegion().front(), getResultTypes())))
    return failure();
  return checkYield(*this, "else", getElseRegion().front(), getResultTypes());
}

LogicalResult LoopOp::verify() {
  Block &block = getBody().front();
  unsigned carried = getInits().size();
  if (getNumResults() < carried)
    return emitOpError() << "carries " << carried << " values but has " << getNumResults() << " results";
  if (block.getNumArguments() != carried + 1)
    return emitOpError() << "body takes " << block.getNumArguments() << " values; the trip number and " << carried
                         << " carried ones are given";
  SmallVector<Type> expected{RankedTensorType::get({}, IntegerType::get(getContext(), 1))};
  llvm::append_range(expected, TypeRange(getResultTypes()).take_front(carried));
  for (Type stacked : TypeRange(getResultTypes()).drop_front(carried)) {
    auto type = cast<RankedTensorType>(stacked);
    if (type.getRank() < 1)
      return emitOpError() << "stacks per-trip values into " << type << ", which has no first dimension";
    expected.push_back(RankedTensorType::get(type.getShape().drop_front(), type.getElementType()));
  }
  return checkYield(*this, "body", block, expected);
}

LogicalResult KernelOp::verify() { return checkYield(*this, "body", getBody().front(), getResultTypes()); }

LogicalResult RelayoutOp::verify() {
  if (!isRefinement(getInput().getType(), getResult().getType()))
    return emitOpError() << "changes more than the layout: " << getInput().getType() << " to " << getResult().getType();
  for (RankedTensorType type : {getInput().getType(), getResult().getType()}) {
    auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
    if (type.getEncoding() && !layout)
      return emitOpError() << "has an unknown layout: " << type;
    if (layout &&
        (static_cast<int64_t>(layout.getOrder().size()) != type.getRank() || !isPermutationVector(layout.getOrder())))
      return emitOpError() << "has a layout that is not an order of the dimensions: " << type;
  }
  return success();
}

bool RelayoutOp::isView() {
  auto type = getInput().getType();
  return keepsMemory(type, getResult().getType(), llvm::to_vector(llvm::seq<int64_t>(type.getRank())));
}

OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<RelayoutOp>())
    if (inner.getInput().getType() == getResult().getType())
      return inner.getInput();
  return {};
}
