//===- KernelFunctions.h - The functions a kernel family leaves -*- C++ -*-===//
//
// A family turns a kernel of graph ops into functions in device form: one __global__ function a launch,
// whose statements it writes as text, and private functions of arithmetic that the text calls. All take
// the kernel's buffers and scalars.
//
//===----------------------------------------------------------------------===//

#ifndef BACKENDS_CUDA_KERNELS_KERNELFUNCTIONS_H
#define BACKENDS_CUDA_KERNELS_KERNELFUNCTIONS_H

#include "backends/CUDA/Kernels/Coordinates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hone::cuda {

/// The element of a constant of equal elements, as stored; null for others.
mlir::TypedAttr splatOf(mlir::Value value);

class KernelFunctions {
public:
  /// `kernel` takes and returns tensors; `finish` replaces it.
  explicit KernelFunctions(mlir::func::FuncOp kernel);

  mlir::func::FuncOp kernel;
  graph::ExtentBuilder extents;

  /// What the body of a private function sees.
  struct Scope {
    KernelFunctions &functions;
    mutable IndexMath math;
    ScalarScope scalars;
    mlir::ValueRange arguments; ///< its own
    mlir::ValueRange buffers;   ///< of the kernel's inputs, then of its results

    /// The stored element at a place, zero where that is not valid; null where `tensor` is neither a buffer nor a
    /// constant of one number.
    mlir::Value load(mlir::Value tensor, const Positions::Place &place) const;
    void store(mlir::Value element, mlir::Value tensor, const Positions::Place &place) const;

  private:
    mlir::Value buffer(mlir::Value tensor) const;
  };
  using Build = llvm::function_ref<mlir::FailureOr<mlir::Value>(Scope &)>;

  /// Adds the private function `<stage>.<name>`. It returns what `build` does, or nothing where `type` is
  /// null. Texts call it `<stage>_<name>`, with its own arguments and then `operands()`.
  mlir::LogicalResult addHelper(llvm::StringRef stage, llvm::StringRef name, llvm::ArrayRef<mlir::Type> arguments,
                                mlir::Type type, Build build);

  /// One launch.
  struct Stage {
    std::string name, text;
    unsigned threads;
    /// Workgroups, in terms of scalars.
    std::function<mlir::Value(IndexMath &, const ScalarScope &)> grid;
    unsigned sharedBytes = 0; ///< beside what the text declares
    bool exactArchitecture = false;
    llvm::StringRef family = {}; ///< as reports call it
  };
  /// Replaces the kernel by its stages and its launch function. `scratch` gives bytes in terms of scalars;
  /// null: none. Buffer `scratchName()` of all stages is that memory.
  void finish(llvm::ArrayRef<Stage> stages,
              llvm::function_ref<mlir::Value(IndexMath &, const ScalarScope &)> scratch = nullptr);

  /// "b0, b1, s0": what helpers take behind their own arguments.
  std::string operands() const;
  /// Whether the kernel takes or returns `tensor`.
  bool hasBuffer(mlir::Value tensor) const { return llvm::is_contained(tensors, tensor); }
  /// The name of the buffer of a tensor in texts; the tensor is one that the kernel takes or returns.
  std::string bufferName(mlir::Value tensor) const;
  /// The C++ type of its elements.
  std::string elementName(mlir::Value tensor) const;
  std::string scratchName() const { return "b" + std::to_string(bufferTypes.size()); }
  /// The C++ type of an index in helpers; 32 bits where every offset into the kernel's buffers fits.
  const char *indexName() const { return bits == 32 ? "i32" : "idx"; }

private:
  mlir::func::FuncOp createFunction(llvm::StringRef name, mlir::TypeRange inputs, mlir::TypeRange results);

  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> tensors; ///< inputs, then what is returned
  llvm::SmallVector<mlir::Type> bufferTypes;
  mlir::ArrayAttr scalarNames;
  unsigned bits = 32;
};

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_KERNELFUNCTIONS_H
