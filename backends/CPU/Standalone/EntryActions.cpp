//===- EntryActions.cpp - Buffers and work as code ------------------------===//
//
// A buffer is an address. Buffers of run-time size lie behind the planned ones in the arena, packed frame by
// frame as the runtime does it; a function that only tells sizes does everything here but the work.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Standalone/EntryWriter.h"

#include "lib/Support/UserError.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;
using arith::CmpIPredicate;

/// More than any machine can address; sums of such sizes do not overflow.
static constexpr int64_t kLargestBuffer = int64_t(1) << 48;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult EntryWriter::translate(plan::InputOp op) {
  set(op, load(slot(in, interface.inputs[op.getIndex()].slot), pointer));
  return success();
}

LogicalResult EntryWriter::translate(plan::OutputBufferOp op) {
  const CTensor &output = interface.outputs[op.getIndex()];
  Value bytes = get(op.getBytes());
  suspect(compare(CmpIPredicate::ugt, bytes, integer(kLargestBuffer)));
  settle();
  Value address = load(slot(out, output.slot), pointer);
  set(op, address);
  if (mode == Mode::Sizes) {
    if (output.isDynamic())
      store(bytes, slot(out, output.slot + 1));
    return success();
  }
  if (output.isDynamic()) {
    Block *small = addBlock(), *large = addBlock();
    Value room = load(slot(out, output.slot + 1), i64);
    branchIf(compare(CmpIPredicate::ult, room, bytes), small, large);
    builder.setInsertionPointToEnd(small);
    store(bytes, slot(out, output.slot + 1));
    ret(MessageTable::kOutputTooSmall);
    builder.setInsertionPointToEnd(large);
  }
  Value number = LLVM::PtrToIntOp::create(builder, loc, i64, address);
  Value low = arith::AndIOp::create(builder, loc, number, integer(output.element.bytes - 1));
  Value misplaced = arith::OrIOp::create(builder, loc, compare(CmpIPredicate::eq, number, integer(0)),
                                         compare(CmpIPredicate::ne, low, integer(0)));
  Value any = compare(CmpIPredicate::ne, bytes, integer(0));
  failIf(arith::AndIOp::create(builder, loc, any, misplaced),
         messages.add("output '" + output.name + "' is NULL or not aligned to its elements"));
  return success();
}

LogicalResult EntryWriter::translate(plan::OutputDimOp op) {
  const CTensor &output = interface.outputs[op.getOutput()];
  if (output.isDynamic())
    store(get(op.getValue()), slot(out, output.slot + 2 + op.getDim()));
  return success();
}

LogicalResult EntryWriter::translate(plan::ConstantOp op) {
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, interface.function("constants"));
  set(op, offset(base, integer(request.constantOffsets.lookup(op))));
  return success();
}

LogicalResult EntryWriter::translate(plan::AllocOp op) {
  if (!op.getOffset())
    return op.emitOpError("has no place in memory yet: memory planning comes before");
  set(op, mode == Mode::Sizes ? LLVM::ZeroOp::create(builder, loc, pointer).getResult()
                              : offset(arena, integer(*op.getOffset())));
  return success();
}

LogicalResult EntryWriter::translate(plan::ViewOp op) {
  set(op, offset(get(op.getSource()), get(op.getOffset())));
  return success();
}

LogicalResult EntryWriter::translate(plan::GrowOp op) {
  // What follows is still translated, to find what else cannot be done.
  set(op, LLVM::ZeroOp::create(builder, loc, pointer));
  return emitUserError(op.getLoc()) << "collects results of a number of trips that is not known before, which takes "
                                       "memory without a bound: compile it to a module for the runtime";
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// Moves the end of the frames; a run ends where the arena does.
void EntryWriter::enlargeArena(Value newTop) {
  store(newTop, top);
  if (mode == Mode::Sizes) {
    store(arith::MaxSIOp::create(builder, loc, load(peak, i64), newTop).getResult(), peak);
    return;
  }
  Value tooSmall = compare(CmpIPredicate::ugt, newTop, limit);
  if (interface.dependence == DataDependence::Computed) {
    Block *bad = addBlock(), *good = addBlock();
    branchIf(tooSmall, bad, good);
    builder.setInsertionPointToEnd(bad);
    store(newTop, slot(out, interface.neededSlot));
    ret(MessageTable::kArenaTooSmall);
    builder.setInsertionPointToEnd(good);
    return;
  }
  failIf(tooSmall, MessageTable::kArenaTooSmall);
}

/// First and last step of each buffer of the frame, as constant data.
Value EntryWriter::livesOf(plan::ReserveOp op) {
  SmallVector<int64_t> steps;
  for (auto [first, last] : llvm::zip_equal(op.getFirst(), op.getLast()))
    steps.append({first, last});
  std::string name = "lives." + std::to_string(frameNumbers.lookup(op));
  auto existing = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!existing) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(i64, steps.size());
    existing = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, name,
                                      builder.getI64TensorAttr(steps));
  }
  return LLVM::AddressOfOp::create(builder, loc, existing);
}

