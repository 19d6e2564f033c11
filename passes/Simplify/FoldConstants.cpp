//===- FoldConstants.cpp - Computes what depends on constants alone -------===//
//
// Ops are visited in order, so a chain of constants folds in one walk. Nothing
// is erased before the end: extents are cached by value.
//
//===----------------------------------------------------------------------===//

#include "dialects/Graph/IR/Graph.h"
#include "lib/Reference/Interpreter.h"
#include "passes/Simplify/Passes.h"
#include "passes/Simplify/Refinement.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Threading.h"

#include <cmath>

using namespace mlir;
using namespace hone::graph;
using hone::reference::Tensor;

namespace hone::simplify {

#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "passes/Simplify/Passes.h.inc"

namespace {

/// Errors of ops that are merely tried do not reach the user.
class Silence {
public:
  explicit Silence(MLIRContext *context)
      : thread(llvm::get_threadid()),
        handler(context, [this](Diagnostic &) { return success(llvm::get_threadid() == thread); }) {}

private:
  uint64_t thread;
  ScopedDiagnosticHandler handler;
};

ElementsAttr constantOf(Value value) {
  ElementsAttr attribute;
  matchPattern(value, m_Constant(&attribute));
  return attribute;
}

/// Bytes that a constant really takes; splats are one element.
int64_t storedBytes(ElementsAttr attribute) {
  auto type = cast<RankedTensorType>(attribute.getType());
  int64_t count = attribute.isSplat() ? 1 : type.getNumElements();
  return count * storageBytes(type.getElementType());
}

bool hasLayout(Operation *op) {
  auto is = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getEncoding();
  };
  return llvm::any_of(op->getOperandTypes(), is) || llvm::any_of(op->getResultTypes(), is);
}

struct FoldConstantsPass final : impl::FoldConstantsPassBase<FoldConstantsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  void visit(Block &block, ExtentBuilder &extents);
  bool fold(Operation *op, ExtentBuilder &extents);
  bool foldExtents(Operation *op, ExtentBuilder &extents);
  bool foldSplats(Operation *op, ArrayRef<ElementsAttr> operands, ArrayRef<RankedTensorType> types);
  bool isWorthIt(Operation *op, ArrayRef<ElementsAttr> operands, ArrayRef<RankedTensorType> types);
  bool replace(Operation *op, ArrayRef<ElementsAttr> results);
  void takeBranch(IfOp op);

  llvm::SetVector<Operation *> folded;
};

} // namespace

/// Replaces the results of `op` by constants; it is erased later.
bool FoldConstantsPass::replace(Operation *op, ArrayRef<ElementsAttr> results) {
  OpBuilder builder(op);
  for (auto [old, attribute] : llvm::zip_equal(op->getResults(), results))
    if (!old.use_empty())
      old.replaceAllUsesWith(ConstantOp::create(builder, op->getLoc(), attribute));
  folded.insert(op);
  ++numFolded;
  return true;
}

/// Integer tensors of which all elements are extents that are known.
bool FoldConstantsPass::foldExtents(Operation *op, ExtentBuilder &extents) {
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !isa<IntegerType>(type.getElementType()))
    return false;
  auto elements = extents.elements(op->getResult(0));
  if (!elements)
    return false;
  SmallVector<int64_t> numbers;
  for (Extent element : *elements) {
    std::optional<int64_t> number = constantExtent(element);
    if (!number)
      return false;
    numbers.push_back(*number);
  }
  std::optional<Tensor> tensor = Tensor::fromInts(type.getElementType(), type.getShape(), numbers);
  return tensor && replace(op, {tensor->toAttr()});
}

/// Ops on splats whose results are splats, without expanding them.
bool FoldConstantsPass::foldSplats(Operation *op, ArrayRef<ElementsAttr> operands, ArrayRef<RankedTensorType> types) {
  bool isMovement = isa<ReshapeOp, TransposeOp, BroadcastOp, TileOp, SliceOp>(op);
  if (types.size() != 1 || !types[0].hasStaticShape() || operands.empty() || !operands[0].isSplat() ||
      types[0].getNumElements() < 2)
    return false;
  if (!isMovement && (!isa<ElementwiseOpInterface>(op) ||
                      !llvm::all_of(operands, [](ElementsAttr attribute) { return attribute.isSplat(); })))
    return false;
  SmallVector<Tensor> elements;
  for (ElementsAttr operand : isMovement ? operands.take_front() : operands) {
    Type element = operand.getElementType();
    auto one = dyn_cast<DenseElementsAttr>(operand);
    std::optional<Tensor> tensor;
    if (one)
      tensor = Tensor::fromAttr(one.resizeSplat(RankedTensorType::get({}, element)));
    if (!tensor)
      return false;
    elements.push_back(*tensor);
  }
  FailureOr<Tensor> result = elements[0];
  if (!isMovement) {
    Silence silence(op->getContext());
    result = reference::evaluateElement(op, elements);
  }
  if (failed(result))
    return false;
  auto attribute = cast<DenseElementsAttr>(result->toAttr());
  return replace(op, {attribute.resizeSplat(types[0])});
}

