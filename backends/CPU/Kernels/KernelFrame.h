//===- KernelFrame.h - What emitters of kernel families share ---*- C++ -*-===//
//
// A kernel is emitted at the level of memref, scf and vector (docs/decisions has the measurements): flat
// buffers and computed offsets, accumulators as rank-1 vectors in loop-carried values, which LLVM
// keeps in registers.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CPU_KERNELS_KERNELFRAME_H
#define BACKENDS_CPU_KERNELS_KERNELFRAME_H

#include "dialects/Graph/IR/Graph.h"
#include "lib/Target/TargetBackend.h"
#include "passes/Analysis/PanelKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace hone::cpu {

/// Index arithmetic that folds constants as it is built.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, index(b)); }
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b) { return mul(a, index(b)); }
  mlir::Value floorDiv(mlir::Value a, int64_t b);
  mlir::Value ceilDiv(mlir::Value a, mlir::Value b);
  mlir::Value ceilDiv(mlir::Value a, int64_t b) { return ceilDiv(a, index(b)); }
  mlir::Value divU(mlir::Value a, mlir::Value b);
  mlir::Value remU(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  /// Extent `dim` of a memref.
  mlir::Value dim(mlir::Value memref, int64_t dim);
  /// The memref as one dimension.
  mlir::Value flatten(mlir::Value memref);

  /// A vector of `lanes` f32 from a buffer of f32 or halves; without `mask`'s lanes, where there is one.
  mlir::Value loadVector(int64_t lanes, mlir::Value flat, mlir::Value at, mlir::Value mask = nullptr);

  /// A mask of `lanes` lanes: those below `count`, which may be negative.
  mlir::Value lanesBelow(mlir::Value count, int64_t lanes);

  /// `value`, whose computation LLVM cannot see. Loop strength reduction would otherwise repeat it (a minimum, a
  /// multiplication) at every access inside the innermost loop.
  mlir::Value opaque(mlir::Value value);

  /// `for i = low to high step s` around `body`.
  void loop(mlir::Value low, mlir::Value high, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  /// The same with carried values.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value low, mlir::Value high, int64_t step, mlir::ValueRange init,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  /// `body(row, count)` for tiles that cover `first..last`: of `rows` rows, the last one moved back to end where the
  /// range ends; of fewer rows where there are fewer.
  void tiles(mlir::Value first, mlir::Value last, int64_t rows, llvm::function_ref<void(mlir::Value, int64_t)> body);
};

/// One dimension of a window on its way over an input.
struct WindowDim {
  int64_t taps = 1, stride = 1, dilation = 1, pad = 0;

  static WindowDim of(graph::ConvOp conv, unsigned spatialDim);

  /// Where the first tap of the window at `position` lies.
  mlir::Value origin(Emitter &emit, mlir::Value position) const;
  /// The taps of a window at `origin` that lie in an input of `extent`: from the first to before the last.
  std::pair<mlir::Value, mlir::Value> tapsInside(Emitter &emit, mlir::Value origin, mlir::Value extent) const;
  /// The positions among `first..last` all of whose taps do.
  std::pair<mlir::Value, mlir::Value> wholePositions(Emitter &emit, mlir::Value extent, mlir::Value first,
                                                     mlir::Value last) const;
};

/// A kernel function on its way from tensors to buffers.
class KernelFrame {
public:
  /// Replaces the signature of `kernel`: buffers in memory order and the range of work items. The ops
  /// of the old body stay reachable until `finish`.
  KernelFrame(mlir::func::FuncOp kernel, mlir::Operation *contraction, const TargetInfo &info);

  mlir::func::FuncOp kernel;
  mlir::Operation *contraction;
  const TargetInfo &info;
  mlir::OpBuilder builder;
  mlir::Value begin, end; ///< of work items

  /// The buffer of a captured tensor, or of the kernel's result.
  mlir::Value buffer(mlir::Value tensor) const { return buffers.lookup(tensor); }
  mlir::Value resultBuffer() const { return result; }
  /// The elementwise ops behind the contraction, in order.
  llvm::ArrayRef<mlir::Operation *> epilogue() const { return epilogueOps; }
  /// The tensor the kernel returns.
  mlir::Value root() const { return rootTensor; }

  /// Ends the function: its grid is `items`, an index computed from extents of its buffers.
  mlir::LogicalResult finish(mlir::Value items);

private:
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  mlir::Value result, rootTensor;
  llvm::SmallVector<mlir::Operation *> epilogueOps;
  mlir::Block *oldBody;
};

/// Where a register tile lies in the result: logical position of one row and its first channel.
struct TilePosition {
  llvm::SmallVector<mlir::Value> outer; ///< positions of all logical dimensions but the channels
  mlir::Value channel;
  /// The row-major number of `outer`, where the emitter counts that way; else null. Full-size operands are
  /// addressed by it without taking it apart: with run-time extents that costs divisions a row.
  mlir::Value flat;
};

/// Applies the epilogue to vectors of the result and stores them.
class EpilogueEmitter {
public:
  /// `channelDim` is the logical dimension that runs along vectors.
  EpilogueEmitter(KernelFrame &frame, int64_t channelDim, int64_t lanes)
      : frame(frame), channelDim(channelDim), lanes(lanes) {}

  /// Fails with a diagnostic on ops that cannot run on vectors. `mask` may be null.
  mlir::LogicalResult store(Emitter &emit, mlir::Value accumulator, const TilePosition &position, mlir::Value mask);

private:
  mlir::Value load(Emitter &emit, mlir::Value tensor, const TilePosition &position, mlir::Value mask);
  /// Whether `tensor` has every outer extent of the result, in order, and its channels innermost.
  bool isFullSize(mlir::Value tensor) const;
  /// Offset of a position in a buffer; `channelStride` is the distance of neighbours along the channels.
  mlir::Value offset(Emitter &emit, mlir::Value tensor, mlir::Value buffer, const TilePosition &position,
                     mlir::Value &channelStride);

  KernelFrame &frame;
  int64_t channelDim, lanes;
};

mlir::FailureOr<mlir::Value> emitConvKernel(KernelFrame &frame, graph::ConvOp conv);
mlir::FailureOr<mlir::Value> emitMatMulKernel(KernelFrame &frame, graph::ContractOp contract);
/// A product of two computed operands; the right one's columns are neighbours in memory.
mlir::FailureOr<mlir::Value> emitProductKernel(KernelFrame &frame, graph::ContractOp contract, const ProductDims &dims);
mlir::FailureOr<mlir::Value> emitDepthwiseKernel(KernelFrame &frame, graph::ConvOp conv);

} // namespace hone::cpu

#endif // BACKENDS_CPU_KERNELS_KERNELFRAME_H
