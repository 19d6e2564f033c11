//===- SequentialLoops.cpp - Parallel loops of a work item, in order ------===//
//
// LLVM unrolls loops around vectorized ones completely as long as the whole is small enough. That gains nothing where
// the inner loop is work enough, and it costs: DenseNet-121, whose Concat nodes are up to 24 such nests in a kernel,
// took twice as long to compile (27 s, now 13).
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Lowering/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

namespace hone::cpu {
#define GEN_PASS_DEF_SEQUENTIALLOOPSPASS
#include "backends/CPU/Lowering/Passes.h.inc"
} // namespace hone::cpu

using namespace mlir;
using namespace hone;

/// Iterations of an innermost loop beside which the next iteration of the loop around it costs nothing.
static constexpr int64_t kEnoughIterations = 16;
/// The attribute of LLVM's branches, which the conversions between here and there hand on.
static constexpr llvm::StringLiteral kLoopAnnotation = "loop_annotation";

namespace {

struct SequentialLoopsPass final : cpu::impl::SequentialLoopsPassBase<SequentialLoopsPass> {
  void runOnOperation() override;
};

} // namespace

/// Whether `loop` iterates often enough, as far as is known when compiling.
static bool isEnough(scf::ForOp loop) {
  std::optional<llvm::APInt> iterations = loop.getStaticTripCount();
  return !iterations || iterations->sge(kEnoughIterations);
}

void SequentialLoopsPass::runOnOperation() {
  SmallVector<scf::ParallelOp> loops;
  getOperation().walk([&](scf::ParallelOp loop) { loops.push_back(loop); });
  MLIRContext *context = &getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  IRRewriter rewriter(context);
  for (scf::ParallelOp loop : loops) {
    FailureOr<scf::LoopNest> nest = scf::parallelForToNestedFors(rewriter, loop);
    if (failed(nest))
      return signalPassFailure();
    if (isEnough(nest->loops.back()))
      for (scf::ForOp outer : llvm::drop_end(nest->loops))
        outer->setDiscardableAttr(kLoopAnnotation, annotation);
  }
}
