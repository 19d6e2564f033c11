//===- PlanControlOps.cpp - if and loop -----------------------------------===//

#include "dialects/Plan/IR/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace hone::plan;

/// Checks that `block` ends by yielding `leading`, then `results`.
static LogicalResult verifyYield(Operation *op, Block &block, TypeRange leading, TypeRange results) {
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("has a region that does not end in plan.yield");
  SmallVector<Type> expected(leading);
  llvm::append_range(expected, results);
  if (TypeRange(yield.getValues().getTypes()) != TypeRange(expected))
    return yield.emitOpError("yields (") << yield.getValues().getTypes() << "), but '" << op->getName() << "' needs ("
                                         << expected << ")";
  return success();
}

static bool isConstantFalse(Value value) { return matchPattern(value, m_Zero()); }

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

void IfOp::build(OpBuilder &builder, OperationState &state, TypeRange results, Value condition) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(condition);
  state.addTypes(results);
  state.addRegion()->emplaceBlock();
  state.addRegion()->emplaceBlock();
}

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand condition;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(condition) || parser.resolveOperand(condition, builder.getI1Type(), result.operands) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();
  Region *thenRegion = result.addRegion();
  Region *elseRegion = result.addRegion();
  if (parser.parseRegion(*thenRegion))
    return failure();
  IfOp::ensureTerminator(*thenRegion, builder, result.location);
  if (succeeded(parser.parseOptionalKeyword("else")) && parser.parseRegion(*elseRegion))
    return failure();
  IfOp::ensureTerminator(*elseRegion, builder, result.location);
  return parser.parseOptionalAttrDict(result.attributes);
}

/// Prints a region without a terminator that says nothing.
static void printBranch(OpAsmPrinter &printer, Region &region) {
  printer.printRegion(region, /*printEntryBlockArgs=*/false, region.front().back().getNumOperands() != 0);
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << " " << getCondition();
  printer.printOptionalArrowTypeList(getResultTypes());
  printer << " ";
  printBranch(printer, getThenRegion());
  Block &otherwise = getElseRegion().front();
  if (otherwise.getOperations().size() > 1 || getNumResults() != 0) {
    printer << " else ";
    printBranch(printer, getElseRegion());
  }
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult IfOp::verify() {
  if (failed(verifyYield(*this, *thenBlock(), {}, getResultTypes())))
    return failure();
  return verifyYield(*this, *elseBlock(), {}, getResultTypes());
}

LogicalResult IfOp::canonicalize(IfOp op, PatternRewriter &rewriter) {
  bool isTrue = matchPattern(op.getCondition(), m_One());
  if (!isTrue && !isConstantFalse(op.getCondition()))
    return rewriter.notifyMatchFailure(op, "condition is not constant");
  Block *taken = isTrue ? op.thenBlock() : op.elseBlock();
  auto yield = cast<YieldOp>(taken->back());
  SmallVector<Value> values(yield.getValues());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(taken, op);
  rewriter.replaceOp(op, values);
  return success();
}

//===----------------------------------------------------------------------===//
// LoopOp
//===----------------------------------------------------------------------===//

void LoopOp::build(OpBuilder &builder, OperationState &state, Value trips, Value condition, ValueRange inits) {
  state.addOperands({trips, condition});
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Block &body = state.addRegion()->emplaceBlock();
  body.addArgument(builder.getIndexType(), state.location);
  for (Value init : inits)
    body.addArgument(init.getType(), state.location);
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments(1);
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  OpAsmParser::UnresolvedOperand trips, condition;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgument(arguments[0]) || parser.parseKeyword("to") || parser.parseOperand(trips) ||
      parser.parseKeyword("while") || parser.parseOperand(condition))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("iter")) && parser.parseAssignmentList(arguments, inits))
    return failure();
  if (parser.parseOptionalArrowTypeList(result.types))
    return failure();
  if (result.types.size() != inits.size())
    return parser.emitError(loc) << "carries " << inits.size() << " values, but has " << result.types.size()
                                 << " result types";
  arguments[0].type = builder.getIndexType();
  for (auto [argument, type] : llvm::zip_equal(llvm::drop_begin(arguments), result.types))
    argument.type = type;
  if (parser.resolveOperand(trips, builder.getIndexType(), result.operands) ||
      parser.resolveOperand(condition, builder.getI1Type(), result.operands) ||
      parser.resolveOperands(inits, result.types, loc, result.operands))
    return failure();
  return failure(parser.parseRegion(*result.addRegion(), arguments) || parser.parseOptionalAttrDict(result.attributes));
}

void LoopOp::print(OpAsmPrinter &printer) {
  printer << " " << getInductionVar() << " to " << getTrips() << " while " << getCondition();
  if (!getInits().empty()) {
    printer << " iter(";
    llvm::interleaveComma(llvm::zip_equal(getCarriedArgs(), getInits()), printer,
                          [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ")";
    printer.printOptionalArrowTypeList(getResultTypes());
  }
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult LoopOp::verify() {
  TypeRange carried = getInits().getTypes();
  if (TypeRange(getResultTypes()) != carried)
    return emitOpError("carries (") << carried << "), but has results (" << getResultTypes() << ")";
  SmallVector<Type> arguments{IndexType::get(getContext())};
  llvm::append_range(arguments, carried);
  if (TypeRange(getBody().getArgumentTypes()) != TypeRange(arguments))
    return emitOpError("needs region arguments (") << arguments << ")";
  return verifyYield(*this, *getBodyBlock(), IntegerType::get(getContext(), 1), carried);
}

LogicalResult LoopOp::canonicalize(LoopOp op, PatternRewriter &rewriter) {
  APInt trips;
  bool never = isConstantFalse(op.getCondition()) ||
               (matchPattern(op.getTrips(), m_ConstantInt(&trips)) && !trips.isStrictlyPositive());
  if (!never)
    return rewriter.notifyMatchFailure(op, "may run");
  rewriter.replaceOp(op, op.getInits());
  return success();
}
