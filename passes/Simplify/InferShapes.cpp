//===- InferShapes.cpp - Makes types as static as operands allow ----------===//

#include "dialects/Graph/IR/Graph.h"
#include "lib/Support/UserError.h"
#include "passes/Simplify/Passes.h"
#include "passes/Simplify/Refinement.h"

using namespace mlir;
using namespace hone::graph;

namespace hone::simplify {

#define GEN_PASS_DEF_INFERSHAPESPASS
#include "passes/Simplify/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Extents are cached by value, types change under them: `fresh` forgets.
class Inference {
public:
  LogicalResult run(Block &block);

private:
  LogicalResult runOp(Operation *op);
  LogicalResult runIf(IfOp op);
  LogicalResult runLoop(LoopOp op);
  LogicalResult setType(Operation *op, Value value, RankedTensorType type);
  void fresh() { extents = std::make_unique<ExtentBuilder>(); }

  std::unique_ptr<ExtentBuilder> extents = std::make_unique<ExtentBuilder>();
};

} // namespace

LogicalResult Inference::setType(Operation *op, Value value, RankedTensorType type) {
  RankedTensorType merged = refined(typeOf(value), type);
  if (!merged)
    return emitUserError(op->getLoc()) << "has type " << value.getType() << " where its operands give " << type;
  value.setType(merged);
  return success();
}

LogicalResult Inference::run(Block &block) {
  for (Operation &op : block)
    if (failed(runOp(&op)))
      return failure();
  return success();
}

LogicalResult Inference::runOp(Operation *op) {
  if (auto branch = dyn_cast<IfOp>(op))
    return runIf(branch);
  if (auto loop = dyn_cast<LoopOp>(op))
    return runLoop(loop);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(run(block)))
        return failure();
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    auto yield = kernel.getBody().front().getTerminator();
    for (auto [result, value] : llvm::zip_equal(op->getResults(), yield->getOperands()))
      if (failed(setType(op, result, typeOf(value))))
        return failure();
    return success();
  }
  auto shaped = dyn_cast<ShapedOpInterface>(op);
  if (!shaped)
    return success();
  SmallVector<TensorShape> shapes;
  if (failed(shaped.resultShapes(*extents, shapes)))
    return failure();
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes))
    if (failed(setType(op, result, tensorType(shape))))
      return failure();
  return success();
}

LogicalResult Inference::runIf(IfOp op) {
  Block &thenBlock = op.getThenRegion().front();
  Block &elseBlock = op.getElseRegion().front();
  if (failed(run(thenBlock)) || failed(run(elseBlock)))
    return failure();
  Operation *a = thenBlock.getTerminator(), *b = elseBlock.getTerminator();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (failed(setType(op, result, joined(typeOf(a->getOperand(i)), typeOf(b->getOperand(i))))))
      return failure();
  return success();
}

/// Types of everything inside of `op`, to go back to.
static SmallVector<std::pair<Value, Type>> typesInside(Operation *op) {
  SmallVector<std::pair<Value, Type>> types;
  for (Region &region : op->getRegions())
    region.walk<WalkOrder::PreOrder>([&](Block *block) {
      for (BlockArgument argument : block->getArguments())
        types.emplace_back(argument, argument.getType());
      for (Operation &inner : *block)
        for (Value result : inner.getResults())
          types.emplace_back(result, result.getType());
    });
  return types;
}

/// Starts with the types of the inits and gives up what the body does not
/// keep, until nothing changes.
LogicalResult Inference::runLoop(LoopOp op) {
  Block &body = op.getBody().front();
  auto before = typesInside(op);
  SmallVector<RankedTensorType> carried;
  for (auto [init, argument] : llvm::zip_equal(op.getInits(), body.getArguments().drop_front()))
    carried.push_back(typeOf(init));
  Operation *yield = body.getTerminator();
  while (true) {
    for (auto [argument, type] : llvm::zip_equal(body.getArguments().drop_front(), carried))
      argument.setType(type);
    fresh();
    if (failed(run(body)))
      return failure();
    bool stable = true;
    for (auto [i, type] : llvm::enumerate(carried)) {
      auto both = joined(type, typeOf(yield->getOperand(i + 1)));
      stable &= both == type;
      type = both;
    }
    if (stable)
      break;
    for (auto [value, type] : before)
      value.setType(type);
  }
  fresh();
  for (auto [i, type] : llvm::enumerate(carried))
    if (failed(setType(op, op.getResult(i), type)))
      return failure();
  for (unsigned i = carried.size(); i < op.getNumResults(); ++i) {
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    auto each = typeOf(yield->getOperand(i + 1));
    llvm::append_range(shape, each.getShape());
    if (failed(setType(op, op.getResult(i), RankedTensorType::get(shape, each.getElementType()))))
      return failure();
  }
  return success();
}

namespace {

struct InferShapesPass final : impl::InferShapesPassBase<InferShapesPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    Inference inference;
    for (Block &block : function.getBody())
      if (failed(inference.run(block)))
        return signalPassFailure();
    updateResultTypes(function);
  }
};

} // namespace
} // namespace hone::simplify
