//===- ProgramEncoder.cpp - A plan.program as instructions ----------------===//
//
// Constants are loaded into registers once, in front of everything else. All
// ops are rows of one table; what has no row is no part of a program.
//
//===----------------------------------------------------------------------===//

#include "lib/Serialization/ProgramEncoder.h"

#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace hone;
using namespace hone::serialization;
using format::DType;
using format::Opcode;

DType hone::serialization::dtypeOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (plan::isElementType(type) ? integer.getWidth() : 0) {
    case 1:
      return DType::Bool;
    case 2:
      return isUnsigned ? DType::U2 : DType::I2;
    case 4:
      return isUnsigned ? DType::U4 : DType::I4;
    case 8:
      return isUnsigned ? DType::U8 : DType::I8;
    case 16:
      return isUnsigned ? DType::U16 : DType::I16;
    case 32:
      return isUnsigned ? DType::U32 : DType::I32;
    case 64:
      return isUnsigned ? DType::U64 : DType::I64;
    default:
      return DType::Invalid;
    }
  }
  return llvm::TypeSwitch<Type, DType>(type)
      .Case<Float64Type>([](Type) { return DType::F64; })
      .Case<Float32Type>([](Type) { return DType::F32; })
      .Case<Float16Type>([](Type) { return DType::F16; })
      .Case<BFloat16Type>([](Type) { return DType::BF16; })
      .Case<Float8E4M3FNType>([](Type) { return DType::F8E4M3FN; })
      .Case<Float8E4M3FNUZType>([](Type) { return DType::F8E4M3FNUZ; })
      .Case<Float8E5M2Type>([](Type) { return DType::F8E5M2; })
      .Case<Float8E5M2FNUZType>([](Type) { return DType::F8E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](Type) { return DType::F8E8M0; })
      .Case<Float4E2M1FNType>([](Type) { return DType::F4E2M1; })
      .Default([](Type) { return DType::Invalid; });
}

namespace {

class Encoder {
public:
  explicit Encoder(EncodingContext &context) : context(context) {}

  FailureOr<EncodedProgram> run(plan::ProgramOp program);

private:
  using Words = std::initializer_list<int32_t>;
  using Moves = SmallVector<std::pair<int32_t, int32_t>>; // target, source
  struct Row {
    LogicalResult (Encoder::*encode)(Operation *);
  };
  static const llvm::StringMap<Row> &table();
  template <typename OpTy> LogicalResult as(Operation *op) { return encode(cast<OpTy>(op)); }

  LogicalResult encodeBlock(Block &block);
  LogicalResult skip(Operation *) { return success(); }
  LogicalResult binary(Operation *op);
  LogicalResult encode(arith::CmpIOp op);
  LogicalResult encode(arith::SelectOp op);
  LogicalResult cast_(Operation *op);
  LogicalResult encode(plan::InputOp op);
  LogicalResult encode(plan::InputDimOp op);
  LogicalResult encode(plan::OutputBufferOp op);
  LogicalResult encode(plan::OutputDimOp op);
  LogicalResult encode(plan::ConstantOp op);
  LogicalResult encode(plan::AllocOp op);
  LogicalResult encode(plan::ReserveOp op);
  LogicalResult encode(plan::ReleaseOp op);
  LogicalResult encode(plan::GrowOp op);
  LogicalResult encode(plan::ViewOp op);
  LogicalResult encode(plan::LaunchOp op);
  LogicalResult encode(plan::CopyOp op);
  LogicalResult encode(plan::FillOp op);
  LogicalResult encode(plan::LoadOp op);
  LogicalResult encode(plan::StoreOp op);
  LogicalResult encode(plan::CheckOp op);
  LogicalResult encode(plan::IfOp op);
  LogicalResult encode(plan::LoopOp op);

  void emit(Opcode opcode, Words words = {});
  /// Emits a jump and returns where its target goes.
  size_t emitJump(std::optional<int32_t> ifZero = {});
  void land(size_t jump);
  void jumpBack(size_t target);
  void emitMoves(Moves moves, bool buffers);

