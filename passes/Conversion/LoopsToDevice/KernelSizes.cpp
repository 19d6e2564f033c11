//===- KernelSizes.cpp - Extents of buffers in a kernel -------------------===//

#include "passes/Conversion/LoopsToDevice/KernelSizes.h"

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;

static ArrayAttr scalarNames(func::FuncOp kernel) {
  auto names = kernel->getAttrOfType<ArrayAttr>(graph_to_plan::kScalarsAttribute);
  return names ? names : ArrayAttr::get(kernel.getContext(), {});
}

ArrayRef<BlockArgument> loops_to_device::scalarsOf(func::FuncOp kernel) {
  return kernel.getArguments().take_back(std::min<size_t>(scalarNames(kernel).size(), kernel.getNumArguments()));
}

void loops_to_device::addScalars(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<DictionaryAttr> attributes;
  kernel.getAllArgAttrs(attributes);
  for (size_t i = 0; i < scalarNames(kernel).size(); ++i)
    body.addArgument(IndexType::get(kernel.getContext()), kernel.getLoc());
  attributes.resize(body.getNumArguments(), DictionaryAttr::get(kernel.getContext()));
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), body.getArgumentTypes(), {}));
  kernel.setAllArgAttrs(attributes);
}

int64_t loops_to_device::elementBytes(Type element) {
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

OpFoldResult KernelSizes::argumentExtent(BlockArgument argument, int64_t dim) {
  if (argument.getOwner() != &kernel.getBody().front())
    return {};
  auto names = kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "graph.dims");
  auto name = names && dim < int64_t(names.size()) ? dyn_cast<StringAttr>(names[dim]) : StringAttr();
  if (!name)
    return {};
  ArrayRef<BlockArgument> scalars = scalarsOf(kernel);
  for (auto [i, known] : llvm::enumerate(scalarNames(kernel)))
    if (known == name && i < scalars.size())
      return Value(scalars[i]);
  return {};
}

SmallVector<OpFoldResult> KernelSizes::get(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> sizes;
  if (type.hasStaticShape()) {
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
    return sizes;
  }
  auto fill = [&](auto dynamic) {
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      sizes.push_back(ShapedType::isDynamic(extent) ? dynamic(dim) : OpFoldResult(builder.getIndexAttr(extent)));
  };
  auto ofAllocation = [&](auto op) {
    fill([&](int64_t dim) -> OpFoldResult { return op.getDynamicSizes()[type.getDynamicDimIndex(dim)]; });
  };
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    // What a loop carries keeps its extents.
    if (auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp()))
      if (OpOperand *init = loop.getTiedLoopInit(argument))
        return get(builder, loc, init->get());
    fill([&](int64_t dim) { return argumentExtent(argument, dim); });
    return sizes;
  }
  TypeSwitch<Operation *>(buffer.getDefiningOp())
      .Case<memref::AllocOp, memref::AllocaOp>(ofAllocation)
      .Case([&](memref::ViewOp op) {
        fill([&](int64_t dim) -> OpFoldResult { return op.getSizes()[type.getDynamicDimIndex(dim)]; });
      })
      .Case([&](memref::CastOp op) { sizes = get(builder, loc, op.getSource()); })
      .Case([&](memref::ReinterpretCastOp op) { sizes = op.getMixedSizes(); })
      .Case([&](memref::ExpandShapeOp op) { sizes = op.getMixedOutputShape(); })
      .Case([&](memref::SubViewOp op) {
        llvm::SmallBitVector dropped = op.getDroppedDims();
        for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
          if (!dropped.test(dim))
            sizes.push_back(size);
      })
      .Case([&](memref::CollapseShapeOp op) {
        SmallVector<OpFoldResult> source = get(builder, loc, op.getSrc());
        for (const ReassociationIndices &group : op.getReassociationIndices()) {
          SmallVector<OpFoldResult> factors;
          for (int64_t dim : group)
            factors.push_back(source[dim]);
          bool known = llvm::all_of(factors, [](OpFoldResult factor) { return bool(factor); });
          sizes.push_back(known ? product(builder, loc, factors) : OpFoldResult());
        }
      })
      .Default([&](Operation *op) {
        // A choice between buffers of one shape.
        if (auto select = dyn_cast<arith::SelectOp>(op))
          sizes = get(builder, loc, select.getTrueValue());
        else
          fill([](int64_t) { return OpFoldResult(); });
      });
  return sizes;
}

LogicalResult KernelSizes::resolveDims() {
  SmallVector<memref::DimOp> dims;
  kernel.walk([&](memref::DimOp op) { dims.push_back(op); });
  for (memref::DimOp op : dims) {
    OpBuilder builder(op);
    auto position = op.getConstantIndex();
    OpFoldResult extent = position && isa<MemRefType>(op.getSource().getType())
                              ? get(builder, op.getLoc(), op.getSource())[*position]
                              : OpFoldResult();
    if (!extent)
      return op.emitOpError("is an extent that does not follow from those of the kernel's inputs and outputs");
    op.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, op.getLoc(), extent));
    op.erase();
  }
  return success();
}
