//===- PlanInterpreter.cpp - Executes the plan dialect --------------------===//

#include "test/unit/Serialization/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::test;

namespace {

class PlanInterpreter {
public:
  PlanInterpreter(const RunInputs &inputs) : inputs(inputs) {}
  RunResult run(plan::ProgramOp program) {
    runBlock(*program.getBodyBlock());
    for (auto [index, bytes] : outputs)
      result.outputs[index].assign(bytes.data, bytes.data + bytes.size);
    return std::move(result);
  }

private:
  bool runBlock(Block &block) {
    for (Operation &op : block)
      if (!runOp(op))
        return false;
    return true;
  }
  bool runOp(Operation &op);
  bool runArith(Operation &op);
  bool runLoop(plan::LoopOp op);
  void assign(Value target, Value source) {
    if (isa<plan::BufferType>(target.getType()))
      buffers[target] = buffers.lookup(source);
    else
      integers[target] = integers.lookup(source);
  }
  int64_t i(Value value) { return integers.lookup(value); }

  const RunInputs &inputs;
  RunResult result;
  Heap heap;
  DenseMap<Value, int64_t> integers;
  DenseMap<Value, Bytes> buffers;
  std::map<int64_t, Bytes> outputs, growing;
};

} // namespace

bool PlanInterpreter::runArith(Operation &op) {
  auto lhs = [&] { return i(op.getOperand(0)); };
  auto rhs = [&] { return i(op.getOperand(1)); };
  std::optional<int64_t> value =
      llvm::TypeSwitch<Operation *, std::optional<int64_t>>(&op)
          .Case([&](arith::ConstantOp constant) {
            auto attr = cast<IntegerAttr>(constant.getValue());
            return attr.getType().isInteger(1) ? int64_t(attr.getValue() != 0) : attr.getInt();
          })
          .Case([&](arith::AddIOp) { return lhs() + rhs(); })
          .Case([&](arith::SubIOp) { return lhs() - rhs(); })
          .Case([&](arith::MulIOp) { return lhs() * rhs(); })
          .Case([&](arith::AndIOp) { return lhs() & rhs(); })
          .Case([&](arith::RemSIOp) { return lhs() % rhs(); })
          .Case([&](arith::MaxSIOp) { return std::max(lhs(), rhs()); })
          .Case([&](arith::CmpIOp cmp) {
            return int64_t(
                arith::applyCmpPredicate(cmp.getPredicate(), APInt(64, lhs(), true), APInt(64, rhs(), true)));
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!value)
    return false;
  integers[op.getResult(0)] = *value;
  return true;
}

bool PlanInterpreter::runLoop(plan::LoopOp op) {
  auto yield = cast<plan::YieldOp>(op.getBodyBlock()->back());
  for (auto [argument, init] : llvm::zip(op.getCarriedArgs(), op.getInits()))
    assign(argument, init);
  int64_t go = i(op.getCondition());
  for (int64_t trip = 0; go && trip < i(op.getTrips()); ++trip) {
    integers[op.getInductionVar()] = trip;
    if (!runBlock(*op.getBodyBlock()))
      return false;
    go = i(yield.getValues()[0]);
    DenseMap<Value, int64_t> oldIntegers = integers;
    DenseMap<Value, Bytes> oldBuffers = buffers;
    for (auto [argument, next] : llvm::zip(op.getCarriedArgs(), yield.getValues().drop_front())) {
      if (isa<plan::BufferType>(argument.getType()))
        buffers[argument] = oldBuffers.lookup(next);
      else
        integers[argument] = oldIntegers.lookup(next);
    }
  }
  for (auto [outcome, argument] : llvm::zip(op.getResults(), op.getCarriedArgs()))
    assign(outcome, argument);
  return true;
}

bool PlanInterpreter::runOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](plan::InputOp input) {
        const auto &bytes = inputs.buffers[input.getIndex()];
        buffers[input] = {const_cast<uint8_t *>(bytes.data()), int64_t(bytes.size())};
        return true;
      })
      .Case([&](plan::InputDimOp dim) {
        integers[dim] = inputs.dims[dim.getInput()][dim.getDim()];
        return true;
      })
      .Case([&](plan::OutputBufferOp output) {
        outputs[output.getIndex()] = buffers[output] = heap.get(i(output.getBytes()), 0xAB);
        return true;
      })
      .Case([&](plan::OutputDimOp dim) {
        result.dims[{dim.getOutput(), dim.getDim()}] = i(dim.getValue());
        return true;
      })
      .Case([&](plan::ConstantOp constant) {
        auto values = cast<DenseElementsAttr>(constant.getValue());
        Bytes bytes = heap.get(values.getNumElements(), 0);
        for (auto [k, value] : llvm::enumerate(values.getValues<APInt>()))
          bytes.data[k] = value.getZExtValue();
        buffers[constant] = bytes;
        return true;
      })
      .Case([&](plan::AllocOp alloc) {
        buffers[alloc] = heap.get(i(alloc.getBytes()), 0xCD);
        return true;
      })
      .Case([&](plan::GrowOp grow) {
        Bytes &memory = growing[grow.getMemory()], larger = heap.get(i(grow.getBytes()), 0xCD);
        if (memory.size)
          std::memcpy(larger.data, memory.data, std::min(memory.size, larger.size));
        memory = buffers[grow] = larger;
        return true;
      })
      .Case([&](plan::ViewOp view) {
        Bytes base = buffers[view.getSource()];
        buffers[view] = {base.data + i(view.getOffset()), i(view.getBytes())};
        return true;
      })
      .Case([&](plan::LaunchOp launch) {
        SmallVector<Bytes> ranges;
        SmallVector<int64_t> scalars;
        for (Value buffer : launch.getBuffers())
          ranges.push_back(buffers[buffer]);
        for (Value scalar : launch.getScalars())
          scalars.push_back(i(scalar));
        runKernel(launch.getKernel(), ranges, scalars);
        return true;
      })
      .Case([&](plan::CopyOp copy) {
        std::memmove(buffers[copy.getTarget()].data, buffers[copy.getSource()].data, i(copy.getBytes()));
        return true;
      })
      .Case([&](plan::FillOp fill) {
        std::memset(buffers[fill.getTarget()].data, i(fill.getByte()), i(fill.getBytes()));
        return true;
      })
      .Case([&](plan::LoadOp load) {
        integers[load] = buffers[load.getSource()].data[i(load.getIndex())];
        return true;
      })
      .Case([&](plan::StoreOp store) {
        buffers[store.getTarget()].data[i(store.getIndex())] = i(store.getValue());
        return true;
      })
      .Case([&](plan::CheckOp check) {
        if (!i(check.getCondition()))
          result.error = check.getMessage();
        return i(check.getCondition()) != 0;
      })
      .Case([&](plan::IfOp branch) {
        Block &taken = i(branch.getCondition()) ? *branch.thenBlock() : *branch.elseBlock();
        if (!runBlock(taken))
          return false;
        for (auto [outcome, value] : llvm::zip(branch.getResults(), taken.back().getOperands()))
          assign(outcome, value);
        return true;
      })
      .Case([&](plan::LoopOp loop) { return runLoop(loop); })
      .Case([&](plan::YieldOp) { return true; })
      .Default([&](Operation *other) {
        if (runArith(*other))
          return true;
        result.error = "unknown op " + other->getName().getStringRef().str();
        return false;
      });
}

RunResult hone::test::runPlan(plan::ProgramOp program, const RunInputs &inputs) {
  return PlanInterpreter(inputs).run(program);
}
