//===- EntryValues.cpp - Integers and control flow as code ----------------===//
//
// Integers have 64 bits. What overflows or divides by zero is noted and ends the run before the next size is
// used, as the runtime's interpreter would.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Standalone/EntryWriter.h"

#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;
using arith::CmpIPredicate;

Type EntryWriter::typeOf(Value planValue) const {
  if (isa<plan::BufferType>(planValue.getType()))
    return pointer;
  return planValue.getType().isInteger(1) ? i1 : i64;
}

Value EntryWriter::get(Value value) {
  IntegerAttr attribute;
  if (matchPattern(value, m_Constant(&attribute)))
    return attribute.getType().isInteger(1) ? truth(attribute.getValue().getBoolValue()) : integer(attribute.getInt());
  return values.lookup(value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The same op on 64-bit integers and truth values.
LogicalResult EntryWriter::copyArithmetic(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  OperationState state(loc, op->getName().getStringRef(), operands, typeOf(op->getResult(0)), op->getAttrs());
  set(op->getResult(0), builder.create(state)->getResult(0));
  return success();
}

LogicalResult EntryWriter::withOverflow(Operation *op) {
  Value a = get(op->getOperand(0)), b = get(op->getOperand(1));
  Type type = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, i1});
  Value both = isa<arith::AddIOp>(op)   ? LLVM::SAddWithOverflowOp::create(builder, loc, type, a, b).getResult()
               : isa<arith::SubIOp>(op) ? LLVM::SSubWithOverflowOp::create(builder, loc, type, a, b).getResult()
                                        : LLVM::SMulWithOverflowOp::create(builder, loc, type, a, b).getResult();
  set(op->getResult(0), LLVM::ExtractValueOp::create(builder, loc, both, 0));
  suspect(LLVM::ExtractValueOp::create(builder, loc, both, 1));
  return success();
}

/// Quotients and remainders; an impossible one is noted and computed with 1 instead.
LogicalResult EntryWriter::division(Operation *op) {
  Value a = get(op->getOperand(0)), b = get(op->getOperand(1));
  IntegerAttr known;
  if (!matchPattern(op->getOperand(1), m_Constant(&known)) || known.getInt() == 0 || known.getInt() == -1) {
    Value overflows = arith::AndIOp::create(builder, loc, compare(CmpIPredicate::eq, a, integer(INT64_MIN)),
                                            compare(CmpIPredicate::eq, b, integer(-1)));
    Value bad = arith::OrIOp::create(builder, loc, overflows, compare(CmpIPredicate::eq, b, integer(0)));
    suspect(bad);
    b = arith::SelectOp::create(builder, loc, bad, integer(1), b);
  }
  Value rest = arith::RemSIOp::create(builder, loc, a, b);
  Value result = rest;
  if (!isa<arith::RemSIOp>(op))
    result = arith::DivSIOp::create(builder, loc, a, b);
  bool isFloor = isa<arith::FloorDivSIOp>(op);
  if (isFloor || isa<arith::CeilDivSIOp>(op)) {
    // Away from zero where there is a rest, and the quotient lies on that side.
    Value signs = arith::XOrIOp::create(builder, loc, rest, b);
    Value side = compare(isFloor ? CmpIPredicate::slt : CmpIPredicate::sge, signs, integer(0));
    Value adjusts = arith::AndIOp::create(builder, loc, compare(CmpIPredicate::ne, rest, integer(0)), side);
    Value other = arith::AddIOp::create(builder, loc, result, integer(isFloor ? -1 : 1));
    result = arith::SelectOp::create(builder, loc, adjusts, other, result);
  }
  set(op->getResult(0), result);
  return success();
}

LogicalResult EntryWriter::cast(Operation *op) {
  Value value = get(op->getOperand(0));
  Type from = value.getType(), to = typeOf(op->getResult(0));
  if (from == to)
    set(op->getResult(0), value);
  else if (to == i1)
    set(op->getResult(0), arith::TruncIOp::create(builder, loc, to, value));
  else if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    set(op->getResult(0), arith::ExtSIOp::create(builder, loc, to, value));
  else
    set(op->getResult(0), arith::ExtUIOp::create(builder, loc, to, value));
  return success();
}

