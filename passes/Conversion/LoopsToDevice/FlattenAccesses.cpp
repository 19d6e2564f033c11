//===- FlattenAccesses.cpp - One index for every access -------------------===//
//
// Devices get addresses, no descriptors: where an element lies is arithmetic in the kernel, which the
// optimizer then sees and moves out of loops.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/LoopsToDevice/KernelSizes.h"
#include "passes/Conversion/LoopsToDevice/Passes.h"

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hone::loops_to_device {
#define GEN_PASS_DEF_FLATTENACCESSESPASS
#include "passes/Conversion/LoopsToDevice/Passes.h.inc"
} // namespace hone::loops_to_device

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

/// Constants of up to so many elements are chosen from by comparing the index.
static constexpr int64_t kSelectedElements = 64;

namespace {

/// A buffer as elements of a flat one.
struct Strided {
  Value base; ///< null: not known
  OpFoldResult offset;
  SmallVector<OpFoldResult> sizes, strides;
};

class Flattener {
public:
  explicit Flattener(func::FuncOp kernel) : kernel(kernel), sizes(kernel) {}

  LogicalResult run();

private:
  const Strided &describe(Value buffer);
  Strided compute(Value buffer);
  Strided rowMajor(OpBuilder &builder, Value buffer, Value base);
  Strided ofSubView(OpBuilder &builder, memref::SubViewOp op);
  Strided ofExpandShape(OpBuilder &builder, memref::ExpandShapeOp op);
  Strided ofCollapseShape(OpBuilder &builder, memref::CollapseShapeOp op);
  template <typename Access> LogicalResult flatten(Access op);
  void splitChoices(SmallVectorImpl<Operation *> &accesses);

  func::FuncOp kernel;
  KernelSizes sizes;
  DenseMap<Value, Strided> known;
};

struct FlattenAccessesPass final : loops_to_device::impl::FlattenAccessesPassBase<FlattenAccessesPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isDeclaration() && function->hasAttr(graph_to_plan::kWorkgroupSizeAttribute) &&
        failed(Flattener(function).run()))
      signalPassFailure();
  }
};

} // namespace

