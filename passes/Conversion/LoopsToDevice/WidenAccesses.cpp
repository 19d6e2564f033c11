//===- WidenAccesses.cpp - Several elements with one access ---------------===//
//
// What a thread moves with one access is up to sixteen bytes: one element of four or fewer leaves most of it unused,
// and an elementwise kernel does little but move elements.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/LoopsToDevice/IterationSpace.h"
#include "passes/Conversion/LoopsToDevice/KernelSizes.h"
#include "passes/Conversion/LoopsToDevice/Passes.h"

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace hone::loops_to_device {
#define GEN_PASS_DEF_WIDENACCESSESPASS
#include "passes/Conversion/LoopsToDevice/Passes.h.inc"
} // namespace hone::loops_to_device

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

/// Ops of all copies of a loop's body: a longer one has other things to do than to wait for memory.
static constexpr int64_t kMostOps = 256;

/// Whether `value`, the end of a loop, is a multiple of `width` whatever the sizes are.
static bool isMultiple(Value value, int64_t width) {
  if (auto number = getConstantIntValue(value))
    return *number % width == 0;
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return isMultiple(product.getLhs(), width) || isMultiple(product.getRhs(), width);
  // The extent of dimensions seen as one.
  auto dim = value.getDefiningOp<memref::DimOp>();
  auto collapsed = dim ? dim.getSource().getDefiningOp<memref::CollapseShapeOp>() : memref::CollapseShapeOp();
  auto position = dim ? dim.getConstantIndex() : std::nullopt;
  if (!collapsed || !position)
    return false;
  ArrayRef<int64_t> shape = collapsed.getSrcType().getShape();
  return llvm::any_of(collapsed.getReassociationIndices()[*position],
                      [&](int64_t inner) { return !ShapedType::isDynamic(shape[inner]) && shape[inner] % width == 0; });
}

/// Whether the memory behind `buffer` starts at an address that the runtime or this compiler has aligned, and how it is
/// strided tells where in it elements lie.
static bool hasKnownStart(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
             memref::ReinterpretCastOp>(view))
      return false;
    buffer = view.getViewSource();
  }
  Operation *owner = buffer.getParentBlock()->getParentOp();
  bool isPlace = isa<BlockArgument>(buffer) || buffer.getDefiningOp<memref::AllocOp>();
  return isPlace && isa<func::FuncOp>(owner) && cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
}

/// Whether `width` elements that start where the last index is a multiple of it lie at an address aligned to all of
/// them.
static bool isAligned(Value buffer, int64_t width) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!hasKnownStart(buffer))
    return false;
  if (type.getLayout().isIdentity()) {
    int64_t extent = type.getShape().back();
    return type.getRank() == 1 || (!ShapedType::isDynamic(extent) && extent % width == 0);
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return false;
  auto isWhole = [&](int64_t number) { return !ShapedType::isDynamic(number) && number % width == 0; };
  return isWhole(offset) && llvm::all_of(ArrayRef(strides).drop_back(), isWhole);
}

namespace {

/// A loop whose innermost variable runs along memory.
class Widening {
public:
  Widening(scf::ParallelOp loop, int64_t bytes, const TargetInfo &info)
      : loop(loop), variable(loop.getInductionVars().back()), bytes(bytes), info(info) {}

  /// Whether all accesses are at single places or run along memory.
  bool analyze();
  /// How many elements an iteration can take; 1: no more than it does.
  int64_t width();
  void widen(int64_t width);

private:
  bool isDependent(Value value) const { return dependent.contains(value); }
  bool takeAccess(Operation *op, Value buffer, ValueRange indices, Type element);
  /// Emits all copies of `op`.
  void copy(OpBuilder &builder, Operation *op, int64_t width);
  SmallVector<Value> indicesOf(ValueRange indices) const;

  scf::ParallelOp loop;
  Value variable;
  int64_t bytes;
  const TargetInfo &info;
  DenseSet<Value> dependent;  ///< on the variable
  SmallVector<Value> buffers; ///< that are accessed along memory
  int64_t largest = 0;        ///< bytes of their elements
  int64_t ops = 0;            ///< that every element needs
  IRMapping common;           ///< of what all elements share
  SmallVector<IRMapping> elements;
};

struct WidenAccessesPass final : loops_to_device::impl::WidenAccessesPassBase<WidenAccessesPass> {
  using WidenAccessesPassBase::WidenAccessesPassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isDeclaration() || kernel->hasAttr(graph_to_plan::kWorkgroupSizeAttribute))
      return;
    // Several loops may become one over rows, whose iterations are too few to share out once more.
    auto loops = kernel.getBody().front().getOps<scf::ParallelOp>();
    if (!llvm::hasSingleElement(loops))
      return;
    auto module = kernel->getParentOfType<ModuleOp>();
    TargetInfo info = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    Widening widening(*loops.begin(), bytes, info);
    if (!widening.analyze())
      return;
    if (int64_t width = widening.width(); width > 1)
      widening.widen(width);
  }
};

} // namespace

