//===- ScratchMemory.cpp - Memory of a kernel beside its operands ---------===//

#include "passes/Conversion/LoopsToDevice/ScratchMemory.h"

#include "lib/Support/UserError.h"
#include "passes/Conversion/LoopsToDevice/IterationSpace.h"
#include "passes/Conversion/LoopsToDevice/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

/// Parts of scratch memory start at multiples of this.
static constexpr int64_t kAlignment = 64;
/// Allocations of one thread up to this many bytes live on its stack.
static constexpr int64_t kPrivateBytes = 512;
/// What slices of one loop take at most, unless a single one takes more.
static constexpr int64_t kSliceBytes = 64 << 20;

ScratchMemory::ScratchMemory(func::FuncOp kernel, kernels_to_loops::LaunchFunction &launch, unsigned serialThreads)
    : kernel(kernel), launch(launch), serialThreads(serialThreads),
      entry(OpBuilder::atBlockBegin(&kernel.getBody().front())), launchEnd(launch.constant(0)) {}

void ScratchMemory::makeBuffer() {
  if (buffer)
    return;
  unsigned position = kernel.getNumArguments() - scalarsOf(kernel).size();
  auto type = MemRefType::get({ShapedType::kDynamic}, entry.getI8Type());
  (void)kernel.insertArgument(position, type, DictionaryAttr(), kernel.getLoc());
  buffer = kernel.getArgument(position);
  end = arith::ConstantIndexOp::create(entry, kernel.getLoc(), 0);
}

/// `value`, index arithmetic that the launch function could copy, at the start of the kernel.
Value ScratchMemory::hoist(Value value) {
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  for (Value operand : op->getOperands())
    hoist(operand);
  entry.clone(*op, hoisted);
  return hoisted.lookup(value);
}

/// The size of `op`, rounded up.
FailureOr<ScratchMemory::Bytes> ScratchMemory::sizeOf(memref::AllocOp op) {
  MemRefType type = op.getType();
  Location loc = op.getLoc();
  int64_t fixed = elementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && llvm::MulOverflow(fixed, std::max<int64_t>(extent, 1), fixed))
      return emitUserError(loc) << "needs more memory than can be addressed";
  SmallVector<Value> launchExtents, extents;
  for (Value extent : op.getDynamicSizes()) {
    launchExtents.push_back(launch.copy(extent));
    if (!launchExtents.back())
      return emitUserError(loc)
             << "needs memory whose size depends on data; what decides about it must be a constant, or follow "
                "from the extents of inputs";
    extents.push_back(hoist(extent));
  }
  auto compute = [&](OpBuilder &builder, ArrayRef<Value> factors) {
    Value size = arith::ConstantIndexOp::create(builder, loc, fixed);
    for (Value factor : factors)
      size = builder.createOrFold<arith::MulIOp>(loc, size, factor);
    Value unit = arith::ConstantIndexOp::create(builder, loc, kAlignment);
    Value units = builder.createOrFold<arith::CeilDivSIOp>(loc, size, unit);
    return builder.createOrFold<arith::MulIOp>(loc, units, unit);
  };
  return Bytes{compute(entry, extents), compute(launch.getBuilder(), launchExtents)};
}

/// The offset of `bytes` more bytes, at the start of the kernel.
Value ScratchMemory::reserve(Bytes bytes) {
  makeBuffer();
  Value offset = end;
  end = entry.createOrFold<arith::AddIOp>(kernel.getLoc(), end, bytes.here);
  launchEnd = launch.getBuilder().createOrFold<arith::AddIOp>(kernel.getLoc(), launchEnd, bytes.launch);
  return offset;
}

Value ScratchMemory::reserveScalar(Location loc, Type type) {
  Value offset = reserve({arith::ConstantIndexOp::create(entry, loc, kAlignment), launch.constant(kAlignment)});
  return memref::ViewOp::create(entry, loc, MemRefType::get({1}, type), buffer, offset, ValueRange());
}

LogicalResult ScratchMemory::placeShared(memref::AllocOp op) {
  FailureOr<Bytes> bytes = sizeOf(op);
  if (failed(bytes))
    return failure();
  Value offset = reserve(*bytes);
  OpBuilder builder(op);
  auto view = memref::ViewOp::create(builder, op.getLoc(), op.getType(), buffer, offset, op.getDynamicSizes());
  op.replaceAllUsesWith(view.getResult());
  op.erase();
  return success();
}

