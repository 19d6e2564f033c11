//===- EmitContractions.cpp - Tiled matrix products -----------------------===//

#include "backends/CUDA/Kernels/ContractionKernel.h"
#include "backends/CUDA/Kernels/Epilogue.h"
#include "backends/CUDA/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hone::cuda {
#define GEN_PASS_DEF_EMITCONTRACTIONSPASS
#include "backends/CUDA/Kernels/Passes.h.inc"
} // namespace hone::cuda

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

/// Below this many terms, or rows times columns of one product, tiles hardly use what they load more than once.
static constexpr int64_t kLeastDepth = 8, kLeastArea = 64;

/// Whether tiles pay, by what is known of the extents.
static bool isWorthTiles(const Contraction &contraction) {
  auto count = [&](Group group) { return contraction.shapes[group].count().value_or(kUsualExtent); };
  // One filter a channel, and the like: products of a few numbers each.
  bool isNarrow = count(Batch) > 1 && (count(Rows) < 4 || count(Columns) < 4);
  return count(Sums) >= kLeastDepth && count(Rows) * count(Columns) >= kLeastArea && !isNarrow;
}

namespace {

struct EmitContractionsPass final : cuda::impl::EmitContractionsPassBase<EmitContractionsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetInfo info = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    auto precision = module->getAttrOfType<StringAttr>(kPrecisionAttribute);
    bool allowTF32 = precision && precision.getValue() == "tf32";
    for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      bool isGraph = !kernel.isDeclaration() && !kernel.isPrivate() &&
                     llvm::any_of(kernel.getResultTypes(), llvm::IsaPred<RankedTensorType>);
      if (isGraph && failed(emitKernel(kernel, info, allowTF32)))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult emitKernel(func::FuncOp kernel, const TargetInfo &info, bool allowTF32) {
    SmallVector<Operation *> contractions;
    kernel.walk([&](graph::ContractionOpInterface op) { contractions.push_back(op); });
    if (contractions.size() != 1 || !hasElementwiseEpilogue(kernel, contractions[0]))
      return success();
    KernelFunctions functions(kernel);
    std::optional<Contraction> contraction = analyzeContraction(contractions[0], functions.extents);
    if (!contraction || !isWorthTiles(*contraction))
      return success();
    return ContractionKernel(functions, *contraction, info, allowTF32).emit();
  }
};

} // namespace