/// Whether the results are small enough and found quickly enough.
bool FoldConstantsPass::isWorthIt(Operation *op, ArrayRef<ElementsAttr> operands, ArrayRef<RankedTensorType> types) {
  constexpr double kMegabyte = 1 << 20;
  double before = 0, after = 0, sizes = 1;
  for (ElementsAttr operand : operands) {
    before += static_cast<double>(storedBytes(operand));
    sizes *= static_cast<double>(operand.getNumElements());
  }
  for (RankedTensorType type : types) {
    double count = 1;
    for (int64_t extent : type.getShape()) {
      if (ShapedType::isDynamic(extent))
        return false;
      count *= static_cast<double>(extent);
    }
    after += count * storageBytes(type.getElementType());
    sizes *= count;
  }
  // The root of M*K * K*N * M*N is the M*N*K products of a contraction.
  if (isa<ContractionOpInterface>(op) && std::sqrt(sizes) > static_cast<double>(work))
    return false;
  return after <= kMegabyte || after <= before * static_cast<double>(limit);
}

/// Result types as far as they are known; empty when `op` does not say.
static SmallVector<RankedTensorType> resultTypesOf(Operation *op, ExtentBuilder &extents) {
  SmallVector<RankedTensorType> types;
  SmallVector<TensorShape> shapes;
  auto shaped = dyn_cast<ShapedOpInterface>(op);
  if (shaped && succeeded(shaped.resultShapes(extents, shapes)))
    for (const TensorShape &shape : shapes)
      types.push_back(tensorType(shape));
  return types;
}

bool FoldConstantsPass::fold(Operation *op, ExtentBuilder &extents) {
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>() || op->getNumResults() == 0 ||
      hasLayout(op) || (isa<DequantizeOp>(op) && !dequantize))
    return false;
  if (isPure(op) && foldExtents(op, extents))
    return true;
  SmallVector<ElementsAttr> operands;
  for (Value value : op->getOperands()) {
    operands.push_back(constantOf(value));
    if (!operands.back())
      return false;
  }
  if (!reference::isEvaluable(op))
    return false;
  if (op->getNumRegions() > 0) {
    SetVector<Value> outer;
    getUsedValuesDefinedAbove(op->getRegions(), outer);
    if (!llvm::all_of(outer, [](Value value) { return constantOf(value); }))
      return false;
  } else {
    SmallVector<RankedTensorType> types;
    {
      Silence silence(op->getContext());
      types = resultTypesOf(op, extents);
    }
    if (types.empty())
      return false;
    if (foldSplats(op, operands, types))
      return true;
    if (!isWorthIt(op, operands, types))
      return false;
  }
  SmallVector<Tensor> tensors;
  for (ElementsAttr operand : operands) {
    std::optional<Tensor> tensor = Tensor::fromAttr(operand);
    if (!tensor)
      return false;
    tensors.push_back(*tensor);
  }
  Silence silence(op->getContext());
  auto results = reference::evaluate(op, tensors);
  if (failed(results))
    return false;
  return replace(op, llvm::map_to_vector(*results, [](const Tensor &tensor) { return tensor.toAttr(); }));
}

/// Moves the taken region in front of the op.
void FoldConstantsPass::takeBranch(IfOp op) {
  auto condition = constantIntegers(op.getCondition());
  bool taken = condition->front() != 0;
  Block &block = (taken ? op.getThenRegion() : op.getElseRegion()).front();
  auto yield = cast<YieldOp>(block.getTerminator());
  for (auto [old, value] : llvm::zip_equal(op.getResults(), yield.getOperands()))
    old.replaceAllUsesWith(value);
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations(), block.begin(), yield->getIterator());
  folded.insert(op);
  ++numFolded;
}

void FoldConstantsPass::visit(Block &block, ExtentBuilder &extents) {
  for (auto it = block.begin(); it != block.end();) {
    Operation &op = *it;
    if (isa<KernelOp>(op) || folded.contains(&op) || fold(&op, extents)) {
      ++it;
      continue;
    }
    auto branch = dyn_cast<IfOp>(op);
    if (branch && constantIntegers(branch.getCondition()) && !branch.getThenRegion().empty()) {
      // Go on with the first op that the region leaves behind.
      Operation *before = op.getPrevNode();
      takeBranch(branch);
      it = before ? std::next(before->getIterator()) : block.begin();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner, extents);
    ++it;
  }
}

void FoldConstantsPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  ExtentBuilder extents;
  folded.clear();
  for (Block &block : function.getBody())
    visit(block, extents);
  for (Operation *op : llvm::reverse(folded))
    op->erase();
  function.walk([](ConstantOp op) {
    if (op->use_empty())
      op->erase();
  });
  updateResultTypes(function);
}

} // namespace hone::simplify
