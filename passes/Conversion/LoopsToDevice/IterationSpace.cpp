//===- IterationSpace.cpp - Iterations of a parallel loop -----------------===//

#include "passes/Conversion/LoopsToDevice/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

IterationSpace::IterationSpace(OpBuilder &builder, scf::ParallelOp loop) : loop(loop) {
  Location loc = loop.getLoc();
  for (auto [low, high, step] : llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    Value distance = builder.createOrFold<arith::SubIOp>(loc, high, low);
    Value extent = builder.createOrFold<arith::CeilDivSIOp>(loc, distance, step);
    // A loop from 3 to 1 does nothing: it must not make the count of two such loops positive.
    if (!getConstantIntValue(extent)) {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      extent = builder.createOrFold<arith::MaxSIOp>(loc, extent, zero);
    } else if (*getConstantIntValue(extent) < 0) {
      extent = arith::ConstantIndexOp::create(builder, loc, 0);
    }
    extents.push_back(extent);
  }
  total = arith::ConstantIndexOp::create(builder, loc, 1);
  for (Value extent : extents)
    total = builder.createOrFold<arith::MulIOp>(loc, total, extent);
}

SmallVector<Value> IterationSpace::positions(OpBuilder &builder, Value number) {
  Location loc = loop.getLoc();
  // Divisions of 64 bits are many instructions on a device.
  auto count = getConstantIntValue(total);
  bool isNarrow = count && llvm::isInt<32>(*count) && extents.size() > 1;
  Type narrow = builder.getI32Type(), index = builder.getIndexType();
  Value rest = isNarrow ? arith::IndexCastOp::create(builder, loc, narrow, number).getResult() : number;
  SmallVector<Value> result(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    auto constant = getConstantIntValue(extents[i]);
    Value at = rest;
    if (i > 0 && constant != 1) {
      Value extent = extents[i];
      if (isNarrow)
        extent = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(*constant));
      Value quotient = arith::DivUIOp::create(builder, loc, rest, extent);
      at = arith::SubIOp::create(builder, loc, rest, arith::MulIOp::create(builder, loc, quotient, extent));
      rest = quotient;
    } else if (constant == 1) {
      at = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(rest.getType(), 0));
    }
    if (isNarrow)
      at = builder.createOrFold<arith::IndexCastOp>(loc, index, at);
    Value scaled = builder.createOrFold<arith::MulIOp>(loc, at, loop.getStep()[i]);
    result[i] = builder.createOrFold<arith::AddIOp>(loc, scaled, loop.getLowerBound()[i]);
  }
  return result;
}

void IterationSpace::cloneBody(OpBuilder &builder, Value number) {
  IRMapping mapping;
  mapping.map(loop.getInductionVars(), positions(builder, number));
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
}

std::optional<int64_t> loops_to_device::trips(Value low, Value high, Value step) {
  auto first = getConstantIntValue(low), end = getConstantIntValue(high), by = getConstantIntValue(step);
  if (!first || !end || !by || *by <= 0)
    return std::nullopt;
  return *end <= *first ? 0 : llvm::divideCeil(*end - *first, *by);
}

scf::ParallelOp loops_to_device::strideLoop(scf::ParallelOp loop, Value slots) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  IterationSpace space(builder, loop);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto strided = scf::ParallelOp::create(builder, loc, ValueRange{zero}, ValueRange{slots}, ValueRange{one});
  builder.setInsertionPointToStart(strided.getBody());
  auto turns = scf::ForOp::create(builder, loc, strided.getInductionVars()[0], space.count(), slots);
  builder.setInsertionPointToStart(turns.getBody());
  space.cloneBody(builder, turns.getInductionVar());
  loop.erase();
  return strided;
}
