//===- CopiesToLoops.cpp - Copies of buffers as loops ---------------------===//
//
// LLVM has no strided copy: upstream would call a library function the runtime does not have.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/KernelsToLoops/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace hone::kernels_to_loops {
#define GEN_PASS_DEF_COPIESTOLOOPSPASS
#include "passes/Conversion/KernelsToLoops/Passes.h.inc"
} // namespace hone::kernels_to_loops

using namespace mlir;
using namespace hone;

namespace {

struct CopiesToLoopsPass final : kernels_to_loops::impl::CopiesToLoopsPassBase<CopiesToLoopsPass> {
  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp copy) {
      // Results that were computed where they belong.
      if (copy.getSource() == copy.getTarget())
        return copy.erase();
      OpBuilder builder(copy);
      int64_t rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
      AffineMap identity = builder.getMultiDimIdentityMap(rank);
      SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
      linalg::GenericOp::create(builder, copy.getLoc(), ValueRange{copy.getSource()}, ValueRange{copy.getTarget()},
                                ArrayRef<AffineMap>{identity, identity}, iterators,
                                [](OpBuilder &body, Location loc, ValueRange elements) {
                                  linalg::YieldOp::create(body, loc, elements.front());
                                });
      copy.erase();
    });
  }
};

} // namespace
