//===- PrintThreads.cpp - What threads do together, as CUDA C++ -----------===//

#include "backends/CUDA/Emit/FunctionPrinter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

LogicalResult FunctionPrinter::printBarrier(Operation *) {
  line("__syncthreads();");
  return success();
}

LogicalResult FunctionPrinter::printShuffle(gpu::ShuffleOp op) {
  if (!op.getValid().use_empty())
    return refuse(op);
  Type type = op.getShuffleResult().getType();
  std::string call = ("shuffle_" + stringifyShuffleMode(op.getMode()) + "(").str(), value = argument(op, 0);
  bool isFloat = type.isF16() || type.isBF16();
  bool isSmall = isFloat || type.isInteger(8) || type.isInteger(16) || type.isInteger(1);
  if (isFloat)
    value = "(u32)bits_of(" + value + ")";
  else if (isSmall)
    value = "(u32)" + operand(op, 0, false, false).at(Unary);
  else if (isa<IndexType>(type))
    value = operand(op, 0, true, true).text;
  std::string text = call + value + ", (i32)" + operand(op, 1, true, false).at(Unary) + ", (i32)" +
                     operand(op, 2, true, false).at(Unary) + ")";
  if (isFloat)
    text = "of_bits<" + nameOf(type) + ">((u16)" + text + ")";
  else if (isSmall)
    text = "(" + nameOf(type) + ")" + text;
  return declare(op.getShuffleResult(), baseOf(type), text);
}

namespace {

struct ReduceRow {
  gpu::AllReduceOperation kind;
  StringLiteral text; ///< of a and b; `%` is the type with the sign the operation needs
  char sign;
};

} // namespace

LogicalResult FunctionPrinter::printReduce(gpu::SubgroupReduceOp op) {
  static const ReduceRow rows[] = {{gpu::AllReduceOperation::ADD, "a + b", 0},
                                   {gpu::AllReduceOperation::MUL, "a * b", 0},
                                   {gpu::AllReduceOperation::MINUI, "min(a, b)", 'u'},
                                   {gpu::AllReduceOperation::MINSI, "min(a, b)", 'i'},
                                   {gpu::AllReduceOperation::MAXUI, "max(a, b)", 'u'},
                                   {gpu::AllReduceOperation::MAXSI, "max(a, b)", 'i'},
                                   {gpu::AllReduceOperation::MINNUMF, "fmin(a, b)", 0},
                                   {gpu::AllReduceOperation::MAXNUMF, "fmax(a, b)", 0},
                                   {gpu::AllReduceOperation::MINIMUMF, "minimum(a, b)", 0},
                                   {gpu::AllReduceOperation::MAXIMUMF, "maximum(a, b)", 0},
                                   {gpu::AllReduceOperation::AND, "a & b", 0},
                                   {gpu::AllReduceOperation::OR, "a | b", 0},
                                   {gpu::AllReduceOperation::XOR, "a ^ b", 0}};
  Type type = op.getType();
  std::optional<NumberKind> kind = numberKind(type);
  const ReduceRow *row = llvm::find_if(rows, [&](const ReduceRow &r) { return r.kind == op.getOp(); });
  uint32_t lanes = op.getClusterSize().value_or(32);
  if (!kind || row == std::end(rows) || op.getClusterStride() != 1 || lanes > 32 || !llvm::isPowerOf2_32(lanes))
    return refuse(op);
  // Lanes combine in a type that shuffles: integers of 32 bits and more, and the floats as they are.
  std::string wide = nameOf(type);
  if (*kind == Bool || *kind == Int || *kind == Index) {
    unsigned width = *kind == Index ? bits : std::max(32u, type.getIntOrFloatBitWidth());
    wide = (row->sign == 'i' || (*kind == Index && !row->sign) ? "i" : "u") + std::to_string(width);
  } else if (*kind == F16 || *kind == BF16) {
    wide = "float";
  }
  std::string value = operand(op, 0, row->sign == 'i', true).at(Unary);
  if (row->sign == 'i' && *kind == Int)
    value = "(i" + std::to_string(type.getIntOrFloatBitWidth()) + ")" + value;
  if (wide != nameOf(type))
    value = "(" + wide + ")" + value;
  std::string call = "warp_reduce<" + std::to_string(lanes) + ">(" + value + ", [](" + wide + " a, " + wide +
                     " b) { return " + row->text.str() + "; })";
  return declare(op.getResult(), baseOf(type), wide == nameOf(type) ? call : "(" + nameOf(type) + ")" + call);
}
