//===- DistributeThreads.cpp - Stages as code of one thread ---------------===//

#include "passes/Conversion/LoopsToDevice/IterationSpace.h"
#include "passes/Conversion/LoopsToDevice/Passes.h"
#include "passes/Conversion/LoopsToDevice/SerialStage.h"
#include "passes/Conversion/LoopsToDevice/TeamFold.h"

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

namespace hone::loops_to_device {
#define GEN_PASS_DEF_DISTRIBUTETHREADSPASS
#include "passes/Conversion/LoopsToDevice/Passes.h.inc"
} // namespace hone::loops_to_device

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

/// Every thread of the grid runs one iteration of `loop`.
static void distributeGrid(scf::ParallelOp loop, int64_t workgroupSize) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  IterationSpace space(builder, loop);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value size = arith::ConstantIndexOp::create(builder, loc, workgroupSize);
  Value number = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, block, size), thread);
  Value isInside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, number, space.count());
  auto guard = scf::IfOp::create(builder, loc, isInside, /*withElseRegion=*/false);
  OpBuilder inside = guard.getThenBodyBuilder();
  space.cloneBody(inside, number);
  loop.erase();
}

/// Every workgroup of the grid runs iterations of `loop`, in turn where there are very many.
static void distributeTeams(scf::ParallelOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  IterationSpace space(builder, loop);
  Value number = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  auto count = getConstantIntValue(space.count());
  if (!count || *count > kMostTeams) {
    Value step = arith::ConstantIndexOp::create(builder, loc, kMostTeams);
    auto turns = scf::ForOp::create(builder, loc, number, space.count(), step);
    builder.setInsertionPointToStart(turns.getBody());
    number = turns.getInductionVar();
  }
  space.cloneBody(builder, number);
  loop.erase();
}

/// Runs the parallel loops inside of `function`, which are all for one thread by now, in order.
static LogicalResult serializeLoops(func::FuncOp function) {
  SmallVector<scf::ParallelOp> loops;
  function.walk([&](scf::ParallelOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(function.getContext());
  for (scf::ParallelOp loop : loops) {
    rewriter.setInsertionPoint(loop);
    if (loop.getNumReductions() != 0)
      return loop.emitOpError("has results; no stage can have such a loop");
    if (failed(scf::parallelForToNestedFors(rewriter, loop)))
      return failure();
  }
  return success();
}

namespace {

struct DistributeThreadsPass final : loops_to_device::impl::DistributeThreadsPassBase<DistributeThreadsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto size = function->getAttrOfType<IntegerAttr>(graph_to_plan::kWorkgroupSizeAttribute);
    if (!size || function.isDeclaration())
      return;
    auto module = function->getParentOfType<ModuleOp>();
    unsigned lanes = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute)).subgroupSize;
    if (function->removeAttr(kGridAttribute)) {
      auto loops = function.getBody().front().getOps<scf::ParallelOp>();
      if (!llvm::hasSingleElement(loops) || (*loops.begin()).getNumReductions() != 0) {
        function.emitOpError("is a grid, but not one parallel loop");
        return signalPassFailure();
      }
      if (function->removeAttr(kTeamAttribute)) {
        distributeTeams(*loops.begin());
        SerialStage(function, size.getInt(), lanes).run();
      } else {
        distributeGrid(*loops.begin(), size.getInt());
      }
    } else if (size.getInt() > 1) {
      SerialStage(function, size.getInt(), lanes).run();
    }
    if (failed(serializeLoops(function)))
      signalPassFailure();
  }
};

} // namespace