/// Gives what iterations of `loop` allocate a slice for each of as many threads as fit, which take the iterations
/// in turn.
LogicalResult ScratchMemory::placeSlices(scf::ParallelOp loop) {
  Location loc = loop.getLoc();
  OpBuilder before(loop), &outer = launch.getBuilder();
  Value count = IterationSpace(before, loop).count();
  // Only the grid of a launch can be larger than a workgroup.
  Value launchCount = isa<func::FuncOp>(loop->getParentOp()) ? launch.copy(count) : Value();
  Bytes limit{launchCount ? hoist(count) : arith::ConstantIndexOp::create(entry, loc, serialThreads).getResult(),
              launchCount ? launchCount : launch.constant(serialThreads)};

  SmallVector<memref::AllocOp> allocations;
  loop.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  SmallVector<Bytes> sizes;
  Bytes slice{arith::ConstantIndexOp::create(entry, loc, 0), launch.constant(0)};
  for (memref::AllocOp op : allocations) {
    FailureOr<Bytes> bytes = sizeOf(op);
    if (failed(bytes))
      return failure();
    sizes.push_back(*bytes);
    slice = {entry.createOrFold<arith::AddIOp>(loc, slice.here, bytes->here),
             outer.createOrFold<arith::AddIOp>(loc, slice.launch, bytes->launch)};
  }
  auto slotsOf = [&](OpBuilder &builder, Value bytes, Value most) {
    Value budget = arith::ConstantIndexOp::create(builder, loc, kSliceBytes);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value divisor = builder.createOrFold<arith::MaxSIOp>(loc, bytes, one);
    Value fitting = builder.createOrFold<arith::DivSIOp>(loc, budget, divisor);
    fitting = builder.createOrFold<arith::MinSIOp>(loc, fitting, most);
    return builder.createOrFold<arith::MaxSIOp>(loc, fitting, one);
  };
  Bytes slots{slotsOf(entry, slice.here, limit.here), slotsOf(outer, slice.launch, limit.launch)};
  Value offset = reserve({entry.createOrFold<arith::MulIOp>(loc, slots.here, slice.here),
                          outer.createOrFold<arith::MulIOp>(loc, slots.launch, slice.launch)});

  // Seen from inside: the slice of the slot, then each allocation's part of it.
  scf::ParallelOp strided = strideLoop(loop, slots.here);
  OpBuilder inside = OpBuilder::atBlockBegin(strided.getBody());
  Value shift = arith::MulIOp::create(inside, loc, strided.getInductionVars()[0], slice.here);
  Value at = arith::AddIOp::create(inside, loc, offset, shift);
  size_t next = 0;
  strided.walk([&](memref::AllocOp op) {
    OpBuilder builder(op);
    auto view = memref::ViewOp::create(builder, op.getLoc(), op.getType(), buffer, at, op.getDynamicSizes());
    op.replaceAllUsesWith(view.getResult());
    at = arith::AddIOp::create(inside, loc, at, sizes[next++].here);
    op.erase();
  });
  return success();
}

LogicalResult ScratchMemory::placeAllocations() {
  kernel.walk([](memref::DeallocOp op) { op.erase(); });
  SmallVector<memref::AllocOp> shared;
  llvm::SetVector<Operation *> sliced;
  OpBuilder stack = OpBuilder::atBlockBegin(&kernel.getBody().front());
  kernel.walk([&](memref::AllocOp op) {
    scf::ParallelOp outermost;
    for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
      if (auto loop = dyn_cast<scf::ParallelOp>(parent))
        outermost = loop;
    MemRefType type = op.getType();
    if (!outermost) {
      shared.push_back(op);
    } else if (type.hasStaticShape() && type.getNumElements() <= kPrivateBytes / elementBytes(type.getElementType())) {
      op.replaceAllUsesWith(memref::AllocaOp::create(stack, op.getLoc(), type).getResult());
      op.erase();
    } else {
      sliced.insert(outermost);
    }
  });
  for (memref::AllocOp op : shared)
    if (failed(placeShared(op)))
      return failure();
  for (Operation *loop : sliced)
    if (failed(placeSlices(cast<scf::ParallelOp>(loop))))
      return failure();
  return success();
}
