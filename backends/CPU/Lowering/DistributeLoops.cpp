//===- DistributeLoops.cpp - Outer parallel loops become the grid ---------===//

#include "backends/CPU/Lowering/Pipeline.h"
#include "passes/Conversion/KernelsToLoops/LaunchFunction.h"

#include "lib/Support/UserError.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hone::cpu {
#define GEN_PASS_DEF_DISTRIBUTELOOPSPASS
#include "backends/CPU/Lowering/Passes.h.inc"
} // namespace hone::cpu

using namespace mlir;
using namespace hone;
using namespace hone::cpu;
using kernels_to_loops::LaunchFunction;

/// Elements a work item should at least touch: below that, handing it out costs more than doing it.
static constexpr int64_t kElementsPerItem = 4096;
/// Allocations up to this many bytes live on the stack.
static constexpr int64_t kStackBytes = 32 << 10;

namespace {

/// Copies index arithmetic to the start of the kernel itself.
class EntryCopy {
public:
  EntryCopy(func::FuncOp kernel) : builder(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  /// `value`, which LaunchFunction::copy could copy, computed at the start of the kernel.
  Value copy(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    if (auto dim = dyn_cast<memref::DimOp>(op))
      if (auto alloc = dim.getSource().getDefiningOp<memref::AllocOp>())
        return copy(alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(*dim.getConstantIndex())]);
    for (Value operand : op->getOperands())
      copy(operand);
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

  OpBuilder builder;

private:
  IRMapping mapping;
};

struct DistributeLoopsPass final : cpu::impl::DistributeLoopsPassBase<DistributeLoopsPass> {
  void runOnOperation() override;

private:
  LogicalResult distributeKernel(func::FuncOp kernel);
};

} // namespace

/// The only loop with work of the kernel, if that is an scf.parallel.
static scf::ParallelOp onlyParallelLoop(func::FuncOp kernel) {
  scf::ParallelOp found;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if ((isMemoryEffectFree(&op) && op.getNumRegions() == 0) ||
        isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op))
      continue;
    auto loop = dyn_cast<scf::ParallelOp>(op);
    if (!loop || found || loop.getNumReductions() != 0)
      return nullptr;
    found = loop;
  }
  return found;
}

/// Bytes of an allocation of `type` at `builder`, rounded up to a cache line; null when `extentOf`
/// cannot give a run-time extent.
static Value allocationBytes(OpBuilder &builder, memref::AllocOp op, llvm::function_ref<Value(Value)> extentOf) {
  MemRefType type = op.getType();
  int64_t fixed = std::max(1u, type.getElementTypeBitWidth() / 8);
  for (int64_t extent : type.getShape())
    fixed *= ShapedType::isDynamic(extent) ? 1 : extent;
  Location loc = op.getLoc();
  Value size = arith::ConstantIndexOp::create(builder, loc, fixed);
  for (Value extent : op.getDynamicSizes()) {
    Value factor = extentOf(extent);
    if (!factor)
      return nullptr;
    size = arith::MulIOp::create(builder, loc, size, factor);
  }
  Value line = arith::ConstantIndexOp::create(builder, loc, 64);
  Value lines = arith::CeilDivSIOp::create(builder, loc, size, line);
  return arith::MulIOp::create(builder, loc, lines, line);
}

/// Moves small allocations to the stack and the others into one scratch buffer, a further argument
/// of the kernel. Returns the bytes of that buffer in the launch function; null is a failure.
static Value placeAllocations(func::FuncOp kernel, LaunchFunction &launch) {
  Block &body = kernel.getBody().front();
  SmallVector<memref::AllocOp> large;
  kernel.walk([](memref::DeallocOp op) { op.erase(); });
  kernel.walk([&](memref::AllocOp op) {
    MemRefType type = op.getType();
    if (!type.hasStaticShape() ||
        type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8) > kStackBytes) {
      large.push_back(op);
      return;
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    auto local = memref::AllocaOp::create(builder, op.getLoc(), type);
    local.setAlignment(64);
    op.replaceAllUsesWith(local.getResult());
    op.erase();
  });
  Value total = launch.constant(0);
  if (large.empty())
    return total;

  auto bytes = MemRefType::get({ShapedType::kDynamic}, IntegerType::get(kernel.getContext(), 8));
  Value scratch = body.addArgument(bytes, kernel.getLoc());
  EntryCopy entry(kernel);
  Value offset = arith::ConstantIndexOp::create(entry.builder, kernel.getLoc(), 0);
  for (memref::AllocOp op : large) {
    Value size = allocationBytes(launch.getBuilder(), op, [&](Value extent) { return launch.copy(extent); });
    if (!size) {
      emitUserError(op.getLoc())
          << "needs memory whose size depends on data; what decides about it must be a constant, or follow "
             "from the extents of inputs";
      return nullptr;
    }
    total = arith::AddIOp::create(launch.getBuilder(), op.getLoc(), total, size);
    Value local = allocationBytes(entry.builder, op, [&](Value extent) { return entry.copy(extent); });
    OpBuilder builder(op);
    Value view = memref::ViewOp::create(builder, op.getLoc(), op.getType(), scratch, offset, op.getDynamicSizes());
    offset = arith::AddIOp::create(entry.builder, op.getLoc(), offset, local);
    op.replaceAllUsesWith(view);
    op.erase();
  }
  return total;
}

