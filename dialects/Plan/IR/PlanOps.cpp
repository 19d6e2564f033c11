//===- PlanOps.cpp - Verifiers, folders, effects of straight-line ops -----===//

#include "dialects/Plan/IR/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace hone::plan;

/// Checks that `op` refers to one of the program's inputs or outputs, and to
/// one of its dimensions if `dim` is given.
static LogicalResult verifyPosition(Operation *op, StringRef what, int64_t position, std::optional<int64_t> dim = {}) {
  auto program = op->getParentOfType<ProgramOp>();
  if (!program)
    return op->emitOpError("stands outside of a plan.program");
  ArrayAttr tensors = what == "input" ? program.getInputs() : program.getOutputs();
  if (position >= static_cast<int64_t>(tensors.size()))
    return op->emitOpError("names ") << what << " #" << position << " of " << tensors.size();
  auto tensor = cast<TensorAttr>(tensors[position]);
  if (dim && *dim >= static_cast<int64_t>(tensor.getDims().size()))
    return op->emitOpError("names dimension #")
           << *dim << " of " << what << " " << tensor.getName() << " of rank " << tensor.getDims().size();
  return success();
}

/// Checks the type of the elements that `op` loads or stores.
static LogicalResult verifyLoadable(Operation *op, Type type) {
  if (!isa<IntegerType>(type) || !isElementType(type))
    return op->emitOpError("needs an integer element type, but has ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name, StringRef target,
                      ArrayRef<TensorAttr> inputs, ArrayRef<TensorAttr> outputs) {
  auto &properties = state.getOrAddProperties<Properties>();
  auto toArray = [&](ArrayRef<TensorAttr> tensors) {
    return builder.getArrayAttr(SmallVector<Attribute>(tensors.begin(), tensors.end()));
  };
  properties.sym_name = builder.getStringAttr(name);
  properties.target = builder.getStringAttr(target);
  properties.inputs = toArray(inputs);
  properties.outputs = toArray(outputs);
  state.addRegion()->emplaceBlock();
}

LogicalResult KernelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<ExecutableOp>(*this, getExecutableAttr()))
    return emitOpError("lies in ") << getExecutableAttr() << ", which is no plan.executable";
  return success();
}

LogicalResult ExecutableOp::verify() {
  ShapedType type = getCode().getShapedType();
  if (!type.getElementType().isInteger(8) || !type.hasStaticShape())
    return emitOpError("needs code of type i8, but has ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult InputOp::verify() { return verifyPosition(*this, "input", getIndex()); }

LogicalResult InputDimOp::verify() { return verifyPosition(*this, "input", getInput(), getDim()); }

OpFoldResult InputDimOp::fold(FoldAdaptor) {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program)
    return {};
  DimAttr dim = program.getInput(getInput()).getDims()[getDim()];
  if (!dim.isStatic())
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), dim.getSize());
}

LogicalResult OutputBufferOp::verify() { return verifyPosition(*this, "output", getIndex()); }

LogicalResult OutputDimOp::verify() { return verifyPosition(*this, "output", getOutput(), getDim()); }

LogicalResult ConstantOp::verify() {
  ShapedType type = getValue().getShapedType();
  if (!isElementType(type.getElementType()))
    return emitOpError("has elements of type ") << type.getElementType() << ", which a buffer cannot hold";
  if (!staticBytes(type))
    return emitOpError("has no representable size: ") << type;
  return success();
}

LogicalResult AllocOp::verify() {
  int64_t alignment = std::max<int64_t>(64, getAlignment().value_or(64));
  if (getOffset() && *getOffset() % alignment != 0)
    return emitOpError("has offset ") << *getOffset() << ", which is no multiple of " << alignment;
  return success();
}

LogicalResult ReserveOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                          DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  types.assign(operands.size(), BufferType::get(context));
  return success();
}

LogicalResult ReserveOp::verify() {
  if (getFirst().size() != getSizes().size() || getLast().size() != getSizes().size())
    return emitOpError("needs one lifetime for each of its ") << getSizes().size() << " sizes";
  for (auto [first, last] : llvm::zip_equal(getFirst(), getLast()))
    if (first < 0 || last < first)
      return emitOpError("has an empty or negative lifetime [") << first << ", " << last << "]";
  return success();
}

LogicalResult ViewOp::canonicalize(ViewOp op, PatternRewriter &rewriter) {
  // A view of a view is a view of the base.
  auto base = op.getSource().getDefiningOp<ViewOp>();
  if (!base)
    return rewriter.notifyMatchFailure(op, "not a view of a view");
  Value offset = arith::AddIOp::create(rewriter, op.getLoc(), base.getOffset(), op.getOffset());
  rewriter.replaceOpWithNewOp<ViewOp>(op, base.getSource(), offset, op.getBytes());
  return success();
}

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