bool Widening::takeAccess(Operation *op, Value buffer, ValueRange indices, Type element) {
  bool isAlong = llvm::any_of(indices, [&](Value index) { return isDependent(index); });
  if (!isAlong)
    return isa<memref::LoadOp>(op);
  if (indices.back() != variable || llvm::any_of(indices.drop_back(), [&](Value index) { return isDependent(index); }))
    return false;
  buffers.push_back(buffer);
  largest = std::max(largest, elementBytes(element));
  return true;
}

bool Widening::analyze() {
  if (loop.getNumReductions() != 0 || getConstantIntValue(loop.getStep().back()) != 1 ||
      getConstantIntValue(loop.getLowerBound().back()) != 0)
    return false;
  dependent.insert(variable);
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool fits = false;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      fits = takeAccess(load, load.getMemRef(), load.getIndices(), load.getType());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      fits = takeAccess(store, store.getMemRef(), store.getIndices(), store.getValue().getType());
    else
      fits = op.getNumRegions() == 0 && isMemoryEffectFree(&op);
    if (!fits)
      return false;
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return isDependent(operand); })) {
      dependent.insert_range(op.getResults());
      ++ops;
    }
  }
  return largest != 0;
}

int64_t Widening::width() {
  // As many threads as the device runs are worth more than long accesses.
  int64_t threads = int64_t(info.computeUnits) * info.workgroupSize;
  std::optional<int64_t> count = 1;
  for (auto [low, high, step] : llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    auto here = trips(low, high, step);
    count = here && count ? std::optional(llvm::SaturatingMultiply<uint64_t>(*here, *count)) : std::nullopt;
  }
  int64_t width = llvm::bit_floor(uint64_t(std::max<int64_t>(bytes / largest, 1)));
  auto fits = [&] {
    return (!count || *count / width >= threads) && ops * width <= kMostOps &&
           isMultiple(loop.getUpperBound().back(), width) &&
           llvm::all_of(buffers, [&](Value buffer) { return isAligned(buffer, width); });
  };
  while (width > 1 && !fits())
    width /= 2;
  return width;
}

SmallVector<Value> Widening::indicesOf(ValueRange indices) const {
  return llvm::map_to_vector(indices, [&](Value index) { return common.lookupOrDefault(index); });
}

void Widening::copy(OpBuilder &builder, Operation *op, int64_t width) {
  Location loc = op->getLoc();
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    auto type = VectorType::get({width}, store.getValue().getType());
    Value stored;
    if (isDependent(store.getValue())) {
      SmallVector<Value> values =
          llvm::map_to_vector(elements, [&](IRMapping &element) { return element.lookupOrDefault(store.getValue()); });
      stored = vector::FromElementsOp::create(builder, loc, type, values);
    } else {
      stored = vector::BroadcastOp::create(builder, loc, type, common.lookupOrDefault(store.getValue()));
    }
    vector::StoreOp::create(builder, loc, stored, common.lookupOrDefault(store.getMemRef()),
                            indicesOf(store.getIndices()));
    return;
  }
  if (llvm::none_of(op->getOperands(), [&](Value operand) { return isDependent(operand); })) {
    builder.clone(*op, common);
    for (IRMapping &element : elements)
      element.map(op->getResults(), common.lookup(op->getResult(0)).getDefiningOp()->getResults());
    return;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    auto type = VectorType::get({width}, load.getType());
    Value loaded = vector::LoadOp::create(builder, loc, type, common.lookupOrDefault(load.getMemRef()),
                                          indicesOf(load.getIndices()));
    for (auto [i, element] : llvm::enumerate(elements))
      element.map(load.getResult(), vector::ExtractOp::create(builder, loc, loaded, int64_t(i)));
    return;
  }
  for (IRMapping &element : elements)
    builder.clone(*op, element);
}

void Widening::widen(int64_t width) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> steps = loop.getStep();
  steps.back() = arith::ConstantIndexOp::create(builder, loc, width);
  auto wide = scf::ParallelOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), steps);
  builder.setInsertionPointToStart(wide.getBody());
  common.map(loop.getInductionVars(), wide.getInductionVars());
  bool isNumber =
      llvm::any_of(variable.getUsers(), [](Operation *user) { return !isa<memref::LoadOp, memref::StoreOp>(user); });
  for (int64_t i = 0; i < width; ++i) {
    IRMapping &element = elements.emplace_back(common);
    if (isNumber && i > 0) {
      Value distance = arith::ConstantIndexOp::create(builder, loc, i);
      element.map(variable, arith::AddIOp::create(builder, loc, common.lookup(variable), distance).getResult());
    }
  }
  for (Operation &op : loop.getBody()->without_terminator())
    copy(builder, &op, width);
  loop.erase();
}
