//===- FunctionPrinter.h - One function as CUDA C++ -------------*- C++ -*-===//

#ifndef BACKENDS_CUDA_EMIT_FUNCTIONPRINTER_H
#define BACKENDS_CUDA_EMIT_FUNCTIONPRINTER_H

#include "backends/CUDA/Emit/Expressions.h"
#include "lib/Support/UserError.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace hone::cuda {

/// Prints one function in device form; once.
class FunctionPrinter final : OperandPrinter {
public:
  explicit FunctionPrinter(mlir::func::FuncOp function);

  /// A __global__ function with the comment above it. The statements come from its body, or are `text`.
  mlir::FailureOr<std::string> printKernel(llvm::StringRef text);
  /// A __device__ function that returns the operand of its return, if any.
  mlir::FailureOr<std::string> printHelper();

private:
  Expression operand(mlir::Operation *op, unsigned index, bool asSigned, bool typed) override;
  /// Operand `index` of `op` where any expression may stand.
  std::string argument(mlir::Operation *op, unsigned index) { return operand(op, index, false, false).text; }
  std::string element(mlir::Operation *op, unsigned buffer, unsigned firstIndex);
  unsigned indexBits() const override { return bits; }
  std::string nameOf(mlir::Type type) const { return typeName(type, bits); }

  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printOp(mlir::Operation *op);
  mlir::LogicalResult printFor(mlir::scf::ForOp op);
  mlir::LogicalResult printWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult printIf(mlir::scf::IfOp op);
  mlir::LogicalResult printStore(mlir::memref::StoreOp op);
  std::string packPointer(mlir::Operation *op, unsigned buffer, mlir::VectorType type, bool isConst);
  mlir::LogicalResult printPackLoad(mlir::vector::LoadOp op);
  mlir::LogicalResult printPackStore(mlir::vector::StoreOp op);
  mlir::LogicalResult printPack(mlir::Operation *op);
  mlir::LogicalResult printView(mlir::memref::ViewOp op);
  mlir::LogicalResult printMemory(mlir::Operation *op);
  mlir::LogicalResult printShuffle(mlir::gpu::ShuffleOp op);
  mlir::LogicalResult printReduce(mlir::gpu::SubgroupReduceOp op);
  mlir::LogicalResult printExtended(mlir::Operation *op);
  mlir::LogicalResult printCall(mlir::func::CallOp op);
  mlir::LogicalResult printBarrier(mlir::Operation *op);

  mlir::LogicalResult refuse(mlir::Operation *op) {
    status = mlir::failure();
    return emitUserError(op->getLoc()) << "'" << op->getName() << "' op cannot be printed as CUDA C++";
  }
  mlir::LogicalResult printParameters(bool isKernel);
  bool isWritten(mlir::Value buffer);
  void line(const llvm::Twine &text) { (out.append(2 * depth, ' ') += text.str()) += '\n'; }
  /// Gives `value` a new name that starts with `base`.
  std::string name(mlir::Value value, llvm::StringRef base) {
    std::string text = (base + llvm::Twine(counters[base]++)).str();
    names[value] = text;
    return text;
  }
  mlir::LogicalResult declare(mlir::Value value, llvm::StringRef base, const llvm::Twine &text);
  mlir::LogicalResult declareVariable(mlir::Value value, llvm::StringRef base, std::string *text = nullptr);
  void assign(mlir::ValueRange targets, mlir::Operation *source, unsigned firstOperand);
  llvm::StringRef baseOf(mlir::Type type);

  mlir::func::FuncOp function;
  unsigned bits; ///< of an index
  llvm::DenseSet<mlir::Operation *> inlined;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<unsigned> counters;
  std::string out;
  unsigned depth = 0, loopDepth = 0;
  mlir::LogicalResult status = mlir::success();
};

} // namespace hone::cuda

#endif // BACKENDS_CUDA_EMIT_FUNCTIONPRINTER_H
