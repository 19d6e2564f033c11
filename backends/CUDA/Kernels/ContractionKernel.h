//===- ContractionKernel.h - A contraction as tiles -------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_KERNELS_CONTRACTIONKERNEL_H
#define BACKENDS_CUDA_KERNELS_CONTRACTIONKERNEL_H

#include "backends/CUDA/Kernels/Contraction.h"
#include "backends/CUDA/Kernels/KernelFunctions.h"
#include "backends/CUDA/Kernels/Tiles.h"

namespace hone::cuda {

/// What an extent that is only known when run counts as when a tile is chosen.
inline constexpr int64_t kUsualExtent = 4096;

/// One kernel on its way from a graph op to tiles.
class ContractionKernel {
public:
  ContractionKernel(KernelFunctions &functions, const Contraction &contraction, const TargetInfo &info, bool allowTF32)
      : functions(functions), c(contraction), info(info), allowTF32(allowTF32), name(functions.kernel.getName().str()) {
  }

  /// Replaces the kernel.
  mlir::LogicalResult emit();

private:
  using Stage = KernelFunctions::Stage;

  /// Counts that fit need no more than 32 bits, whatever the offsets into tensors do.
  mlir::Type indexType(Group group) const;
  std::string indexName(Group group) const { return indexType(group).isIndex() ? functions.indexName() : "i32"; }
  int64_t usual(Group group) const { return c.shapes[group].count().value_or(kUsualExtent); }
  mlir::Type elementType(const Access &access) const;
  mlir::Value root() const { return functions.kernel.getBody().front().getTerminator()->getOperand(0); }

  // Private functions; texts call them.
  mlir::LogicalResult addOperand(llvm::StringRef stage, llvm::StringRef helper, const Access &access,
                                 llvm::ArrayRef<Group> groups, bool asStored);
  mlir::LogicalResult addPlace(llvm::StringRef stage, llvm::StringRef helper, const Access &access,
                               llvm::ArrayRef<Group> groups);
  mlir::LogicalResult addStore(llvm::StringRef stage);
  mlir::LogicalResult addValue(llvm::StringRef stage);
  mlir::LogicalResult addCount(llvm::StringRef stage, llvm::StringRef helper, Group group, std::string &text);

  // Texts.
  std::string storeCall(llvm::StringRef stage, llvm::StringRef sum) const;
  std::string lambda(llvm::ArrayRef<Group> groups, llvm::StringRef extra, llvm::StringRef body) const;
  mlir::FailureOr<std::string> sizes(llvm::StringRef stage);
  mlir::FailureOr<std::string> threadTiles(llvm::StringRef stage);
  mlir::FailureOr<std::string> tensorTiles(llvm::StringRef stage);
  mlir::FailureOr<std::string> operandText(llvm::StringRef stage, llvm::StringRef helper, const Access &access,
                                           llvm::ArrayRef<Group> groups, bool inPacks);
  mlir::FailureOr<std::string> tensorStore(llvm::StringRef stage, int64_t perStore);

  mlir::Value tilesOf(IndexMath &math, const ScalarScope &scalars) const;
  mlir::Value elementsOf(IndexMath &math, const ScalarScope &scalars) const;
  mlir::FailureOr<Stage> tileStage(llvm::StringRef stage);
  mlir::FailureOr<Stage> addStage(llvm::StringRef stage);
  void chooseEngine();

  KernelFunctions &functions;
  const Contraction &c;
  const TargetInfo &info;
  bool allowTF32;
  std::string name;
  std::string number; ///< C++ type of sums
  Engine engine = Engine::Threads;
  std::string kind; ///< of tensor cores
  TileChoice choice;
};

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_CONTRACTIONKERNEL_H
