//===- LaunchFunction.cpp - Grid and scratch bytes of a kernel ------------===//

#include "passes/Conversion/KernelsToLoops/LaunchFunction.h"

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernels_to_loops;

LaunchFunction::LaunchFunction(func::FuncOp kernel) : kernel(kernel), builder(kernel->getContext()) {
  auto scalars = kernel->getAttrOfType<ArrayAttr>(graph_to_plan::kScalarsAttribute);
  SmallVector<Type> inputs(scalars ? scalars.size() : 0, builder.getIndexType());
  builder.setInsertionPointAfter(kernel);
  function = func::FuncOp::create(builder, kernel.getLoc(), (kernel.getName() + graph_to_plan::kLaunchSuffix).str(),
                                  builder.getFunctionType(inputs, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  for (unsigned i = 0; i < inputs.size(); ++i)
    byName[cast<StringAttr>(scalars[i]).getValue()] = function.getArgument(i);
}

Value LaunchFunction::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, kernel.getLoc(), value);
}

Value LaunchFunction::copy(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    Value size = extent(dim);
    if (size)
      mapping.map(value, size);
    return size;
  }
  // Divisions are free of effects, though not speculatable: they run wherever the kernel would.
  if (op->getNumRegions() || !isMemoryEffectFree(op) ||
      !isa<arith::ArithDialect, affine::AffineDialect>(op->getDialect()))
    return nullptr;
  for (Value operand : op->getOperands())
    if (!copy(operand))
      return nullptr;
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

void LaunchFunction::finish(Value scratch, ArrayRef<LaunchStage> stages) {
  SmallVector<Value> results{scratch};
  SmallVector<StringRef> names;
  for (const LaunchStage &stage : stages) {
    results.push_back(stage.grid);
    names.push_back(stage.function);
  }
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), TypeRange(results)));
  function->setAttr(graph_to_plan::kStagesAttribute, builder.getStrArrayAttr(names));
  func::ReturnOp::create(builder, kernel.getLoc(), results);
}

Value LaunchFunction::extent(memref::DimOp dim) {
  auto type = cast<MemRefType>(dim.getSource().getType());
  auto position = dim.getConstantIndex();
  if (!position)
    return nullptr;
  if (!type.isDynamicDim(*position))
    return constant(type.getDimSize(*position));
  if (auto argument = dyn_cast<BlockArgument>(dim.getSource())) {
    auto names = kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "graph.dims");
    auto name =
        names && *position < static_cast<int64_t>(names.size()) ? dyn_cast<StringAttr>(names[*position]) : StringAttr();
    return name ? byName.lookup(name.getValue()) : Value();
  }
  if (auto alloc = dim.getSource().getDefiningOp<memref::AllocOp>())
    return copy(alloc.getDynamicSizes()[type.getDynamicDimIndex(*position)]);
  if (auto collapse = dim.getSource().getDefiningOp<memref::CollapseShapeOp>()) {
    Value product = constant(1);
    OpBuilder inner(collapse);
    SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
    for (int64_t source : groups[*position]) {
      Value factor = copy(memref::DimOp::create(inner, collapse.getLoc(), collapse.getSrc(), source));
      if (!factor)
        return nullptr;
      product = arith::MulIOp::create(builder, kernel.getLoc(), product, factor);
    }
    return product;
  }
  if (auto view = dim.getSource().getDefiningOp<memref::ViewOp>())
    return copy(view.getSizes()[type.getDynamicDimIndex(*position)]);
  return nullptr;
}
