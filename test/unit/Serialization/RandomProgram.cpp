//===- RandomProgram.cpp - Random valid plans -----------------------------===//
//
// Buffers of constant sizes, of sizes computed from dimensions and from loaded
// bytes; views, in-place launches, branches and loops that yield buffers of
// their own, of others and in turn. Every byte is written before it is read.
//
//===----------------------------------------------------------------------===//

#include "test/unit/Serialization/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <random>

using namespace mlir;
using namespace hone;
using namespace hone::test;

namespace {

struct Buffer {
  Value value, size;
  bool writable;
};

/// What is visible; copied where a region begins.
struct Scope {
  std::vector<Buffer> buffers;
  std::vector<Value> integers; ///< small and not negative
};

class Generator {
public:
  Generator(plan::ProgramOp program, uint64_t seed)
      : program(program), random(seed), b(OpBuilder::atBlockEnd(program.getBodyBlock())),
        loc(UnknownLoc::get(program.getContext())) {}
  void run();

private:
  uint64_t pick(uint64_t below) { return random() % below; }
  const Buffer &anyBuffer(Scope &s) { return s.buffers[pick(s.buffers.size())]; }
  Value anyInteger(Scope &s) { return s.integers[pick(s.integers.size())]; }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value flag(Scope &s) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, anyInteger(s), index(pick(6)));
  }
  Value small(Value value) { return arith::AndIOp::create(b, loc, value, index(3)); }

  Buffer newBuffer(Scope &s);
  void write(Scope &s, const Buffer &target);
  void addView(Scope &s);
  void addLoad(Scope &s);
  void addIf(Scope &s, int depth);
  void addLoop(Scope &s, int depth);
  void addOps(Scope &s, int depth, int count);

  plan::ProgramOp program;
  std::mt19937_64 random;
  int64_t growing = 0;
  OpBuilder b;
  Location loc;
};

} // namespace

/// Fills a buffer that nothing is known to be in.
void Generator::write(Scope &s, const Buffer &target) {
  SmallVector<Buffer> same;
  for (const Buffer &other : s.buffers)
    if (other.size == target.size && other.value != target.value)
      same.push_back(other);
  Value one = index(1);
  if (!same.empty() && pick(2)) {
    Buffer x = same[pick(same.size())], y = same[pick(same.size())];
    plan::LaunchOp::create(b, loc, "mix2", one, {x.value, y.value, target.value}, {anyInteger(s)}, {2},
                           {{0, 2}, {1, 2}});
    return;
  }
  if (!same.empty() && pick(3) == 0) {
    Buffer x = same[pick(same.size())];
    plan::LaunchOp::create(b, loc, "half", one, {x.value, pick(2) ? x.value : anyBuffer(s).value, target.value}, {},
                           {2}, {{0, 2}});
    return;
  }
  if (!same.empty() && pick(2)) {
    plan::LaunchOp::create(b, loc, "mix1", one, {same[pick(same.size())].value, target.value}, {}, {1}, {{0, 1}});
    return;
  }
  plan::LaunchOp::create(b, loc, "hash", one, {anyBuffer(s).value, target.value}, {anyInteger(s)}, {1});
}

Buffer Generator::newBuffer(Scope &s) {
  Value size;
  if (pick(4) == 0)
    size = anyBuffer(s).size;
  else if (pick(3) == 0)
    size = arith::MulIOp::create(b, loc, anyInteger(s), index(1 + pick(40)));
  else
    size = index(40 * (1 + pick(4)));
  Buffer buffer{plan::AllocOp::create(b, loc, size), size, true};
  write(s, buffer);
  return buffer;
}

void Generator::addView(Scope &s) {
  const Buffer &base = anyBuffer(s);
  Value view = plan::ViewOp::create(b, loc, base.value, index(0), base.size);
  s.buffers.push_back({view, base.size, base.writable});
}

void Generator::addLoad(Scope &s) {
  // The first input and constant have bytes at all times.
  Value byte =
      plan::LoadOp::create(b, loc, s.buffers[pick(2)].value, anyInteger(s), b.getIntegerType(8, /*isSigned=*/false));
  s.integers.push_back(small(byte));
}

void Generator::addIf(Scope &s, int depth) {
  bool yields = pick(3) != 0;
  SmallVector<Type> types;
  if (yields)
    types = {plan::BufferType::get(b.getContext()), b.getIndexType(), b.getIndexType()};
  Value condition = flag(s);
  auto op = plan::IfOp::create(b, loc, types, condition);
  bool writable = true;
  for (Block *block : {op.thenBlock(), op.elseBlock()}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(block);
    Scope inner = s;
    addOps(inner, depth + 1, pick(4));
    SmallVector<Value> values;
    if (yields) {
      if (pick(2))
        inner.buffers.push_back(newBuffer(inner));
      const Buffer &last = pick(2) ? inner.buffers.back() : anyBuffer(inner);
      writable &= last.writable;
      values = {last.value, last.size, anyInteger(inner)};
    }
    plan::YieldOp::create(b, loc, values);
  }
  if (yields) {
    s.buffers.push_back({op.getResult(0), op.getResult(1), writable});
    s.integers.push_back(op.getResult(2));
  }
}

