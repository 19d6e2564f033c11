//===- ExpandMath.cpp - f32 functions as arithmetic -----------------------===//
//
// A call in a loop keeps it from being vectorized. What has no polynomial here (f64, rare functions)
// becomes a call of the C library, which the runtime resolves.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hone::kernels_to_loops {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "passes/Conversion/KernelsToLoops/Passes.h.inc"
} // namespace hone::kernels_to_loops

using namespace mlir;
using namespace hone;

namespace {

struct ExpandMathPass final : kernels_to_loops::impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      // Floor, ceil and round are instructions; the others lose too many digits: near their poles, and sine, cosine
      // and arc tangent up to 200 ulp near their zeros.
      return llvm::is_contained(
          {"math.exp", "math.expm1", "math.log", "math.log1p", "math.log2", "math.tanh", "math.erf"}, name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
