//===- PrintControlFlow.cpp - Loops and branches as CUDA C++ --------------===//

#include "backends/CUDA/Emit/FunctionPrinter.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

LogicalResult FunctionPrinter::printFor(scf::ForOp op) {
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    std::string init = this->argument(op, op.getNumControlOperands() + i);
    if (failed(declareVariable(argument, "acc", &init)))
      return refuse(op);
    names[op.getResult(i)] = names.lookup(argument);
  }
  static const char *const kLetters[] = {"i", "j", "k", "l", "m", "o"};
  std::string variable = loopDepth < std::size(kLetters) ? kLetters[loopDepth] : ("i" + Twine(loopDepth)).str();
  Type type = op.getInductionVar().getType();
  names[op.getInductionVar()] = variable;
  // Bounds with the sign that the loop compares with; the variable has the type of all integers.
  bool isSigned = !op.getUnsignedCmp();
  std::string cast = isa<IndexType>(type) == isSigned ? "" : isSigned ? "(i" : "(u";
  if (!cast.empty())
    cast += std::to_string(isa<IndexType>(type) ? bits : type.getIntOrFloatBitWidth()) + ")";
  auto step = getConstantIntValue(op.getStep());
  line("for (" + nameOf(type) + " " + variable + " = " + argument(op, 0) + "; " + cast + variable + " < " + cast +
       operand(op, 1, isSigned, false).at(cast.empty() ? Shift : Unary) + "; " +
       (step == std::optional<int64_t>(1) ? "++" + variable : variable + " += " + argument(op, 2)) + ") {");
  ++depth, ++loopDepth;
  if (failed(printBlock(*op.getBody())))
    return failure();
  assign(op.getRegionIterArgs(), op.getBody()->getTerminator(), 0);
  --depth, --loopDepth;
  line("}");
  return success();
}

LogicalResult FunctionPrinter::printWhile(scf::WhileOp op) {
  for (auto [i, argument] : llvm::enumerate(op.getBeforeArguments())) {
    std::string init = this->argument(op, i);
    if (failed(declareVariable(argument, "state", &init)))
      return refuse(op);
  }
  for (auto [argument, result] : llvm::zip(op.getAfterArguments(), op.getResults())) {
    if (failed(declareVariable(argument, "passed")))
      return refuse(op);
    names[result] = names.lookup(argument);
  }
  line("while (true) {");
  ++depth;
  if (failed(printBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  std::string go = operand(condition, 0, false, false).at(Unary);
  assign(op.getAfterArguments(), condition, 1);
  line("if (!" + go + ")");
  line("  break;");
  if (failed(printBlock(*op.getAfterBody())))
    return failure();
  assign(op.getBeforeArguments(), op.getYieldOp(), 0);
  --depth;
  line("}");
  return success();
}

LogicalResult FunctionPrinter::printIf(scf::IfOp op) {
  for (Value result : op.getResults())
    if (failed(declareVariable(result, "r")))
      return refuse(op);
  line("if (" + argument(op, 0) + ") {");
  ++depth;
  if (failed(printBlock(*op.thenBlock())))
    return failure();
  assign(op.getResults(), op.thenYield(), 0);
  --depth;
  if (Block *otherwise = op.elseBlock();
      otherwise && (op.getNumResults() || !otherwise->without_terminator().empty())) {
    line("} else {");
    ++depth;
    if (failed(printBlock(*otherwise)))
      return failure();
    assign(op.getResults(), op.elseYield(), 0);
    --depth;
  }
  line("}");
  return success();
}
