//===- EntryWriter.cpp - The frame of a program's function ----------------===//
//
// Arguments are checked before anything is touched; outputs that grow with the input report their extents.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Standalone/EntryWriter.h"

#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

MessageTable::MessageTable() {
  add("done");
  add("the arena is too small");
  add("an output is too small");
}

int32_t MessageTable::add(const Twine &text) {
  auto [it, isNew] = codes.insert({text.str(), list.size()});
  if (isNew)
    list.push_back(text.str());
  return it->second;
}

void hone::cpu::writeMessageFunction(ModuleOp module, const StandaloneInterface &interface,
                                     const MessageTable &messages) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i32 = builder.getI32Type();
  auto text = [&](StringRef name, StringRef value) {
    std::string bytes = value.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, name,
                                  builder.getStringAttr(bytes));
  };
  SmallVector<LLVM::GlobalOp> texts;
  for (auto [code, message] : llvm::enumerate(messages.texts()))
    texts.push_back(text("message." + std::to_string(code), message));
  LLVM::GlobalOp unknown = text("message.unknown", "no code of this model");

  auto function = LLVM::LLVMFuncOp::create(builder, loc, interface.function("message"),
                                           LLVM::LLVMFunctionType::get(pointer, {i32}));
  Block *entry = function.addEntryBlock(builder), *end = builder.createBlock(&function.getBody(), {}, pointer, loc);
  builder.setInsertionPointToEnd(end);
  LLVM::ReturnOp::create(builder, loc, end->getArgument(0));
  builder.setInsertionPointToEnd(entry);
  SmallVector<int32_t> codes;
  SmallVector<SmallVector<Value>> operands;
  for (auto [code, global] : llvm::enumerate(texts)) {
    codes.push_back(code);
    operands.push_back({LLVM::AddressOfOp::create(builder, loc, global)});
  }
  Value other = LLVM::AddressOfOp::create(builder, loc, unknown);
  SmallVector<ValueRange> ranges(operands.begin(), operands.end());
  SmallVector<Block *> targets(texts.size(), end);
  LLVM::SwitchOp::create(builder, loc, entry->getArgument(0), end, other, codes, targets, ranges);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

EntryWriter::EntryWriter(const StandaloneRequest &request, const StandaloneInterface &interface, MessageTable &messages,
                         ModuleOp module, Mode mode)
    : request(request), interface(interface), messages(messages), module(module), mode(mode), program(request.program),
      builder(OpBuilder::atBlockEnd(module.getBody())), loc(program.getLoc()),
      pointer(LLVM::LLVMPointerType::get(builder.getContext())), i64(builder.getI64Type()), i32(builder.getI32Type()),
      i1(builder.getI1Type()) {}

Value EntryWriter::integer(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64); }
Value EntryWriter::truth(bool value) { return arith::ConstantIntOp::create(builder, loc, value, 1); }
Value EntryWriter::compare(CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}
Value EntryWriter::offset(Value base, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base, ArrayRef<LLVM::GEPArg>{bytes});
}
Value EntryWriter::slot(Value base, unsigned index) {
  return LLVM::GEPOp::create(builder, loc, pointer, i64, base,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(index))});
}
Value EntryWriter::load(Value address, Type type) { return LLVM::LoadOp::create(builder, loc, type, address); }
void EntryWriter::store(Value value, Value address) { LLVM::StoreOp::create(builder, loc, value, address); }

Value EntryWriter::local(Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  return LLVM::AllocaOp::create(builder, loc, pointer, element, integer(count), /*alignment=*/8);
}

Block *EntryWriter::addBlock(TypeRange arguments) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(arguments.size(), loc);
  return builder.createBlock(&function.getBody(), function.getBody().end(), arguments, locations);
}

void EntryWriter::branch(Block *block, ValueRange operands) { LLVM::BrOp::create(builder, loc, operands, block); }

void EntryWriter::branchIf(Value condition, Block *then, Block *otherwise) {
  LLVM::CondBrOp::create(builder, loc, condition, then, otherwise);
}

