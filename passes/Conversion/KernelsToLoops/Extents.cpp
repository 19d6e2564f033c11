//===- Extents.cpp - Arithmetic on extents of buffers ---------------------===//

#include "passes/Conversion/KernelsToLoops/Extents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace hone;

OpFoldResult kernels_to_loops::product(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> factors) {
  int64_t constant = 1;
  Value rest;
  for (OpFoldResult factor : factors) {
    if (auto number = getConstantIntValue(factor)) {
      constant *= *number;
      continue;
    }
    Value value = cast<Value>(factor);
    rest = rest ? arith::MulIOp::create(builder, loc, rest, value).getResult() : value;
  }
  if (!rest || constant == 0)
    return builder.getIndexAttr(constant);
  if (constant == 1)
    return rest;
  return arith::MulIOp::create(builder, loc, rest, arith::ConstantIndexOp::create(builder, loc, constant)).getResult();
}