LogicalResult EntryWriter::translate(plan::InputDimOp op) {
  const CDim *dim = interface.dimOf(op.getInput(), op.getDim());
  set(op, dim ? load(slot(in, dim->slot), i64)
              : integer(interface.inputs[op.getInput()].tensor.getDims()[op.getDim()].getSize()));
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult EntryWriter::translate(plan::CheckOp op) {
  settle();
  std::string text;
  for (const std::string &node : nodeNames(op.getLoc()))
    text += (text.empty() ? "node '" : ", '") + node + "'";
  text += text.empty() ? "" : ": ";
  text += op.getMessage();
  Value fails = arith::XOrIOp::create(builder, loc, get(op.getCondition()), truth(true));
  failIf(fails, messages.add(text));
  return success();
}

LogicalResult EntryWriter::translate(plan::IfOp op) {
  settle();
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(typeOf(result));
  Block *then = addBlock(), *otherwise = addBlock(), *end = addBlock(types);
  Value before = load(top, i64);
  branchIf(get(op.getCondition()), then, otherwise);
  bool leavesFrames = false;
  for (auto [code, region] : {std::pair(then, op.thenBlock()), std::pair(otherwise, op.elseBlock())}) {
    builder.setInsertionPointToEnd(code);
    SmallVector<Value> outer = std::exchange(marks, {});
    if (failed(translateBlock(*region)))
      return failure();
    settle();
    leavesFrames |= !marks.empty();
    marks = outer;
    SmallVector<Value> yielded;
    if (!region->empty() && isa<plan::YieldOp>(region->back()))
      for (Value value : region->back().getOperands())
        yielded.push_back(get(value));
    branch(end, yielded);
  }
  builder.setInsertionPointToEnd(end);
  for (auto [result, argument] : llvm::zip_equal(op.getResults(), end->getArguments()))
    set(result, argument);
  // Frames that a branch leaves open are released as one.
  if (leavesFrames)
    marks.push_back(before);
  return success();
}

LogicalResult EntryWriter::translate(plan::LoopOp op) {
  settle();
  auto yield = ::mlir::cast<plan::YieldOp>(op.getBodyBlock()->back());
  SmallVector<Type> types{i64, i1};
  SmallVector<Value> operands{integer(0), get(op.getCondition())};
  for (Value init : op.getInits()) {
    types.push_back(typeOf(init));
    operands.push_back(get(init));
  }
  Value before = load(top, i64), trips = get(op.getTrips());
  Block *head = addBlock(types), *body = addBlock(), *end = addBlock();
  branch(head, operands);

  builder.setInsertionPointToEnd(head);
  Value trip = head->getArgument(0);
  Value goes = arith::AndIOp::create(builder, loc, head->getArgument(1), compare(CmpIPredicate::slt, trip, trips));
  branchIf(goes, body, end);
  set(op.getInductionVar(), trip);
  for (auto [argument, result, value] :
       llvm::zip_equal(op.getCarriedArgs(), op.getResults(), head->getArguments().drop_front(2))) {
    set(argument, value);
    set(result, value);
  }

  builder.setInsertionPointToEnd(body);
  SmallVector<Value> outer = std::exchange(marks, {});
  if (failed(translateBlock(*op.getBodyBlock())))
    return failure();
  settle();
  bool leavesFrames = !marks.empty();
  marks = outer;
  SmallVector<Value> next{arith::AddIOp::create(builder, loc, trip, integer(1))};
  for (Value value : yield.getValues())
    next.push_back(get(value));
  branch(head, next);
  builder.setInsertionPointToEnd(end);
  if (leavesFrames)
    marks.push_back(before);
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

const llvm::StringMap<EntryWriter::Row> &EntryWriter::table() {
  static const llvm::StringMap<Row> rows = {
      {"arith.constant", &EntryWriter::skip},
      {"arith.addi", &EntryWriter::withOverflow},
      {"arith.subi", &EntryWriter::withOverflow},
      {"arith.muli", &EntryWriter::withOverflow},
      {"arith.divsi", &EntryWriter::division},
      {"arith.remsi", &EntryWriter::division},
      {"arith.floordivsi", &EntryWriter::division},
      {"arith.ceildivsi", &EntryWriter::division},
      {"arith.minsi", &EntryWriter::copyArithmetic},
      {"arith.maxsi", &EntryWriter::copyArithmetic},
      {"arith.andi", &EntryWriter::copyArithmetic},
      {"arith.ori", &EntryWriter::copyArithmetic},
      {"arith.xori", &EntryWriter::copyArithmetic},
      {"arith.cmpi", &EntryWriter::copyArithmetic},
      {"arith.select", &EntryWriter::copyArithmetic},
      {"arith.index_cast", &EntryWriter::cast},
      {"arith.index_castui", &EntryWriter::cast},
      {"arith.extsi", &EntryWriter::cast},
      {"arith.extui", &EntryWriter::cast},
      {"arith.trunci", &EntryWriter::cast},
      {"plan.input", &EntryWriter::as<plan::InputOp>},
      {"plan.input_dim", &EntryWriter::as<plan::InputDimOp>},
      {"plan.output_buffer", &EntryWriter::as<plan::OutputBufferOp>},
      {"plan.output_dim", &EntryWriter::as<plan::OutputDimOp>},
      {"plan.constant", &EntryWriter::as<plan::ConstantOp>},
      {"plan.alloc", &EntryWriter::as<plan::AllocOp>},
      {"plan.reserve", &EntryWriter::as<plan::ReserveOp>},
      {"plan.release", &EntryWriter::as<plan::ReleaseOp>},
      {"plan.grow", &EntryWriter::as<plan::GrowOp>},
      {"plan.view", &EntryWriter::as<plan::ViewOp>},
      {"plan.launch", &EntryWriter::as<plan::LaunchOp>},
      {"plan.copy", &EntryWriter::as<plan::CopyOp>},
      {"plan.fill", &EntryWriter::as<plan::FillOp>},
      {"plan.load", &EntryWriter::as<plan::LoadOp>},
      {"plan.store", &EntryWriter::as<plan::StoreOp>},
      {"plan.check", &EntryWriter::as<plan::CheckOp>},
      {"plan.if", &EntryWriter::as<plan::IfOp>},
      {"plan.loop", &EntryWriter::as<plan::LoopOp>},
      {"plan.yield", &EntryWriter::skip},
  };
  return rows;
}

/// Goes on behind what cannot be done, so that all of it is reported.
LogicalResult EntryWriter::translateBlock(Block &block) {
  bool ok = true;
  for (Operation &op : block) {
    auto row = table().find(op.getName().getStringRef());
    if (row == table().end())
      return op.emitOpError("has no place in a program");
    if (succeeded((this->*row->second)(&op)))
      continue;
    ok = false;
    if (!llvm::all_of(op.getResults(), [&](Value result) { return values.contains(result); }))
      return failure();
  }
  return success(ok);
}
