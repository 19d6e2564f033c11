//===- ControlFlow.cpp - Branches and loops of a program ------------------===//

#include "lib/Support/UserError.h"
#include "passes/Conversion/GraphToPlan/PlanBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::graph_to_plan;

/// Whether `extent` has the same value before `loop` and in every trip.
static bool isInvariant(Extent extent, LoopOp loop) {
  Value value = extent->value;
  if (value && loop->isAncestor(value.getParentBlock()->getParentOp()))
    return false;
  return llvm::all_of(extent->operands, [&](Extent operand) { return !operand || isInvariant(operand, loop); });
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

FailureOr<Value> PlanBuilder::scalarOf(Value tensor, Location loc) {
  auto elements = extents.elements(tensor);
  if (!elements || elements->size() != 1)
    return emitUserError(loc) << "needs an integer scalar, but has " << tensor.getType();
  Value value = index(elements->front(), loc);
  return value ? FailureOr<Value>(value) : FailureOr<Value>();
}

FailureOr<Value> PlanBuilder::conditionOf(Value tensor, Location loc) {
  FailureOr<Value> number = scalarOf(tensor, loc);
  if (failed(number))
    return failure();
  return Value(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, *number, constantIndex(0, loc)));
}

LogicalResult PlanBuilder::convertIf(IfOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> condition = conditionOf(op.getCondition(), loc);
  if (failed(condition))
    return failure();
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    types.push_back(plan::BufferType::get(module.getContext()));
    types.append(cast<RankedTensorType>(result.getType()).getNumDynamicDims(), builder.getIndexType());
  }
  auto branch = plan::IfOp::create(builder, loc, types, *condition);
  for (auto [from, to] :
       {std::pair(&op.getThenRegion(), branch.thenBlock()), std::pair(&op.getElseRegion(), branch.elseBlock())}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    scopes.emplace_back();
    if (failed(convertBlock(from->front())))
      return failure();
    SmallVector<Value> yielded;
    for (auto [value, result] : llvm::zip(from->front().getTerminator()->getOperands(), op.getResults())) {
      FailureOr<Value> buffer = bufferOf(value);
      if (failed(buffer))
        return failure();
      yielded.push_back(*buffer);
      llvm::append_range(yielded, dynamicDims(value, result, loc));
    }
    if (llvm::is_contained(yielded, Value()))
      return failure();
    plan::YieldOp::create(builder, loc, yielded);
    scopes.pop_back();
  }
  unsigned next = 0;
  for (Value result : op.getResults()) {
    unsigned dynamic = cast<RankedTensorType>(result.getType()).getNumDynamicDims();
    buffers[result] = branch.getResult(next);
    bindDims(result, branch.getResults().slice(next + 1, dynamic));
    next += 1 + dynamic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool isConstantTrue(Value condition) {
  DenseElementsAttr value;
  return matchPattern(condition, m_Constant(&value)) && value.isSplat() && value.getElementType().isInteger(1) &&
         value.getSplatValue<bool>();
}

/// Whether memory for all trips can be asked for before the first: either all of them run, or it is little.
bool PlanBuilder::hasRoomForAllTrips(LoopOp op, Value tensor) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  if (isConstantTrue(op.getCondition()) && isConstantTrue(yield.getOperand(0)))
    return true;
  auto type = cast<RankedTensorType>(tensor.getType());
  auto elements = extents.elements(op.getTrips());
  std::optional<int64_t> trips = elements ? constantExtent(elements->front()) : std::nullopt;
  constexpr int64_t kLittle = 64 << 20;
  return trips && type.hasStaticShape() && *trips <= kLittle && type.getNumElements() <= kLittle &&
         *trips * type.getNumElements() <= kLittle / storageBytes(type.getElementType());
}

/// Makes room for the per-trip values `tensor`, or has the loop carry what growing memory needs to know: the bytes of
/// one value, then its extents.
FailureOr<LoopStack> PlanBuilder::openStack(LoopOp op, Value tensor, Value trips, SmallVectorImpl<Value> &inits) {
  Location loc = op.getLoc();
  LoopStack stack;
  stack.tensor = tensor;
  for (auto [d, extent] : llvm::enumerate(extents.dims(tensor)))
    if (!isInvariant(extent, op))
      stack.dims.push_back(d);
  if (stack.dims.empty() && hasRoomForAllTrips(op, tensor)) {
    stack.stride = bytesOf(tensor, loc);
    if (!stack.stride)
      return failure();
    Value count = arith::MaxSIOp::create(builder, loc, trips, constantIndex(0, loc));
    stack.buffer = plan::AllocOp::create(builder, loc, arith::MulIOp::create(builder, loc, stack.stride, count));
    return stack;
  }
  stack.memory = numGrowing++;
  stack.carried = inits.size();
  inits.append(1 + stack.dims.size(), constantIndex(0, loc));
  return stack;
}

