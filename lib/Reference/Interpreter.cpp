//===- Interpreter.cpp - Slow, obvious execution of the graph dialect -----===//
//
// Ops without regions come from the table; control flow is here.
//
//===----------------------------------------------------------------------===//

#include "lib/Reference/Interpreter.h"
#include "lib/Reference/Indexing.h"
#include "lib/Reference/OpTable.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace hone::graph;

namespace hone::reference {
namespace {

/// Values of one run.
class Run {
public:
  explicit Run(const Observer *observer = nullptr) : observer(observer) {}

  void set(Value value, const Tensor &tensor) {
    tensors[value] = tensor;
    if (observer)
      (*observer)(value, tensor);
  }
  Results runOp(Operation *op, Operands operands);
  /// Runs the ops of `block`; the operands of its terminator.
  Results runBlock(Block &block, Operands arguments);

private:
  Results runIf(IfOp op, Operands operands);
  Results runLoop(LoopOp op, Operands operands);
  Results stack(LoopOp op, ArrayRef<SmallVector<Tensor>> trips);
  Results collect(Operation *op);
  LogicalResult checkResults(Operation *op, Operands results);
  void forgetUnused(Block &block, Operation *done);

  DenseMap<Value, Tensor> tensors;
  const Observer *observer;
};

} // namespace

/// A constant's tensor, for values that are not part of the run.
static std::optional<Tensor> constantTensor(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  return Tensor::fromAttr(dyn_cast<ElementsAttr>(attribute));
}

Results Run::collect(Operation *op) {
  SmallVector<Tensor> operands;
  for (Value value : op->getOperands()) {
    auto found = tensors.find(value);
    if (found != tensors.end()) {
      operands.push_back(found->second);
      continue;
    }
    std::optional<Tensor> constant = constantTensor(value);
    if (!constant)
      return op->emitError("an operand is not known before the run");
    operands.push_back(*constant);
  }
  return operands;
}

LogicalResult Run::checkResults(Operation *op, Operands results) {
  if (results.size() != op->getNumResults())
    return op->emitError() << "gives " << results.size() << " results instead of " << op->getNumResults();
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(), results)) {
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getElementType() != tensor.getElementType() ||
        failed(verifyCompatibleShape(type.getShape(), tensor.getShape())))
      return op->emitError() << "computes " << tensor.getType() << " where its type is " << type;
  }
  return success();
}

/// Drops tensors whose last user in `block` is `done`.
void Run::forgetUnused(Block &block, Operation *done) {
  auto isLast = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      return inBlock && !done->isBeforeInBlock(inBlock);
    });
  };
  SmallVector<Value> candidates(done->getOperands());
  for (Region &region : done->getRegions())
    region.walk([&](Operation *inner) { llvm::append_range(candidates, inner->getOperands()); });
  llvm::append_range(candidates, done->getResults());
  for (Value value : candidates)
    if (value.getParentBlock() == &block && isLast(value))
      tensors.erase(value);
}

Results Run::runBlock(Block &block, Operands arguments) {
  for (auto [argument, tensor] : llvm::zip(block.getArguments(), arguments))
    set(argument, tensor);
  for (Operation &op : block.without_terminator()) {
    Results operands = collect(&op);
    if (failed(operands))
      return failure();
    Results results = runOp(&op, *operands);
    if (failed(results))
      return failure();
    for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
      set(value, tensor);
    forgetUnused(block, &op);
  }
  return collect(block.getTerminator());
}

Results Run::runOp(Operation *op, Operands operands) {
  Results results = failure();
  if (auto branch = dyn_cast<IfOp>(op))
    results = runIf(branch, operands);
  else if (auto loop = dyn_cast<LoopOp>(op))
    results = runLoop(loop, operands);
  else if (auto kernel = dyn_cast<KernelOp>(op))
    results = runBlock(kernel.getBody().front(), {});
  else if (const OpTable::Function *function = OpTable::get().find(op))
    results = (*function)(op, operands);
  else
    return op->emitError("the reference interpreter does not know this op");
  if (failed(results) || failed(checkResults(op, *results)))
    return failure();
  return results;
}

Results Run::runIf(IfOp op, Operands operands) {
  bool taken = operands[0].asInt(0) != 0;
  return runBlock((taken ? op.getThenRegion() : op.getElseRegion()).front(), {});
}

