//===- PackConstant.cpp - Constants in the layout a kernel reads ----------===//

#include "passes/Conversion/GraphToPlan/KernelOutlining.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;

/// Raw elements of `constant`, one storage unit each; nullopt for types that are bit-packed.
static std::optional<ArrayRef<char>> rawBytes(ElementsAttr constant) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.getRawData();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return std::nullopt;
}

FailureOr<ElementsAttr> hone::graph_to_plan::packConstant(Location loc, ElementsAttr constant, RankedTensorType type) {
  auto layout = cast<LayoutAttr>(type.getEncoding());
  unsigned width = storageBytes(type.getElementType());
  auto source = rawBytes(constant);
  if (!type.hasStaticShape() || !source || type.getElementTypeBitWidth() % 8 != 0)
    return emitError(loc) << "cannot lay out a constant of type " << type;
  ArrayRef<int64_t> shape = type.getShape();
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank, 1);
  for (int64_t i = rank - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  bool splat = constant.isSplat() && static_cast<int64_t>(source->size()) == width;

  // Physical shape: the dimensions in order, the tiled one counted in tiles, and the tile innermost.
  SmallVector<int64_t> physical, steps;
  for (int64_t dim : layout.getOrder()) {
    bool tiled = layout.getTile() > 1 && dim == layout.getTiledDim();
    physical.push_back(tiled ? llvm::divideCeil(shape[dim], layout.getTile()) : shape[dim]);
    steps.push_back(dim);
  }
  int64_t tile = std::max<int64_t>(layout.getTile(), 1), count = tile;
  for (int64_t extent : physical)
    count *= extent;

  Type byte = IntegerType::get(loc.getContext(), 8);
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(count * width, 64);
  MutableArrayRef<char> target = blob.getMutableData();
  std::fill(target.begin(), target.end(), 0);
  SmallVector<int64_t> position(rank, 0);
  for (int64_t outer = 0, total = count / tile; outer < total; ++outer) {
    int64_t offset = 0, first = 0;
    for (auto [i, dim] : llvm::enumerate(steps)) {
      bool tiled = layout.getTile() > 1 && dim == layout.getTiledDim();
      first = tiled ? position[i] * tile : first;
      offset += (tiled ? position[i] * tile : position[i]) * strides[dim];
    }
    for (int64_t inner = 0; inner < tile; ++inner) {
      if (tile > 1 && first + inner >= shape[layout.getTiledDim()])
        break;
      int64_t from = splat ? 0 : offset + (tile > 1 ? inner * strides[layout.getTiledDim()] : 0);
      std::copy_n(source->data() + from * width, width, target.data() + (outer * tile + inner) * width);
    }
    for (int64_t i = rank - 1; i >= 0 && ++position[i] == physical[i]; --i)
      position[i] = 0;
  }
  auto bytes = RankedTensorType::get({count * width}, byte);
  return cast<ElementsAttr>(DenseResourceElementsAttr::get(bytes, "packed", std::move(blob)));
}