void LaunchOp::build(OpBuilder &builder, OperationState &state, StringRef kernel, Value grid, ValueRange buffers,
                     ValueRange scalars, ArrayRef<int64_t> writes, ArrayRef<std::pair<int64_t, int64_t>> inplace) {
  SmallVector<int64_t> pairs;
  for (auto [in, out] : inplace)
    pairs.append({in, out});
  auto &properties = state.getOrAddProperties<Properties>();
  properties.kernel = FlatSymbolRefAttr::get(builder.getContext(), kernel);
  properties.writes = builder.getDenseI64ArrayAttr(writes);
  properties.inplace = builder.getDenseI64ArrayAttr(pairs);
  properties.operandSegmentSizes = {1, static_cast<int32_t>(buffers.size()), static_cast<int32_t>(scalars.size())};
  state.addOperands(grid);
  state.addOperands(buffers);
  state.addOperands(scalars);
}

SmallVector<std::pair<int64_t, int64_t>> LaunchOp::getInplacePairs() {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i + 1 < getInplace().size(); i += 2)
    pairs.emplace_back(getInplace()[i], getInplace()[i + 1]);
  return pairs;
}

void LaunchOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &buffer : getBuffersMutable()) {
    effects.emplace_back(MemoryEffects::Read::get(), &buffer);
    unsigned first = getBuffers().getBeginOperandIndex();
    if (isWritten(buffer.getOperandNumber() - first))
      effects.emplace_back(MemoryEffects::Write::get(), &buffer);
  }
}

LogicalResult LaunchOp::verify() {
  int64_t count = getBuffers().size();
  llvm::SmallBitVector written(count);
  for (int64_t position : getWrites()) {
    if (position < 0 || position >= count)
      return emitOpError("writes buffer #") << position << " of " << count;
    if (written.test(position))
      return emitOpError("names written buffer #") << position << " twice";
    written.set(position);
  }
  if (getInplace().size() % 2 != 0)
    return emitOpError("needs pairs of buffers in `inplace`");
  for (auto [in, out] : getInplacePairs()) {
    if (in < 0 || in >= count || out < 0 || out >= count)
      return emitOpError("works in place on buffers #") << in << " and #" << out << " of " << count;
    if (written.test(in) || !written.test(out))
      return emitOpError("works in place from a buffer it reads to one it "
                         "writes, but has the pair ")
             << in << " -> " << out;
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("launches ") << getKernelAttr() << ", which is no plan.kernel";
  if (kernel.getBuffers() != getBuffers().size() || kernel.getScalars() != getScalars().size())
    return emitOpError("passes ") << getBuffers().size() << " buffers and " << getScalars().size() << " scalars to "
                                  << getKernelAttr() << ", which takes " << kernel.getBuffers() << " and "
                                  << kernel.getScalars();
  return success();
}

LogicalResult CopyOp::canonicalize(CopyOp op, PatternRewriter &rewriter) {
  if (op.getSource() != op.getTarget() && !matchPattern(op.getBytes(), m_Zero()))
    return rewriter.notifyMatchFailure(op, "copies something");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult FillOp::canonicalize(FillOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getBytes(), m_Zero()))
    return rewriter.notifyMatchFailure(op, "fills something");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult LoadOp::verify() { return verifyLoadable(*this, getElementType()); }

OpFoldResult LoadOp::fold(FoldAdaptor adaptor) {
  // Constants are read only: what is loaded is known.
  auto constant = getSource().getDefiningOp<ConstantOp>();
  auto index = dyn_cast_or_null<IntegerAttr>(adaptor.getIndex());
  if (!constant || !index)
    return {};
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.getElementType() != getElementType() || index.getInt() < 0 ||
      index.getInt() >= elements.getNumElements())
    return {};
  APInt value = *std::next(elements.value_begin<APInt>(), index.getInt());
  bool isUnsigned = getElementType().isInteger(1) || getElementType().isUnsignedInteger();
  // The machine's integers are signed; larger ones are its own concern.
  if (isUnsigned && value.getActiveBits() > 63)
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), isUnsigned ? value.getZExtValue() : value.getSExtValue());
}

LogicalResult StoreOp::verify() { return verifyLoadable(*this, getElementType()); }

LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op, "may fail");
  rewriter.eraseOp(op);
  return success();
}
