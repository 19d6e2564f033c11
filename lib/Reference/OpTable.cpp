//===- OpTable.cpp - Which function computes which op ---------------------===//

#include "lib/Reference/OpTable.h"
#include "lib/Reference/Indexing.h"

using namespace mlir;

namespace hone::reference {

const OpTable &OpTable::get() {
  static const OpTable *table = [] {
    auto *made = new OpTable;
    for (auto add : {addElementwise, addConversions, addContractions, addConvolutions, addWindows, addReductions,
                     addSelections, addMovement, addGathers, addResize, addSampling})
      add(*made);
    return made;
  }();
  return *table;
}

const OpTable::Function *OpTable::find(Operation *op) const {
  auto found = functions.find(op->getName().getTypeID());
  return found == functions.end() ? nullptr : &found->second;
}

Result allocate(Operation *op, Type element, ArrayRef<int64_t> shape) {
  std::optional<Tensor> tensor = Tensor::zeros(element, shape);
  if (!tensor)
    return op->emitError() << "cannot make a tensor of " << shapeText(shape) << " elements of type " << element;
  return *tensor;
}

Result fromDoubles(Operation *op, Type element, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  Result result = allocate(op, element, shape);
  if (succeeded(result))
    result->setDoubles(values);
  return result;
}

Result fromInts(Operation *op, Type element, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  Result result = allocate(op, element, shape);
  if (succeeded(result))
    result->setInts(values);
  return result;
}

FailureOr<int64_t> checkedDim(Operation *op, int64_t dim, int64_t rank) {
  int64_t positive = dim < 0 ? dim + rank : dim;
  if (positive < 0 || positive >= rank)
    return op->emitError() << "dimension " << dim << " is out of range for a tensor of rank " << rank;
  return positive;
}

Type resultElement(Operation *op, unsigned result) {
  return cast<ShapedType>(op->getResult(result).getType()).getElementType();
}

} // namespace hone::reference