/// Puts the value of this trip behind those of the trips before.
LogicalResult PlanBuilder::pushToStack(const LoopStack &stack, plan::LoopOp loop, SmallVectorImpl<Value> &yielded) {
  Location loc = loop.getLoc();
  FailureOr<Value> buffer = bufferOf(stack.tensor);
  if (failed(buffer))
    return failure();
  Value trip = loop.getInductionVar(), stride = stack.stride, all = stack.buffer;
  if (!all) {
    stride = bytesOf(stack.tensor, loc);
    if (!stride)
      return failure();
    yielded.push_back(stride);
    for (auto [i, d] : llvm::enumerate(stack.dims)) {
      Value dim = index(extents.dim(stack.tensor, d), loc);
      if (!dim)
        return failure();
      Value before = loop.getCarriedArgs()[stack.carried + 1 + i];
      Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, trip, constantIndex(0, loc));
      Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, dim, before);
      plan::CheckOp::create(builder, loc, arith::OrIOp::create(builder, loc, isFirst, same),
                            "a result that is collected over the trips changes its extents from trip to trip");
      yielded.push_back(dim);
    }
    Value count = arith::AddIOp::create(builder, loc, trip, constantIndex(1, loc));
    all = plan::GrowOp::create(builder, loc, stack.memory, arith::MulIOp::create(builder, loc, count, stride));
  }
  Value offset = arith::MulIOp::create(builder, loc, trip, stride);
  Value slot = plan::ViewOp::create(builder, loc, all, offset, stride);
  plan::CopyOp::create(builder, loc, *buffer, slot, stride);
  return success();
}

/// Behind the loop: the values of all trips are the bytes of `result`.
void PlanBuilder::closeStack(const LoopStack &stack, plan::LoopOp loop, Value result) {
  Location loc = loop.getLoc();
  Value count = loop.getResult(0), buffer = stack.buffer;
  if (!buffer) {
    // A copy: the memory is needed again when the loop is inside of another.
    Value total = arith::MulIOp::create(builder, loc, count, loop.getResult(stack.carried));
    Value all = plan::GrowOp::create(builder, loc, stack.memory, total);
    buffer = plan::AllocOp::create(builder, loc, total);
    plan::CopyOp::create(builder, loc, all, buffer, total);
  }
  buffers[result] = buffer;
  SmallVector<Value> dims;
  auto type = cast<RankedTensorType>(result.getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    auto *carried = llvm::find(stack.dims, d - 1);
    if (d == 0)
      dims.push_back(count);
    else if (carried != stack.dims.end())
      dims.push_back(loop.getResult(stack.carried + 1 + (carried - stack.dims.begin())));
    else
      dims.push_back(index(extents.dim(stack.tensor, d - 1), loc));
  }
  bindDims(result, dims);
}

/// Gives the carried `tensors` their buffers and extents.
void PlanBuilder::bindCarried(ValueRange tensors, ValueRange values) {
  for (Value tensor : tensors) {
    unsigned dynamic = cast<RankedTensorType>(tensor.getType()).getNumDynamicDims();
    buffers[tensor] = values.front();
    bindDims(tensor, values.slice(1, dynamic));
    values = values.drop_front(1 + dynamic);
  }
}

/// Appends buffer and extents of `values`, carried by a loop as `results`.
LogicalResult PlanBuilder::appendCarried(ValueRange values, ValueRange results, Location loc,
                                         SmallVectorImpl<Value> &list) {
  for (auto [value, result] : llvm::zip(values, results)) {
    FailureOr<Value> buffer = bufferOf(value);
    if (failed(buffer))
      return failure();
    list.push_back(*buffer);
    llvm::append_range(list, dynamicDims(value, result, loc));
  }
  return failure(llvm::is_contained(list, Value()));
}

LogicalResult PlanBuilder::convertLoop(LoopOp op) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  unsigned carried = op.getInits().size();
  ValueRange results = op.getResults();
  FailureOr<Value> trips = scalarOf(op.getTrips(), loc), condition = conditionOf(op.getCondition(), loc);
  if (failed(trips) || failed(condition))
    return failure();

  // The number of trips so far, the carried tensors, what the stacks need.
  SmallVector<Value> inits{constantIndex(0, loc)};
  if (failed(appendCarried(op.getInits(), results, loc, inits)))
    return failure();
  SmallVector<LoopStack> stacks;
  for (Value tensor : yield.getOperands().drop_front(1 + carried)) {
    FailureOr<LoopStack> stack = openStack(op, tensor, *trips, inits);
    if (failed(stack))
      return failure();
    stacks.push_back(*stack);
  }
  auto loop = plan::LoopOp::create(builder, loc, *trips, *condition, inits);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBodyBlock());
    scopes.emplace_back();
    boundScalars[body.getArgument(0)] = loop.getInductionVar();
    SmallVector<Value> arguments(loop.getCarriedArgs().begin() + 1, loop.getCarriedArgs().end());
    bindCarried(body.getArguments().drop_front(), arguments);
    if (failed(convertBlock(body)))
      return failure();
    FailureOr<Value> again = conditionOf(yield.getOperand(0), loc);
    if (failed(again))
      return failure();
    Value count = arith::AddIOp::create(builder, loc, loop.getInductionVar(), constantIndex(1, loc));
    SmallVector<Value> yielded{*again, count};
    if (failed(appendCarried(yield.getOperands().slice(1, carried), results, loc, yielded)))
      return failure();
    for (const LoopStack &stack : stacks)
      if (failed(pushToStack(stack, loop, yielded)))
        return failure();
    plan::YieldOp::create(builder, loc, yielded);
    scopes.pop_back();
  }
  SmallVector<Value> outcomes(loop.getResults().begin() + 1, loop.getResults().end());
  bindCarried(results.take_front(carried), outcomes);
  for (auto [stack, result] : llvm::zip(stacks, results.drop_front(carried)))
    closeStack(stack, loop, result);
  return success();
}