  int32_t newRegister() { return result.registers++; }
  int32_t newBuffer() { return result.buffers++; }
  /// The register of an integer, of a constant also before it is computed.
  int32_t reg(Value value);
  int32_t buf(Value value);
  int32_t constant(int64_t value);
  int32_t poolIndex(int64_t value);

  EncodingContext &context;
  EncodedProgram result;
  std::vector<int32_t> body;
  std::vector<size_t> jumpTargets; ///< words of `body` that are positions
  DenseMap<Value, int32_t> places;
  // Any integer is a key here, also those that a DenseMap keeps for itself.
  llvm::MapVector<int64_t, int32_t, std::map<int64_t, unsigned>> constants;
  std::map<int64_t, int32_t> pool;
  llvm::StringMap<int32_t> messages;
};

} // namespace

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Encoder::emit(Opcode opcode, Words words) {
  body.push_back(static_cast<int32_t>(opcode));
  body.insert(body.end(), words.begin(), words.end());
}

size_t Encoder::emitJump(std::optional<int32_t> ifZero) {
  if (ifZero)
    emit(Opcode::JumpIfZero, {*ifZero, 0});
  else
    emit(Opcode::Jump, {0});
  result.replayable = false;
  jumpTargets.push_back(body.size() - 1);
  return body.size() - 1;
}

void Encoder::land(size_t jump) { body[jump] = body.size(); }

void Encoder::jumpBack(size_t target) { body[emitJump()] = target; }