void EntryWriter::ret(int32_t code) {
  LLVM::ReturnOp::create(builder, loc, arith::ConstantIntOp::create(builder, loc, code, 32).getResult());
}

void EntryWriter::failIf(Value condition, int32_t code) {
  Block *bad = addBlock(), *good = addBlock();
  branchIf(condition, bad, good);
  builder.setInsertionPointToEnd(bad);
  ret(code);
  builder.setInsertionPointToEnd(good);
}

void EntryWriter::suspect(Value condition) {
  suspected = suspected ? arith::OrIOp::create(builder, loc, suspected, condition).getResult() : condition;
}

void EntryWriter::settle() {
  if (!suspected)
    return;
  Value condition = suspected;
  suspected = nullptr;
  failIf(condition, messages.add("the sizes are too large, negative, or divided by zero"));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::string quoted(plan::TensorAttr tensor) { return "'" + escapeName(tensor.getName().getValue()) + "'"; }

/// Extents are within what the model declares.
void EntryWriter::checkDims() {
  for (const CDim &dim : interface.dims) {
    auto [input, position] = dim.uses.front();
    std::string range = std::to_string(dim.min) + (dim.max == INT64_MAX ? " or more" : ".." + std::to_string(dim.max));
    int32_t code = messages.add("dimension " + Twine(position) + " of input " + quoted(interface.inputs[input].tensor) +
                                " is not " + range);
    Value value = load(slot(in, dim.slot), i64);
    failIf(compare(CmpIPredicate::slt, value, integer(dim.min)), code);
    if (dim.max != INT64_MAX)
      failIf(compare(CmpIPredicate::sgt, value, integer(dim.max)), code);
  }
}

/// The bytes of input `index` can be addressed, and there are some where it has any.
void EntryWriter::checkInput(unsigned index) {
  const CTensor &input = interface.inputs[index];
  Value bytes = integer(input.isDynamic() ? input.element.bytes : input.bytes);
  for (auto [d, dim] : llvm::enumerate(input.tensor.getDims())) {
    if (!input.isDynamic())
      break;
    const CDim *entry = interface.dimOf(index, d);
    Value extent = entry ? load(slot(in, entry->slot), i64) : integer(dim.getSize());
    auto product = LLVM::SMulWithOverflowOp::create(
        builder, loc, LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, i1}), bytes, extent);
    bytes = LLVM::ExtractValueOp::create(builder, loc, product, 0);
    failIf(LLVM::ExtractValueOp::create(builder, loc, product, 1),
           messages.add("input " + quoted(input.tensor) + " is too large"));
  }
  bool isRead = mode == Mode::Run || llvm::is_contained(interface.readInputs, index);
  if (!isRead || input.bytes == 0)
    return;
  Value address = LLVM::PtrToIntOp::create(builder, loc, i64, load(slot(in, input.slot), pointer));
  Value misplaced = compare(CmpIPredicate::eq, address, integer(0));
  Value low = arith::AndIOp::create(builder, loc, address, integer(input.element.bytes - 1));
  misplaced = arith::OrIOp::create(builder, loc, misplaced, compare(CmpIPredicate::ne, low, integer(0)));
  if (input.isDynamic())
    misplaced = arith::AndIOp::create(builder, loc, misplaced, compare(CmpIPredicate::ne, bytes, integer(0)));
  failIf(misplaced, messages.add("input " + quoted(input.tensor) + " is NULL or not aligned to its elements"));
}

