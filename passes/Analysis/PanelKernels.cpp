//===- PanelKernels.cpp - Contractions with packed weights ----------------===//

#include "passes/Analysis/PanelKernels.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;

RegisterTile hone::chooseTile(const TargetInfo &info, int64_t columns) {
  RegisterTile tile;
  tile.lanes = std::max<int64_t>(info.vectorBytes / 4, 1);
  // Two vectors of columns balance loads of weights and of elements; three where they leave fewer lanes idle.
  auto padded = [&](int64_t vectors) { return llvm::alignTo(columns, vectors * tile.lanes); };
  tile.vectors = columns <= tile.lanes ? 1 : padded(3) < padded(2) ? 3 : 2;
  tile.byLane = info.multiplyByLane;
  // Beside the accumulators: vectors of weights; of the activations one broadcast element, or a vector a row. Of many
  // registers two more stay free, for loads that LLVM moves ahead of their use; it would spill accumulators for them.
  int64_t registers = std::max<int64_t>(info.vectorRegisters, 8);
  int64_t free = registers - tile.vectors - (registers > 16 ? 3 : 1);
  tile.rows = std::max<int64_t>(free / (tile.vectors + tile.byLane), 1);
  return tile;
}

LayoutAttr hone::channelsLast(MLIRContext *context) { return LayoutAttr::get(context, {0, 2, 3, 1}); }

std::optional<MatMulDims> hone::matMulDims(ContractOp op) {
  ArrayRef<int64_t> lhs = op.getLhsDims(), rhs = op.getRhsDims(), result = op.getResultDims();
  if (rhs.size() != 2 || lhs.empty() || result.size() != lhs.size())
    return std::nullopt;
  // Rows in order, then k on the left and n in the result.
  if (lhs.drop_back() != result.drop_back())
    return std::nullopt;
  int64_t k = lhs.back(), n = result.back();
  if (k == n)
    return std::nullopt;
  if (rhs[0] == k && rhs[1] == n)
    return MatMulDims{0, 1};
  if (rhs[0] == n && rhs[1] == k)
    return MatMulDims{1, 0};
  return std::nullopt;
}

std::optional<ProductDims> hone::productDims(ContractOp op) {
  for (Value value : {op.getLhs(), op.getRhs(), op.getResult()})
    if (!cast<RankedTensorType>(value.getType()).getElementType().isF32())
      return std::nullopt;
  ArrayRef<int64_t> lhs = op.getLhsDims(), rhs = op.getRhsDims(), result = op.getResultDims();
  auto position = [](ArrayRef<int64_t> dims, int64_t index) -> int64_t {
    auto *found = llvm::find(dims, index);
    return found == dims.end() ? -1 : found - dims.begin();
  };
  if (result.size() < 2)
    return std::nullopt;
  ProductDims dims;
  int64_t m = result[result.size() - 2], n = result.back();
  dims.lhsM = position(lhs, m);
  dims.rhsN = position(rhs, n);
  if (dims.lhsM < 0 || dims.rhsN < 0 || position(rhs, m) >= 0 || position(lhs, n) >= 0)
    return std::nullopt;
  // Exactly one index is summed over, and both operands have it.
  auto summed = [&](ArrayRef<int64_t> of) {
    return llvm::filter_to_vector(of, [&](int64_t index) { return position(result, index) < 0; });
  };
  SmallVector<int64_t> lhsSummed = summed(lhs), rhsSummed = summed(rhs);
  if (lhsSummed.size() != 1 || lhsSummed != rhsSummed)
    return std::nullopt;
  dims.lhsK = position(lhs, lhsSummed.front());
  dims.rhsK = position(rhs, rhsSummed.front());
  for (int64_t index : result.drop_back(2)) {
    dims.lhsOuter.push_back(position(lhs, index));
    dims.rhsOuter.push_back(position(rhs, index));
  }
  return dims;
}

LayoutAttr hone::productLayout(ContractOp op, const ProductDims &dims) {
  int64_t rank = op.getRhs().getType().getRank();
  if (dims.rhsN == rank - 1)
    return nullptr;
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != dims.rhsK && dim != dims.rhsN)
      order.push_back(dim);
  order.append({dims.rhsK, dims.rhsN});
  return LayoutAttr::get(op.getContext(), order);
}

/// Activations and the result are f32, the weights too or halves, and these have a static shape with elements.
static bool isPlain(ContractionOpInterface op) {
  auto f32 = [](Value value) { return cast<RankedTensorType>(value.getType()).getElementType().isF32(); };
  auto weights = cast<RankedTensorType>(op.getWeights().getType());
  Type element = weights.getElementType();
  return f32(op.getActivations()) && (element.isF32() || element.isF16() || element.isBF16()) &&
         f32(op->getResult(0)) && weights.hasStaticShape() && weights.getNumElements() > 0;
}

StringRef hone::familyName(PanelFamily family) {
  switch (family) {
  case PanelFamily::None:
    return "loops";
  case PanelFamily::Conv:
    return "packed convolution";
  case PanelFamily::Depthwise:
    return "depthwise convolution";
  case PanelFamily::MatMul:
    return "packed matrix product";
  }
  llvm_unreachable("unknown family");
}

PanelFamily hone::panelFamily(Operation *op) {
  auto contraction = dyn_cast<ContractionOpInterface>(op);
  if (!contraction || !isPlain(contraction))
    return PanelFamily::None;
  if (auto contract = dyn_cast<ContractOp>(op))
    return matMulDims(contract) ? PanelFamily::MatMul : PanelFamily::None;
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv || conv.getInput().getType().getRank() != 4 || conv.getInput().getType().isDynamicDim(1))
    return PanelFamily::None;
  if (conv.getGroups() == 1)
    return PanelFamily::Conv;
  int64_t channels = conv.getInput().getType().getDimSize(1);
  bool depthwise =
      static_cast<int64_t>(conv.getGroups()) == channels && conv.getWeights().getType().getDimSize(0) == channels;
  return depthwise ? PanelFamily::Depthwise : PanelFamily::None;
}

LayoutAttr hone::weightLayout(Operation *op, const TargetInfo &info) {
  MLIRContext *context = op->getContext();
  switch (panelFamily(op)) {
  case PanelFamily::None:
    return nullptr;
  case PanelFamily::Conv: {
    int64_t columns = cast<ConvOp>(op).getWeights().getType().getDimSize(0);
    return LayoutAttr::get(context, {0, 2, 3, 1}, chooseTile(info, columns).width(), 0);
  }
  case PanelFamily::Depthwise:
    return LayoutAttr::get(context, {2, 3, 0, 1});
  case PanelFamily::MatMul: {
    auto contract = cast<ContractOp>(op);
    MatMulDims dims = *matMulDims(contract);
    int64_t columns = contract.getRhs().getType().getDimSize(dims.rhsN);
    return LayoutAttr::get(context, {dims.rhsN, dims.rhsK}, chooseTile(info, columns).width(), dims.rhsN);
  }
  }
  return nullptr;
}