/// Runs the outer loops of `loop` over the work items from `begin` to `end`. Returns how many items
/// there are, in the launch function; null when its bounds depend on data.
static Value distribute(scf::ParallelOp loop, LaunchFunction &launch, Value begin, Value end) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  OpBuilder &outer = launch.getBuilder();
  unsigned numLoops = loop.getNumLoops(), numOuter = std::max(1u, numLoops - 1);
  SmallVector<Value> extents, launchExtents;
  for (unsigned i = 0; i < numLoops; ++i) {
    Value low = launch.copy(loop.getLowerBound()[i]), high = launch.copy(loop.getUpperBound()[i]),
          step = launch.copy(loop.getStep()[i]);
    if (!low || !high || !step)
      return nullptr;
    launchExtents.push_back(arith::CeilDivSIOp::create(outer, loc, arith::SubIOp::create(outer, loc, high, low), step));
    Value distance = arith::SubIOp::create(builder, loc, loop.getUpperBound()[i], loop.getLowerBound()[i]);
    extents.push_back(arith::CeilDivSIOp::create(builder, loc, distance, loop.getStep()[i]));
  }
  auto product = [&](OpBuilder &b, ArrayRef<Value> factors) {
    Value result = arith::ConstantIndexOp::create(b, loc, 1);
    for (Value factor : factors)
      result = arith::MulIOp::create(b, loc, result, factor);
    return result;
  };
  // Iterations per item: enough for kElementsPerItem elements. The same arithmetic on both sides.
  auto perItem = [&](OpBuilder &b, ArrayRef<Value> all) {
    Value inner = numLoops > 1 ? all.back() : arith::ConstantIndexOp::create(b, loc, 1).getResult();
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value wanted = arith::ConstantIndexOp::create(b, loc, kElementsPerItem);
    return arith::CeilDivSIOp::create(b, loc, wanted, arith::MaxSIOp::create(b, loc, inner, one)).getResult();
  };
  Value items = arith::CeilDivSIOp::create(
      outer, loc, product(outer, ArrayRef<Value>(launchExtents).take_front(numOuter)), perItem(outer, launchExtents));
  Value count = product(builder, ArrayRef<Value>(extents).take_front(numOuter)), size = perItem(builder, extents);
  Value first = arith::MulIOp::create(builder, loc, begin, size);
  Value last = arith::MinSIOp::create(builder, loc, count, arith::MulIOp::create(builder, loc, end, size));
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto flat = scf::ForOp::create(builder, loc, first, last, one);
  builder.setInsertionPointToStart(flat.getBody());

  // The flat iteration number back to one position per outer loop.
  SmallVector<Value> positions(numLoops);
  Value rest = flat.getInductionVar();
  for (unsigned i = numOuter; i-- > 0;) {
    Value at = rest;
    if (i > 0) {
      at = arith::RemUIOp::create(builder, loc, rest, extents[i]);
      rest = arith::DivUIOp::create(builder, loc, rest, extents[i]);
    }
    positions[i] = arith::AddIOp::create(builder, loc, loop.getLowerBound()[i],
                                         arith::MulIOp::create(builder, loc, at, loop.getStep()[i]));
  }
  if (numLoops > 1) {
    auto inner = scf::ForOp::create(builder, loc, loop.getLowerBound().back(), loop.getUpperBound().back(),
                                    loop.getStep().back());
    positions.back() = inner.getInductionVar();
    builder.setInsertionPointToStart(inner.getBody());
  }
  IRMapping mapping;
  mapping.map(loop.getInductionVars(), positions);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  loop.erase();
  return items;
}

LogicalResult DistributeLoopsPass::distributeKernel(func::FuncOp kernel) {
  LaunchFunction launch(kernel);
  Block &body = kernel.getBody().front();
  scf::ParallelOp loop = onlyParallelLoop(kernel);
  Value scratch = placeAllocations(kernel, launch);
  if (!scratch)
    return failure();
  // Work items run at the same time, and there is one scratch buffer: a loop that takes memory from it in every
  // iteration stays in one piece.
  bool shares = false;
  if (loop)
    loop.walk([&](memref::ViewOp) { shares = true; });
  Value begin = body.addArgument(IndexType::get(&getContext()), kernel.getLoc());
  Value end = body.addArgument(IndexType::get(&getContext()), kernel.getLoc());
  SmallVector<DictionaryAttr> attributes;
  kernel.getAllArgAttrs(attributes);
  attributes.resize(body.getNumArguments(), DictionaryAttr::get(&getContext()));
  kernel.setFunctionType(FunctionType::get(&getContext(), body.getArgumentTypes(), {}));
  kernel.setAllArgAttrs(attributes);
  Value items = loop && !shares ? distribute(loop, launch, begin, end) : Value();
  launch.finish(scratch, {{kernel.getName().str(), items ? items : launch.constant(1)}});
  return success();
}

void DistributeLoopsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && !function.getName().ends_with(graph_to_plan::kLaunchSuffix) &&
        !module.lookupSymbol((function.getName() + graph_to_plan::kLaunchSuffix).str()))
      kernels.push_back(function);
  // All of them: each error names other nodes.
  for (func::FuncOp kernel : kernels)
    if (failed(distributeKernel(kernel)))
      signalPassFailure();
}