void EntryWriter::checkArguments() {
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  auto isNull = [&](Value value) { return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, value, null); };
  auto isArgument = [&](Value value, StringRef name) {
    failIf(isNull(value), messages.add("argument '" + name + "' is NULL"));
  };
  if (!interface.inputs.empty())
    isArgument(in, "inputs");
  if (!interface.outputs.empty())
    isArgument(out, "outputs");
  if (mode == Mode::Sizes)
    isArgument(limit, "arena_bytes");
  checkDims();
  for (unsigned i = 0; i < interface.inputs.size(); ++i)
    checkInput(i);
  if (mode == Mode::Sizes || (!interface.staticBytes && !interface.hasFrames))
    return;
  // Without any bytes it is too small, which is said later.
  Value given = compare(CmpIPredicate::ne, limit, integer(0));
  Value address = LLVM::PtrToIntOp::create(builder, loc, i64, arena);
  Value low = arith::AndIOp::create(builder, loc, address, integer(63));
  Value misplaced = arith::OrIOp::create(builder, loc, compare(CmpIPredicate::eq, address, integer(0)),
                                         compare(CmpIPredicate::ne, low, integer(0)));
  failIf(arith::AndIOp::create(builder, loc, given, misplaced),
         messages.add("the arena is NULL or not aligned to 64 bytes"));
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Room for what the largest launch passes.
void EntryWriter::makeLaunchOperands() {
  int64_t buffers = 1, scalars = 1;
  program.walk([&](plan::LaunchOp launch) {
    buffers = std::max<int64_t>(buffers, launch.getBuffers().size());
    scalars = std::max<int64_t>(scalars, launch.getScalars().size());
  });
  launchBuffers = local(pointer, buffers);
  launchScalars = local(i64, scalars);
}

/// The extents that the program need not set: those of the model, and of symbols that an input has.
void EntryWriter::presetExtents() {
  for (const CTensor &output : interface.outputs) {
    if (!output.isDynamic())
      continue;
    for (auto [d, dim] : llvm::enumerate(output.tensor.getDims())) {
      Value extent = integer(dim.isStatic() ? dim.getSize() : 0);
      for (const CDim &candidate : interface.dims) {
        auto [input, position] = candidate.uses.front();
        plan::DimAttr known = interface.inputs[input].tensor.getDims()[position];
        if (!dim.isStatic() && !dim.getSymbol().empty() && known.getSymbol() == dim.getSymbol())
          extent = load(slot(in, candidate.slot), i64);
      }
      store(extent, slot(out, output.slot + 2 + d));
    }
  }
}

/// The bytes that follow from the extents of outputs.
void EntryWriter::finishOutputs() {
  for (const CTensor &output : interface.outputs) {
    if (!output.isDynamic() || mode == Mode::Sizes)
      continue;
    Value bytes = integer(output.element.bytes);
    for (size_t d = 0; d < output.tensor.getDims().size(); ++d)
      bytes = arith::MulIOp::create(builder, loc, bytes, load(slot(out, output.slot + 2 + d), i64));
    store(bytes, slot(out, output.slot + 1));
  }
  if (mode == Mode::Sizes)
    store(load(peak, i64), limit);
  ret(MessageTable::kDone);
}

LogicalResult EntryWriter::write() {
  SmallVector<Type> arguments{pointer, pointer, pointer};
  if (mode == Mode::Run)
    arguments.push_back(i64);
  function = LLVM::LLVMFuncOp::create(builder, loc, interface.function(mode == Mode::Run ? "run" : "sizes"),
                                      LLVM::LLVMFunctionType::get(i32, arguments));
  // Locals come first, so code starts in a block of its own.
  entry = function.addEntryBlock(builder);
  in = entry->getArgument(0);
  out = entry->getArgument(1);
  (mode == Mode::Run ? arena : limit) = entry->getArgument(2);
  if (mode == Mode::Run)
    limit = entry->getArgument(3);
  Block *start = addBlock();
  builder.setInsertionPointToEnd(entry);
  top = local(i64, 1);
  peak = local(i64, 1);
  builder.setInsertionPointToEnd(entry);
  branch(start);
  builder.setInsertionPointToEnd(start);
  store(integer(0), peak);
  if (mode == Mode::Run)
    makeLaunchOperands();
  program.walk([&](plan::ReserveOp op) { frameNumbers.insert({op, frameNumbers.size()}); });

  checkArguments();
  enlargeArena(integer(interface.hasFrames ? llvm::alignTo(interface.staticBytes, 64) : interface.staticBytes));
  presetExtents();
  if (failed(translateBlock(*program.getBodyBlock())))
    return failure();
  settle();
  finishOutputs();
  return success();
}