static OpFoldResult sum(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, getValueOrCreateConstantIndexOp(builder, loc, a),
                               getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

static MemRefType flatType(MemRefType type) {
  int64_t extent = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  return MemRefType::get({extent}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
}

/// `buffer`, whose elements lie in order, as those of `base`.
Strided Flattener::rowMajor(OpBuilder &builder, Value buffer, Value base) {
  Location loc = buffer.getLoc();
  Strided result{base, builder.getIndexAttr(0), sizes.get(builder, loc, buffer), {}};
  result.strides.resize(result.sizes.size());
  OpFoldResult stride = builder.getIndexAttr(1);
  for (size_t i = result.sizes.size(); i-- > 0;) {
    result.strides[i] = stride;
    if (!result.sizes[i])
      return {};
    if (i > 0)
      stride = product(builder, loc, {stride, result.sizes[i]});
  }
  return result;
}

Strided Flattener::ofSubView(OpBuilder &builder, memref::SubViewOp op) {
  const Strided source = describe(op.getSource());
  if (!source.base)
    return {};
  Location loc = op.getLoc();
  Strided result{source.base, source.offset, {}, {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  auto offsets = op.getMixedOffsets(), extents = op.getMixedSizes(), steps = op.getMixedStrides();
  for (size_t i = 0; i < offsets.size(); ++i) {
    OpFoldResult shift = product(builder, loc, {offsets[i], source.strides[i]});
    result.offset = sum(builder, loc, result.offset, shift);
    if (dropped.test(i))
      continue;
    result.sizes.push_back(extents[i]);
    result.strides.push_back(product(builder, loc, {steps[i], source.strides[i]}));
  }
  return result;
}

Strided Flattener::ofExpandShape(OpBuilder &builder, memref::ExpandShapeOp op) {
  const Strided source = describe(op.getSrc());
  if (!source.base)
    return {};
  Strided result{source.base, source.offset, op.getMixedOutputShape(), {}};
  result.strides.resize(result.sizes.size(), builder.getIndexAttr(1));
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = source.strides[dim];
    for (int64_t inner : llvm::reverse(group)) {
      result.strides[inner] = stride;
      stride = product(builder, op.getLoc(), {stride, result.sizes[inner]});
    }
  }
  return result;
}

Strided Flattener::ofCollapseShape(OpBuilder &builder, memref::CollapseShapeOp op) {
  const Strided source = describe(op.getSrc());
  if (!source.base)
    return {};
  Strided result{source.base, source.offset, sizes.get(builder, op.getLoc(), op.getResult()), {}};
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    // Dimensions of one element may have any stride.
    OpFoldResult stride = source.strides[group.back()];
    for (int64_t dim : llvm::reverse(group))
      if (getConstantIntValue(source.sizes[dim]) != 1) {
        stride = source.strides[dim];
        break;
      }
    result.strides.push_back(stride);
  }
  return result;
}

Strided Flattener::compute(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (isa<BlockArgument>(buffer)) {
    if (buffer.getParentBlock() != &kernel.getBody().front() || !type.getLayout().isIdentity())
      return {};
    OpBuilder builder = OpBuilder::atBlockBegin(buffer.getParentBlock());
    return rowMajor(builder, buffer, buffer);
  }
  Operation *op = buffer.getDefiningOp();
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  return TypeSwitch<Operation *, Strided>(op)
      .Case<memref::AllocaOp, memref::AllocOp>([&](auto allocation) {
        if (!type.hasStaticShape() || !type.getLayout().isIdentity())
          return Strided();
        if (type.getRank() == 1)
          return rowMajor(builder, buffer, buffer);
        auto flat = std::decay_t<decltype(allocation)>::create(builder, op->getLoc(), flatType(type));
        return rowMajor(builder, buffer, flat);
      })
      .Case([&](memref::GetGlobalOp global) { return rowMajor(builder, buffer, buffer); })
      .Case([&](memref::ViewOp view) {
        if (type.getRank() == 1)
          return rowMajor(builder, buffer, buffer);
        SmallVector<Value> extent;
        if (!type.hasStaticShape()) {
          SmallVector<OpFoldResult> factors = sizes.get(builder, op->getLoc(), buffer);
          extent.push_back(
              getValueOrCreateConstantIndexOp(builder, op->getLoc(), product(builder, op->getLoc(), factors)));
        }
        Value flat = memref::ViewOp::create(builder, op->getLoc(), flatType(type), view.getSource(),
                                            view.getByteShift(), extent);
        return rowMajor(builder, buffer, flat);
      })
      .Case([&](memref::SubViewOp view) { return ofSubView(builder, view); })
      .Case([&](memref::ExpandShapeOp view) { return ofExpandShape(builder, view); })
      .Case([&](memref::CollapseShapeOp view) { return ofCollapseShape(builder, view); })
      .Case([&](memref::CastOp cast) { return describe(cast.getSource()); })
      .Case([&](memref::ReinterpretCastOp cast) {
        // Its offset counts from the start of the buffer, whatever it is given.
        const Strided source = describe(cast.getSource());
        return Strided{source.base, cast.getMixedOffsets()[0], cast.getMixedSizes(), cast.getMixedStrides()};
      })
      .Default([](Operation *) { return Strided(); });
}

const Strided &Flattener::describe(Value buffer) {
  auto found = known.find(buffer);
  if (found != known.end())
    return found->second;
  Strided computed = compute(buffer);
  return known[buffer] = computed;
}

/// The element `index` of a constant of a few elements, or of one value.
static Value constantElement(OpBuilder &builder, memref::LoadOp load, memref::GetGlobalOp global, Value index) {
  auto symbol = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(global, global.getNameAttr());
  auto elements = symbol ? dyn_cast_or_null<DenseElementsAttr>(symbol.getInitialValueAttr()) : DenseElementsAttr();
  if (!elements || elements.empty() || (!elements.isSplat() && elements.getNumElements() > kSelectedElements))
    return nullptr;
  Location loc = load.getLoc();
  auto values = elements.getValues<TypedAttr>();
  Value result = arith::ConstantOp::create(builder, loc, *values.begin());
  if (elements.isSplat())
    return result;
  for (int64_t i = 1; i < elements.getNumElements(); ++i) {
    Value number = arith::ConstantIndexOp::create(builder, loc, i);
    Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index, number);
    Value value = arith::ConstantOp::create(builder, loc, values[i]);
    result = arith::SelectOp::create(builder, loc, isIt, value, result);
  }
  return result;
}

/// The operand of an access that is its buffer.
template <typename Access> static OpOperand &bufferOperand(Access op) {
  if constexpr (llvm::is_one_of<Access, vector::LoadOp, vector::StoreOp>::value)
    return op.getBaseMutable();
  else
    return op.getMemrefMutable();
}

template <typename Access> LogicalResult Flattener::flatten(Access op) {
  const Strided place = describe(bufferOperand(op).get());
  if (!place.base)
    return op.emitOpError("accesses memory whose place is only known when it runs");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  OpFoldResult index = place.offset;
  for (auto [position, stride] : llvm::zip(op.getIndices(), place.strides))
    index = sum(builder, loc, index, product(builder, loc, {getAsOpFoldResult(position), stride}));
  Value flat = getValueOrCreateConstantIndexOp(builder, loc, index);
  if (auto global = place.base.getDefiningOp<memref::GetGlobalOp>()) {
    auto load = dyn_cast<memref::LoadOp>(op.getOperation());
    Value element = load ? constantElement(builder, load, global, flat) : Value();
    if (!element)
      return op.emitOpError("accesses a constant that is too large to be code");
    op->replaceAllUsesWith(ValueRange{element});
    op->erase();
    return success();
  }
  bufferOperand(op).assign(place.base);
  op.getIndicesMutable().assign(flat);
  return success();
}

static Value bufferOf(Operation *access) {
  return TypeSwitch<Operation *, Value>(access).Case<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
      [](auto op) { return bufferOperand(op).get(); });
}