Results Run::runLoop(LoopOp op, Operands operands) {
  int64_t limit = operands[0].asInt(0);
  bool proceed = operands[1].asInt(0) != 0;
  SmallVector<Tensor> carried(operands.drop_front(2));
  SmallVector<SmallVector<Tensor>> trips;
  Type index = IntegerType::get(op.getContext(), 64);
  for (int64_t trip = 0; trip < limit && proceed; ++trip) {
    SmallVector<Tensor> arguments;
    arguments.push_back(*Tensor::fromInts(index, {}, {trip}));
    arguments.append(carried);
    Results yielded = runBlock(op.getBody().front(), arguments);
    if (failed(yielded))
      return failure();
    proceed = yielded->front().asInt(0) != 0;
    Operands rest = Operands(*yielded).drop_front();
    carried.assign(rest.begin(), rest.begin() + carried.size());
    trips.emplace_back(rest.drop_front(carried.size()));
  }
  Results stacked = stack(op, trips);
  if (failed(stacked))
    return failure();
  llvm::append_range(carried, *stacked);
  return carried;
}

/// The per-trip values along a new first dimension.
Results Run::stack(LoopOp op, ArrayRef<SmallVector<Tensor>> trips) {
  SmallVector<Tensor> results;
  unsigned carried = op.getInits().size();
  for (unsigned n = 0; n < op.getNumStacked(); ++n) {
    auto type = cast<RankedTensorType>(op.getResult(carried + n).getType());
    Shape shape(type.getShape());
    if (!trips.empty())
      shape.assign(trips[0][n].getShape().begin(), trips[0][n].getShape().end());
    else if (!shape.empty())
      shape.erase(shape.begin());
    for (int64_t &extent : shape)
      extent = std::max<int64_t>(extent, 0); // unknown without any trip
    Shape each = shape;
    shape.insert(shape.begin(), static_cast<int64_t>(trips.size()));
    Result all = allocate(op, type.getElementType(), shape);
    if (failed(all))
      return failure();
    size_t offset = 0;
    for (const SmallVector<Tensor> &trip : trips) {
      if (trip[n].getShape() != ArrayRef<int64_t>(each))
        return op.emitError() << "stacks " << shapeText(each) << " and " << shapeText(trip[n].getShape())
                              << " in one result";
      ArrayRef<char> from = trip[n].bytes();
      llvm::copy(from, all->mutableBytes().begin() + offset);
      offset += from.size();
    }
    results.push_back(*all);
  }
  return results;
}

static Results interpretWith(func::FuncOp main, Operands inputs, const Observer *observer) {
  if (main.isExternal() || !main.getBody().hasOneBlock())
    return main.emitError("has no single block to interpret");
  if (inputs.size() != main.getNumArguments())
    return main.emitError() << "takes " << main.getNumArguments() << " inputs, got " << inputs.size();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto type = dyn_cast<RankedTensorType>(main.getArgument(i).getType());
    if (!type || type.getElementType() != input.getElementType() ||
        failed(verifyCompatibleShape(type.getShape(), input.getShape())))
      return main.emitError() << "takes " << main.getArgument(i).getType() << " as input " << i << ", got "
                              << input.getType();
  }
  return Run(observer).runBlock(main.getBody().front(), inputs);
}

Results interpret(func::FuncOp main, ArrayRef<Tensor> inputs) { return interpretWith(main, inputs, nullptr); }

Results interpret(func::FuncOp main, ArrayRef<Tensor> inputs, const Observer &observer) {
  return interpretWith(main, inputs, &observer);
}

Results evaluate(Operation *op, ArrayRef<Tensor> operands) { return Run().runOp(op, operands); }

Result evaluateElement(Operation *op, ArrayRef<Tensor> operands) {
  const OpTable::Function *function = OpTable::get().find(op);
  if (!function || !isa<ElementwiseOpInterface>(op))
    return op->emitError("is not a function of elements");
  Results results = (*function)(op, operands);
  if (failed(results))
    return failure();
  return results->front();
}

bool isEvaluable(Operation *op) {
  auto known = [](Operation *each) {
    return isa<IfOp, LoopOp, KernelOp, YieldOp>(each) || OpTable::get().find(each) != nullptr;
  };
  return isMemoryEffectFree(op) && !op->walk([&](Operation *each) {
                                        return known(each) ? WalkResult::advance() : WalkResult::interrupt();
                                      }).wasInterrupted();
}

} // namespace hone::reference