void Generator::addLoop(Scope &s, int depth) {
  // Pairs of a buffer and its size, then one integer.
  unsigned carried = pick(4);
  SmallVector<Value> inits;
  for (unsigned i = 0; i < carried; ++i) {
    const Buffer &init = anyBuffer(s);
    inits.append({init.value, init.size});
  }
  inits.push_back(anyInteger(s));
  // A growing memory that takes what one of the buffers holds in every trip.
  std::optional<int64_t> memory;
  Buffer stacked = s.buffers[pick(2)];
  if (pick(3) == 0) {
    memory = growing++;
    inits.push_back(index(0));
  }
  Value trips = pick(2) ? small(anyInteger(s)) : index(pick(4));
  Value condition = pick(4) ? arith::ConstantIntOp::create(b, loc, 1, 1).getResult() : flag(s);
  auto op = plan::LoopOp::create(b, loc, trips, condition, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(op.getBodyBlock());
    Scope inner = s;
    inner.integers.push_back(op.getInductionVar());
    inner.integers.push_back(op.getCarriedArgs()[2 * carried]);
    for (unsigned i = 0; i < carried; ++i)
      inner.buffers.push_back({op.getCarriedArgs()[2 * i], op.getCarriedArgs()[2 * i + 1], false});
    addOps(inner, depth + 1, pick(5));
    Value go = pick(3) ? arith::ConstantIntOp::create(b, loc, 1, 1).getResult() : flag(inner);
    SmallVector<Value> values{go};
    for (unsigned i = 0; i < carried; ++i) {
      // New bytes, those of another carried value, or any.
      unsigned other = pick(carried);
      Buffer next = pick(2)   ? newBuffer(inner)
                    : pick(2) ? Buffer{op.getCarriedArgs()[2 * other], op.getCarriedArgs()[2 * other + 1], false}
                              : anyBuffer(inner);
      values.append({next.value, next.size});
    }
    values.push_back(small(anyInteger(inner)));
    if (memory) {
      Value end = arith::AddIOp::create(b, loc, op.getCarriedArgs().back(), stacked.size);
      Value all = plan::GrowOp::create(b, loc, *memory, end);
      Value slot = plan::ViewOp::create(b, loc, all, op.getCarriedArgs().back(), stacked.size);
      plan::CopyOp::create(b, loc, stacked.value, slot, stacked.size);
      values.push_back(end);
    }
    plan::YieldOp::create(b, loc, values);
  }
  if (memory) {
    Value size = op.getResults().back();
    Value all = plan::GrowOp::create(b, loc, *memory, size);
    Value copy = plan::AllocOp::create(b, loc, size);
    plan::CopyOp::create(b, loc, all, copy, size);
    s.buffers.push_back({copy, size, true});
  }
  for (unsigned i = 0; i < carried; ++i)
    s.buffers.push_back({op.getResult(2 * i), op.getResult(2 * i + 1), false});
  s.integers.push_back(op.getResult(2 * carried));
}

void Generator::addOps(Scope &s, int depth, int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t kind = pick(depth < 3 ? 12 : 9);
    if (kind < 5) {
      s.buffers.push_back(newBuffer(s));
    } else if (kind == 5) {
      addView(s);
    } else if (kind == 6) {
      addLoad(s);
    } else if (kind == 7) {
      const Buffer &target = anyBuffer(s);
      if (target.writable)
        plan::FillOp::create(b, loc, target.value, anyInteger(s), target.size);
    } else if (kind == 8) {
      s.integers.push_back(small(arith::AddIOp::create(b, loc, anyInteger(s), anyInteger(s))));
    } else if (kind < 11) {
      addIf(s, depth);
    } else {
      addLoop(s, depth);
    }
  }
}

void Generator::run() {
  Scope s;
  Value n = plan::InputDimOp::create(b, loc, 0, 0);
  auto bytes = RankedTensorType::get({24}, b.getI8Type());
  SmallVector<int8_t> values(24);
  for (int8_t &value : values)
    value = random();
  s.integers = {n, index(1), index(2)};
  s.buffers = {{plan::InputOp::create(b, loc, 0), index(16), false},
               {plan::ConstantOp::create(b, loc, DenseElementsAttr::get<int8_t>(bytes, values)), index(24), false}};
  for (int64_t output = 0; output < 3; ++output) {
    addOps(s, 0, 2 + pick(8));
    const Buffer &source = pick(2) ? s.buffers.back() : anyBuffer(s);
    plan::OutputDimOp::create(b, loc, output, 0, source.size);
    Value target = plan::OutputBufferOp::create(b, loc, output, source.size);
    plan::CopyOp::create(b, loc, source.value, target, source.size);
  }
  addOps(s, 0, pick(4));
}

plan::ProgramOp hone::test::buildRandomProgram(ModuleOp module, uint64_t seed) {
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = UnknownLoc::get(context);
  auto code = DenseElementsAttr::get(RankedTensorType::get({4}, b.getI8Type()), b.getI8IntegerAttr(1));
  plan::ExecutableOp::create(b, loc, "code", "cpu", "elf", b.getArrayAttr({}), code);
  auto addKernel = [&](StringRef name, unsigned buffers, unsigned scalars) {
    plan::KernelOp::create(b, loc, name, StringAttr(), "code", buffers, scalars, b.getArrayAttr({}));
  };
  addKernel("mix2", 3, 1);
  addKernel("mix1", 2, 0);
  addKernel("half", 3, 0);
  addKernel("hash", 2, 1);
  Type u8 = b.getIntegerType(8, /*isSigned=*/false);
  auto run = [&](StringRef name) {
    return plan::TensorAttr::get(context, name, u8, {plan::DimAttr::get(context, "")});
  };
  auto program = plan::ProgramOp::create(
      b, loc, "main", "cpu",
      ArrayRef<plan::TensorAttr>{
          plan::TensorAttr::get(context, "x", u8, {plan::DimAttr::get(context, "N"), plan::DimAttr::get(context, 16)})},
      ArrayRef<plan::TensorAttr>{run("a"), run("b"), run("c")});
  Generator(program, seed).run();
  return program;
}