LogicalResult EntryWriter::translate(plan::ReserveOp op) {
  int64_t count = op.getSizes().size();
  Value sizes = local(i64, count), offsets = local(i64, count);
  for (auto [i, size] : llvm::enumerate(op.getSizes())) {
    Value bytes = get(size);
    suspect(compare(CmpIPredicate::ugt, bytes, integer(kLargestBuffer)));
    Value padded = arith::AndIOp::create(builder, loc, arith::AddIOp::create(builder, loc, bytes, integer(63)),
                                         integer(~int64_t(63)));
    store(padded, slot(sizes, i));
  }
  settle();
  Value total;
  if (count == 1) {
    store(integer(0), offsets);
    total = load(sizes, i64);
  } else {
    total = LLVM::CallOp::create(builder, loc, TypeRange{i64}, kPackFunction,
                                 ValueRange{sizes, livesOf(op), offsets, integer(count)})
                .getResult();
  }
  Value begin = load(top, i64);
  marks.push_back(begin);
  enlargeArena(arith::AddIOp::create(builder, loc, begin, total));
  for (auto [i, buffer] : llvm::enumerate(op.getBuffers())) {
    if (mode == Mode::Sizes) {
      set(buffer, LLVM::ZeroOp::create(builder, loc, pointer));
      continue;
    }
    Value at = arith::AddIOp::create(builder, loc, begin, load(slot(offsets, i), i64));
    set(buffer, offset(arena, at));
  }
  return success();
}

/// Closes the newest frame, or all that one branch or loop left open.
LogicalResult EntryWriter::translate(plan::ReleaseOp op) {
  if (marks.empty())
    return op.emitOpError("closes a frame that was not opened in its block");
  store(marks.pop_back_val(), top);
  return success();
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp EntryWriter::declareKernel(StringRef name) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer, pointer, i64, i64});
  return LLVM::LLVMFuncOp::create(builder, loc, name, type);
}

LogicalResult EntryWriter::translate(plan::LaunchOp op) {
  settle();
  if (mode == Mode::Sizes)
    return success();
  auto kernel = SymbolTable::lookupNearestSymbolFrom<plan::KernelOp>(op, op.getKernelAttr());
  if (!kernel)
    return op.emitOpError("launches ") << op.getKernelAttr() << ", which is no plan.kernel";
  LLVM::LLVMFuncOp callee = declareKernel(kernel.getEntryName());
  Value buffers = launchBuffers, scalars = launchScalars;
  for (auto [i, buffer] : llvm::enumerate(op.getBuffers()))
    store(get(buffer), slot(buffers, i));
  for (auto [i, scalar] : llvm::enumerate(op.getScalars()))
    store(get(scalar), slot(scalars, i));
  Value grid = get(op.getGrid());
  // A kernel is never called without work.
  Block *call = addBlock(), *end = addBlock();
  branchIf(compare(CmpIPredicate::sgt, grid, integer(0)), call, end);
  builder.setInsertionPointToEnd(call);
  LLVM::CallOp::create(builder, loc, callee, ValueRange{buffers, scalars, integer(0), grid});
  branch(end);
  builder.setInsertionPointToEnd(end);
  return success();
}

LogicalResult EntryWriter::translate(plan::CopyOp op) {
  suspect(compare(CmpIPredicate::ugt, get(op.getBytes()), integer(kLargestBuffer)));
  settle();
  // Copies may be of a range onto itself.
  if (mode == Mode::Run)
    LLVM::MemmoveOp::create(builder, loc, get(op.getTarget()), get(op.getSource()), get(op.getBytes()),
                            /*isVolatile=*/false);
  return success();
}

LogicalResult EntryWriter::translate(plan::FillOp op) {
  suspect(compare(CmpIPredicate::ugt, get(op.getBytes()), integer(kLargestBuffer)));
  settle();
  if (mode == Mode::Sizes)
    return success();
  Value byte = arith::TruncIOp::create(builder, loc, builder.getI8Type(), get(op.getByte()));
  LLVM::MemsetOp::create(builder, loc, get(op.getTarget()), byte, get(op.getBytes()), /*isVolatile=*/false);
  return success();
}

/// The address of element `index` and the type of its bytes.
static std::pair<Value, IntegerType> elementOf(OpBuilder &builder, Location loc, Value base, Value index, Type type) {
  unsigned bits = std::max(8u, type.getIntOrFloatBitWidth());
  auto stored = builder.getIntegerType(bits);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address = LLVM::GEPOp::create(builder, loc, pointer, stored, base, ArrayRef<LLVM::GEPArg>{index});
  return {address, stored};
}

LogicalResult EntryWriter::translate(plan::LoadOp op) {
  settle();
  Type type = op.getElementType();
  auto [address, stored] = elementOf(builder, loc, get(op.getSource()), get(op.getIndex()), type);
  Value value = load(address, stored);
  if (type.isInteger(1))
    value =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, value, LLVM::ZeroOp::create(builder, loc, stored));
  bool isUnsigned = type.isInteger(1) || type.isUnsignedInteger();
  if (value.getType() != i64)
    value = isUnsigned ? arith::ExtUIOp::create(builder, loc, i64, value).getResult()
                       : arith::ExtSIOp::create(builder, loc, i64, value).getResult();
  else if (isUnsigned)
    suspect(compare(CmpIPredicate::slt, value, integer(0)));
  set(op, value);
  return success();
}

LogicalResult EntryWriter::translate(plan::StoreOp op) {
  settle();
  if (mode == Mode::Sizes)
    return success();
  Type type = op.getElementType();
  auto [address, stored] = elementOf(builder, loc, get(op.getTarget()), get(op.getIndex()), type);
  Value value = get(op.getValue());
  if (type.isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, stored, compare(CmpIPredicate::ne, value, integer(0)));
  else if (stored != i64)
    value = arith::TruncIOp::create(builder, loc, stored, value);
  store(value, address);
  return success();
}