/// Moves as if all at once: first what nobody reads any more, then the rings
/// that remain through a place of their own.
void Encoder::emitMoves(Moves moves, bool buffers) {
  Opcode opcode = buffers ? Opcode::BufferMove : Opcode::Move;
  llvm::erase_if(moves, [](auto move) { return move.first == move.second; });
  while (!moves.empty()) {
    auto free = llvm::find_if(
        moves, [&](auto move) { return llvm::none_of(moves, [&](auto other) { return other.second == move.first; }); });
    if (free != moves.end()) {
      emit(opcode, {free->first, free->second});
      moves.erase(free);
      continue;
    }
    int32_t saved = buffers ? newBuffer() : newRegister();
    int32_t source = moves.front().second;
    emit(opcode, {saved, source});
    for (auto &move : moves)
      if (move.second == source)
        move.second = saved;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

int32_t Encoder::poolIndex(int64_t value) {
  auto [it, isNew] = pool.insert({value, result.pool.size()});
  if (isNew)
    result.pool.push_back(value);
  return it->second;
}

int32_t Encoder::constant(int64_t value) {
  auto [it, isNew] = constants.insert({value, 0});
  if (isNew)
    it->second = newRegister();
  return it->second;
}

int32_t Encoder::reg(Value value) {
  IntegerAttr attr;
  if (matchPattern(value, m_Constant(&attr)))
    return constant(attr.getType().isInteger(1) ? attr.getValue().getBoolValue() : attr.getInt());
  auto [it, isNew] = places.insert({value, 0});
  if (isNew)
    it->second = newRegister();
  return it->second;
}

int32_t Encoder::buf(Value value) {
  auto [it, isNew] = places.insert({value, 0});
  if (isNew)
    it->second = newBuffer();
  return it->second;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static const llvm::StringMap<Opcode> &binaryOpcodes() {
  static const llvm::StringMap<Opcode> opcodes = {
      {"arith.addi", Opcode::Add},           {"arith.subi", Opcode::Sub},   {"arith.muli", Opcode::Mul},
      {"arith.divsi", Opcode::DivS},         {"arith.remsi", Opcode::RemS}, {"arith.floordivsi", Opcode::FloorDivS},
      {"arith.ceildivsi", Opcode::CeilDivS}, {"arith.minsi", Opcode::MinS}, {"arith.maxsi", Opcode::MaxS},
      {"arith.andi", Opcode::And},           {"arith.ori", Opcode::Or},     {"arith.xori", Opcode::Xor},
  };
  return opcodes;
}

/// Registers hold 64-bit integers and truth values: nothing narrower wraps in
/// them as its type says.
static bool fitsRegister(Type type) { return type.isIndex() || type.isSignlessInteger(64); }

LogicalResult Encoder::binary(Operation *op) {
  StringRef name = op->getName().getStringRef();
  Type type = op->getResult(0).getType();
  bool isLogic = name == "arith.andi" || name == "arith.ori" || name == "arith.xori";
  if (!fitsRegister(type) && !(isLogic && type.isInteger(1)))
    return op->emitOpError("of type ") << type << " has no place in a program";
  emit(binaryOpcodes().lookup(name), {reg(op->getResult(0)), reg(op->getOperand(0)), reg(op->getOperand(1))});
  return success();
}

LogicalResult Encoder::encode(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  struct Comparison {
    Predicate predicate;
    Opcode opcode;
    bool swaps, isUnsigned;
  };
  static constexpr Comparison kComparisons[] = {
      {Predicate::eq, Opcode::CmpEq, false, false},  {Predicate::ne, Opcode::CmpNe, false, false},
      {Predicate::slt, Opcode::CmpLt, false, false}, {Predicate::sle, Opcode::CmpLe, false, false},
      {Predicate::sgt, Opcode::CmpLt, true, false},  {Predicate::sge, Opcode::CmpLe, true, false},
      {Predicate::ult, Opcode::CmpLt, false, true},  {Predicate::ule, Opcode::CmpLe, false, true},
      {Predicate::ugt, Opcode::CmpLt, true, true},   {Predicate::uge, Opcode::CmpLe, true, true},
  };
  const Comparison &row = *llvm::find_if(
      kComparisons, [&](const Comparison &candidate) { return candidate.predicate == op.getPredicate(); });
  Type type = op.getLhs().getType();
  bool isTruth = type.isInteger(1) && (row.isUnsigned || row.opcode == Opcode::CmpEq || row.opcode == Opcode::CmpNe);
  if (!fitsRegister(type) && !isTruth)
    return op.emitOpError("of type ") << type << " has no place in a program";
  int32_t lhs = reg(op.getLhs()), rhs = reg(op.getRhs());
  if (row.isUnsigned && !type.isInteger(1)) {
    // Flipping the sign bits turns unsigned order into signed order.
    int32_t sign = constant(std::numeric_limits<int64_t>::min());
    for (int32_t *side : {&lhs, &rhs}) {
      int32_t flipped = newRegister();
      emit(Opcode::Xor, {flipped, *side, sign});
      *side = flipped;
    }
  }
  if (row.swaps)
    std::swap(lhs, rhs);
  emit(row.opcode, {reg(op.getResult()), lhs, rhs});
  return success();
}

LogicalResult Encoder::encode(arith::SelectOp op) {
  Type type = op.getType();
  if (!fitsRegister(type) && !type.isInteger(1))
    return op.emitOpError("of type ") << type << " has no place in a program";
  emit(Opcode::Select, {reg(op.getResult()), reg(op.getCondition()), reg(op.getTrueValue()), reg(op.getFalseValue())});
  return success();
}

/// Between index, i64 and i1.
LogicalResult Encoder::cast_(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool fromTruth = from.isInteger(1), toTruth = to.isInteger(1);
  if ((!fitsRegister(from) && !fromTruth) || (!fitsRegister(to) && !toTruth))
    return op->emitOpError("from ") << from << " to " << to << " has no place in a program";
  int32_t target = reg(op->getResult(0)), source = reg(op->getOperand(0));
  bool isSigned = isa<arith::IndexCastOp, arith::ExtSIOp>(op);
  if (toTruth && !fromTruth)
    emit(Opcode::And, {target, source, constant(1)});
  else if (fromTruth && !toTruth && isSigned)
    emit(Opcode::Sub, {target, constant(0), source});
  else
    emit(Opcode::Move, {target, source});
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers and actions
//===----------------------------------------------------------------------===//

LogicalResult Encoder::encode(plan::InputOp op) {
  emit(Opcode::BufferInput, {buf(op.getBuffer()), static_cast<int32_t>(op.getIndex())});
  return success();
}

LogicalResult Encoder::encode(plan::InputDimOp op) {
  emit(Opcode::InputDim, {reg(op.getResult()), static_cast<int32_t>(op.getInput()), static_cast<int32_t>(op.getDim())});
  return success();
}

LogicalResult Encoder::encode(plan::OutputBufferOp op) {
  emit(Opcode::BufferOutput, {buf(op.getBuffer()), static_cast<int32_t>(op.getIndex()), reg(op.getBytes())});
  return success();
}

LogicalResult Encoder::encode(plan::OutputDimOp op) {
  emit(Opcode::OutputDim,
       {static_cast<int32_t>(op.getOutput()), static_cast<int32_t>(op.getDim()), reg(op.getValue())});
  return success();
}

LogicalResult Encoder::encode(plan::ConstantOp op) {
  FailureOr<uint32_t> index = context.constants.add(op.getValue(), [&] { return op.emitOpError(); });
  if (failed(index))
    return failure();
  emit(Opcode::BufferConstant, {buf(op.getBuffer()), static_cast<int32_t>(*index)});
  return success();
}

LogicalResult Encoder::encode(plan::AllocOp op) {
  APInt bytes;
  if (!op.getOffset() || !matchPattern(op.getBytes(), m_ConstantInt(&bytes)) || bytes.isNegative())
    return op.emitOpError("has no place in memory yet: memory planning comes "
                          "before serialization");
  emit(Opcode::BufferStatic, {buf(op.getBuffer()), poolIndex(*op.getOffset()), poolIndex(bytes.getSExtValue())});
  return success();
}

LogicalResult Encoder::encode(plan::ReserveOp op) {
  emit(Opcode::Reserve, {static_cast<int32_t>(op.getSizes().size())});
  for (auto [buffer, size, first, last] :
       llvm::zip_equal(op.getBuffers(), op.getSizes(), op.getFirst(), op.getLast())) {
    if (last > std::numeric_limits<int32_t>::max())
      return op.emitOpError("has a lifetime that ends at ") << last << ", which an instruction cannot hold";
    body.insert(body.end(), {buf(buffer), reg(size), static_cast<int32_t>(first), static_cast<int32_t>(last)});
  }
  return success();
}

LogicalResult Encoder::encode(plan::ReleaseOp op) {
  if (!op.getCount()) {
    emit(Opcode::Release);
    return success();
  }
  int32_t left = newRegister();
  emit(Opcode::Move, {left, reg(op.getCount())});
  size_t head = body.size();
  size_t exit = emitJump(left);
  emit(Opcode::Release);
  emit(Opcode::Sub, {left, left, constant(1)});
  jumpBack(head);
  land(exit);
  return success();
}

LogicalResult Encoder::encode(plan::GrowOp op) {
  result.replayable = false;
  result.growing = std::max<uint32_t>(result.growing, op.getMemory() + 1);
  emit(Opcode::Grow, {buf(op.getBuffer()), static_cast<int32_t>(op.getMemory()), reg(op.getBytes())});
  return success();
}

LogicalResult Encoder::encode(plan::ViewOp op) {
  emit(Opcode::BufferView, {buf(op.getResult()), buf(op.getSource()), reg(op.getOffset()), reg(op.getBytes())});
  return success();
}

LogicalResult Encoder::encode(plan::LaunchOp op) {
  auto kernel = context.kernels.find(op.getKernelAttr().getAttr());
  if (kernel == context.kernels.end())
    return op.emitOpError("launches ") << op.getKernelAttr() << ", which is no plan.kernel";
  emit(Opcode::Launch, {kernel->second, reg(op.getGrid()), static_cast<int32_t>(op.getBuffers().size())});
  for (Value buffer : op.getBuffers())
    body.push_back(buf(buffer));
  body.push_back(op.getScalars().size());
  for (Value scalar : op.getScalars())
    body.push_back(reg(scalar));
  return success();
}

LogicalResult Encoder::encode(plan::CopyOp op) {
  emit(Opcode::Copy, {buf(op.getTarget()), buf(op.getSource()), reg(op.getBytes())});
  return success();
}

LogicalResult Encoder::encode(plan::FillOp op) {
  emit(Opcode::Fill, {buf(op.getTarget()), reg(op.getByte()), reg(op.getBytes())});
  return success();
}

LogicalResult Encoder::encode(plan::LoadOp op) {
  result.replayable = false;
  emit(Opcode::Load, {reg(op.getResult()), buf(op.getSource()), reg(op.getIndex()),
                      static_cast<int32_t>(dtypeOf(op.getElementType()))});
  return success();
}

LogicalResult Encoder::encode(plan::StoreOp op) {
  emit(Opcode::Store, {buf(op.getTarget()), reg(op.getIndex()), reg(op.getValue()),
                       static_cast<int32_t>(dtypeOf(op.getElementType()))});
  return success();
}

LogicalResult Encoder::encode(plan::CheckOp op) {
  std::string text;
  for (const std::string &node : nodeNames(op.getLoc()))
    text += (text.empty() ? "node '" : ", '") + node + "'";
  if (!text.empty())
    text += ": ";
  text += op.getMessage();
  auto [it, isNew] = messages.insert({text, result.messages.size()});
  if (isNew)
    result.messages.push_back(text);
  emit(Opcode::Check, {reg(op.getCondition()), it->second});
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Encoder::encode(plan::IfOp op) {
  auto branch = [&](Block &block) -> LogicalResult {
    if (failed(encodeBlock(block)))
      return failure();
    Moves integers, buffers;
    for (auto [target, source] : llvm::zip_equal(op.getResults(), block.back().getOperands())) {
      if (isa<plan::BufferType>(target.getType()))
        buffers.emplace_back(buf(target), buf(source));
      else
        integers.emplace_back(reg(target), reg(source));
    }
    emitMoves(integers, /*buffers=*/false);
    emitMoves(buffers, /*buffers=*/true);
    return success();
  };
  size_t toElse = emitJump(reg(op.getCondition()));
  if (failed(branch(*op.thenBlock())))
    return failure();
  bool hasElse = op.elseBlock()->getOperations().size() > 1 || op.getNumResults() != 0;
  if (!hasElse) {
    land(toElse);
    return success();
  }
  size_t toEnd = emitJump();
  land(toElse);
  if (failed(branch(*op.elseBlock())))
    return failure();
  land(toEnd);
  return success();
}

LogicalResult Encoder::encode(plan::LoopOp op) {
  auto yield = cast<plan::YieldOp>(op.getBodyBlock()->back());
  Value next = yield.getValues().front();
  bool counts = matchPattern(op.getCondition(), m_One()) && matchPattern(next, m_One());

  // Carried values live in one place each; the results are what is there last.
  Moves integers, buffers, backIntegers, backBuffers;
  for (auto [argument, outcome, init, back] :
       llvm::zip_equal(op.getCarriedArgs(), op.getResults(), op.getInits(), yield.getValues().drop_front())) {
    if (isa<plan::BufferType>(argument.getType())) {
      int32_t place = newBuffer();
      places[argument] = places[outcome] = place;
      buffers.emplace_back(place, buf(init));
    } else {
      int32_t place = newRegister();
      places[argument] = places[outcome] = place;
      integers.emplace_back(place, reg(init));
    }
  }
  int32_t induction = newRegister(), condition = newRegister();
  places[op.getInductionVar()] = induction;
  integers.emplace_back(induction, constant(0));
  if (!counts)
    integers.emplace_back(condition, reg(op.getCondition()));
  emitMoves(integers, /*buffers=*/false);
  emitMoves(buffers, /*buffers=*/true);

  size_t head = body.size();
  int32_t inRange = counts ? condition : newRegister();
  emit(Opcode::CmpLt, {inRange, induction, reg(op.getTrips())});
  if (!counts)
    emit(Opcode::And, {inRange, inRange, condition});
  size_t exit = emitJump(inRange);
  if (failed(encodeBlock(*op.getBodyBlock())))
    return failure();
  for (auto [argument, back] : llvm::zip_equal(op.getCarriedArgs(), yield.getValues().drop_front())) {
    if (isa<plan::BufferType>(argument.getType()))
      backBuffers.emplace_back(buf(argument), buf(back));
    else
      backIntegers.emplace_back(reg(argument), reg(back));
  }
  if (!counts)
    backIntegers.emplace_back(condition, reg(next));
  emitMoves(backIntegers, /*buffers=*/false);
  emitMoves(backBuffers, /*buffers=*/true);
  emit(Opcode::Add, {induction, induction, constant(1)});
  jumpBack(head);
  land(exit);
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

const llvm::StringMap<Encoder::Row> &Encoder::table() {
  static const llvm::StringMap<Row> rows = [] {
    llvm::StringMap<Row> rows = {
        {"arith.constant", {&Encoder::skip}},
        {"arith.cmpi", {&Encoder::as<arith::CmpIOp>}},
        {"arith.select", {&Encoder::as<arith::SelectOp>}},
        {"arith.index_cast", {&Encoder::cast_}},
        {"arith.index_castui", {&Encoder::cast_}},
        {"arith.extsi", {&Encoder::cast_}},
        {"arith.extui", {&Encoder::cast_}},
        {"arith.trunci", {&Encoder::cast_}},
        {"plan.input", {&Encoder::as<plan::InputOp>}},
        {"plan.input_dim", {&Encoder::as<plan::InputDimOp>}},
        {"plan.output_buffer", {&Encoder::as<plan::OutputBufferOp>}},
        {"plan.output_dim", {&Encoder::as<plan::OutputDimOp>}},
        {"plan.constant", {&Encoder::as<plan::ConstantOp>}},
        {"plan.alloc", {&Encoder::as<plan::AllocOp>}},
        {"plan.reserve", {&Encoder::as<plan::ReserveOp>}},
        {"plan.release", {&Encoder::as<plan::ReleaseOp>}},
        {"plan.grow", {&Encoder::as<plan::GrowOp>}},
        {"plan.view", {&Encoder::as<plan::ViewOp>}},
        {"plan.launch", {&Encoder::as<plan::LaunchOp>}},
        {"plan.copy", {&Encoder::as<plan::CopyOp>}},
        {"plan.fill", {&Encoder::as<plan::FillOp>}},
        {"plan.load", {&Encoder::as<plan::LoadOp>}},
        {"plan.store", {&Encoder::as<plan::StoreOp>}},
        {"plan.check", {&Encoder::as<plan::CheckOp>}},
        {"plan.if", {&Encoder::as<plan::IfOp>}},
        {"plan.loop", {&Encoder::as<plan::LoopOp>}},
        {"plan.yield", {&Encoder::skip}},
    };
    for (const auto &entry : binaryOpcodes())
      rows[entry.getKey()] = {&Encoder::binary};
    return rows;
  }();
  return rows;
}

LogicalResult Encoder::encodeBlock(Block &block) {
  bool ok = true;
  for (Operation &op : block) {
    auto row = table().find(op.getName().getStringRef());
    if (row == table().end()) {
      op.emitOpError("has no place in a program");
      ok = false;
    } else {
      ok &= succeeded((this->*row->second.encode)(&op));
    }
  }
  return success(ok);
}

FailureOr<EncodedProgram> Encoder::run(plan::ProgramOp program) {
  if (failed(encodeBlock(*program.getBodyBlock())))
    return failure();
  emit(Opcode::End);
  for (auto [value, place] : constants)
    result.code.insert(result.code.end(), {static_cast<int32_t>(Opcode::Const), place, poolIndex(value)});
  size_t shift = result.code.size();
  if (shift + body.size() > size_t(1) << 28)
    return program.emitOpError("has more instructions than a file can hold");
  for (size_t jump : jumpTargets)
    body[jump] += shift;
  result.code.insert(result.code.end(), body.begin(), body.end());
  return std::move(result);
}

FailureOr<EncodedProgram> hone::serialization::encodeProgram(plan::ProgramOp program, EncodingContext &context) {
  return Encoder(context).run(program);
}