/// The choice that `buffer` is, or is a view of; null when it is none. `views` lead to it.
static arith::SelectOp choiceBehind(Value buffer, SmallVectorImpl<Operation *> &views) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return select;
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return nullptr;
    views.push_back(op);
    buffer = view.getViewSource();
  }
  return nullptr;
}

/// Makes every access of one of two buffers an access of either one.
void Flattener::splitChoices(SmallVectorImpl<Operation *> &accesses) {
  // Grows as it goes: there may be choices behind choices.
  for (size_t i = 0; i < accesses.size(); ++i) {
    Operation *access = accesses[i];
    SmallVector<Operation *> views;
    arith::SelectOp select = choiceBehind(bufferOf(access), views);
    if (!select)
      continue;
    OpBuilder builder(access);
    auto branch = scf::IfOp::create(builder, access->getLoc(), access->getResultTypes(), select.getCondition(), true);
    for (auto [region, value] : {std::pair(&branch.getThenRegion(), select.getTrueValue()),
                                 std::pair(&branch.getElseRegion(), select.getFalseValue())}) {
      builder.setInsertionPointToStart(&region->front());
      IRMapping mapping;
      mapping.map(select.getResult(), value);
      for (Operation *view : llvm::reverse(views))
        builder.clone(*view, mapping);
      Operation *copy = builder.clone(*access, mapping);
      if (copy->getNumResults())
        scf::YieldOp::create(builder, access->getLoc(), copy->getResults());
      accesses.push_back(copy);
    }
    access->replaceAllUsesWith(branch.getResults());
    access->erase();
    accesses[i] = nullptr;
  }
  llvm::erase(accesses, nullptr);
}

LogicalResult Flattener::run() {
  SmallVector<Operation *> accesses, views;
  kernel.walk([&](Operation *op) {
    if (isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(op))
      accesses.push_back(op);
    else if (isa<ViewLikeOpInterface, memref::AllocaOp, memref::AllocOp, memref::GetGlobalOp>(op) ||
             (isa<arith::SelectOp>(op) && isa<MemRefType>(op->getResult(0).getType())))
      views.push_back(op);
  });
  splitChoices(accesses);
  for (Operation *op : accesses) {
    LogicalResult flattened = TypeSwitch<Operation *, LogicalResult>(op)
                                  .Case<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
                                      [&](auto access) { return flatten(access); });
    if (failed(flattened))
      return failure();
  }
  for (Operation *op : llvm::reverse(views))
    if (op->use_empty())
      op->erase();

  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments()) {
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      argument.setType(MemRefType::get({ShapedType::kDynamic}, type.getElementType()));
    types.push_back(argument.getType());
    kernel.removeArgAttr(argument.getArgNumber(), "graph.dims");
  }
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  kernel->removeAttr(graph_to_plan::kScalarsAttribute);
  return success();
}
