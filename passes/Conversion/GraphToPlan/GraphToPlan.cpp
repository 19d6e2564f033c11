//===- GraphToPlan.cpp - Kernels to launches, tensors to buffers ----------===//
//
// Follows the ops of @main in order. Every tensor has a buffer or is an alias of one; every extent
// becomes integer arithmetic when it is first needed.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToPlan/Passes.h"

#include "lib/Support/NodeLocation.h"
#include "lib/Support/UserError.h"
#include "passes/Conversion/GraphToPlan/PlanBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hone::graph_to_plan {
#define GEN_PASS_DEF_GRAPHTOPLANPASS
#include "passes/Conversion/GraphToPlan/Passes.h.inc"
} // namespace hone::graph_to_plan

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::graph_to_plan;

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

plan::TensorAttr PlanBuilder::describe(DictionaryAttr attributes, Type type, StringRef fallback) {
  auto tensor = cast<RankedTensorType>(type);
  auto name = attributes ? attributes.getAs<StringAttr>("graph.name") : StringAttr();
  auto symbols = attributes ? attributes.getAs<ArrayAttr>("graph.dims") : ArrayAttr();
  auto ranges = attributes ? attributes.getAs<ArrayAttr>("graph.ranges") : ArrayAttr();
  SmallVector<plan::DimAttr> dims;
  for (auto [i, extent] : llvm::enumerate(tensor.getShape())) {
    auto symbol = symbols && i < symbols.size() ? dyn_cast<StringAttr>(symbols[i]) : StringAttr();
    if (!ShapedType::isDynamic(extent)) {
      dims.push_back(plan::DimAttr::get(module.getContext(), extent, symbol ? symbol : builder.getStringAttr(""), 0,
                                        plan::DimAttr::kUnbounded));
      continue;
    }
    auto range = ranges && i < ranges.size() ? dyn_cast<DenseI64ArrayAttr>(ranges[i]) : DenseI64ArrayAttr();
    int64_t low = range && range.size() == 2 ? range[0] : 0, high = range && range.size() == 2 ? range[1] : INT64_MAX;
    dims.push_back(plan::DimAttr::get(module.getContext(), symbol ? symbol.getValue() : StringRef(), low, high));
  }
  return plan::TensorAttr::get(module.getContext(), name ? name.getValue() : fallback, tensor.getElementType(), dims);
}

LogicalResult PlanBuilder::run() {
  SmallVector<plan::TensorAttr> inputs, outputs;
  auto type = main.getFunctionType();
  for (auto [i, argument] : llvm::enumerate(type.getInputs()))
    inputs.push_back(describe(main.getArgAttrDict(i), argument, "input" + std::to_string(i)));
  for (auto [i, result] : llvm::enumerate(type.getResults()))
    outputs.push_back(describe(main.getResultAttrDict(i), result, "output" + std::to_string(i)));

  builder.setInsertionPoint(main);
  auto program = plan::ProgramOp::create(builder, main.getLoc(), main.getName(), target.name, inputs, outputs);
  kernels = ModuleOp::create(builder, main.getLoc(), kKernelsModule);
  kernels->setAttr(kTargetAttribute, target.toAttribute(module.getContext()));
  if (Attribute precision = module->getAttr(kPrecisionAttribute))
    kernels->setAttr(kPrecisionAttribute, precision);
  // Filled in when the kernels have been compiled.
  auto empty = DenseElementsAttr::get(RankedTensorType::get({0}, builder.getI8Type()), ArrayRef<int8_t>());
  plan::ExecutableOp::create(builder, main.getLoc(), "code", target.name, "", builder.getStrArrayAttr({}), empty);
  outliner = std::make_unique<KernelOutliner>(kernels, extents);

  builder.setInsertionPointToStart(program.getBodyBlock());
  scopes.emplace_back();
  for (auto [i, argument] : llvm::enumerate(main.getArguments()))
    buffers[argument] = plan::InputOp::create(builder, main.getLoc(), i);
  // Before an op, not at the end of what is there: the program grows behind its constants.
  if (program.getBodyBlock()->empty())
    constantIndex(0, main.getLoc());
  constants.setInsertionPoint(&program.getBodyBlock()->front());

  // A kernel's result that is returned once is written straight to the output.
  auto terminator = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  for (OpOperand &operand : terminator->getOpOperands())
    if (operand.get().getDefiningOp<KernelOp>() && !directOutputs.count(operand.get()))
      directOutputs[operand.get()] = operand.getOperandNumber();

  if (failed(convertBlock(main.getBody().front())))
    return failure();
  main.erase();
  return success();
}

/// Goes on behind an error, so that all are reported; what only follows from one is not.
LogicalResult PlanBuilder::convertBlock(Block &block) {
  bool ok = true;
  for (Operation &op : block) {
    if (succeeded(convert(&op)))
      continue;
    ok = false;
    unplanned.insert(op.result_begin(), op.result_end());
  }
  return success(ok);
}

LogicalResult PlanBuilder::convert(Operation *op) {
  if (failed(checkSizes(op)))
    return failure();
  if (auto kernel = dyn_cast<KernelOp>(op))
    return convertKernel(kernel);
  if (auto branch = dyn_cast<IfOp>(op))
    return convertIf(branch);
  if (auto loop = dyn_cast<LoopOp>(op))
    return convertLoop(loop);
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return convertReturn(end);
  // Aliases and constants are made where they are used; shape arithmetic is read as extents.
  return success();
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Value PlanBuilder::leaf(Extent extent) {
  Location loc = main.getLoc();
  if (extent->op == ExtentOp::Symbol) {
    for (auto [i, argument] : llvm::enumerate(main.getArguments()))
      for (auto [d, dim] : llvm::enumerate(extents.dims(argument)))
        if (dim == extent) {
          // At the program's start: it dominates every use.
          return plan::InputDimOp::create(constants, loc, i, d);
        }
    return nullptr;
  }
  if (extent->op == ExtentOp::Dim) {
    if (Value bound = boundDims.lookup({extent->value, extent->number}))
      return bound;
    if (unplanned.contains(extent->value))
      return nullptr;
    emitUserError(extent->value.getLoc())
        << "dimension " << extent->number << " of this value is decided by control flow that cannot be planned";
    return nullptr;
  }
  if (Value bound = boundScalars.lookup(extent->value))
    return bound;
  FailureOr<Value> buffer = bufferOf(extent->value);
  if (failed(buffer))
    return nullptr;
  Value position = constantIndex(extent->number, loc);
  Type element = cast<RankedTensorType>(extent->value.getType()).getElementType();
  return plan::LoadOp::create(builder, extent->value.getLoc(), *buffer, position, element);
}

Value PlanBuilder::index(Extent extent, Location loc) {
  for (auto &scope : scopes)
    if (Value known = scope.lookup(extent))
      return known;
  return materializer.get(builder, loc, extent, &scopes.back());
}

Value PlanBuilder::bytesOf(Value tensor, Location loc) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Extent bytes = extents.constant(storageBytes(type.getElementType()));
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()); layout && layout.getTile() > 1) {
    SmallVector<Extent> dims = extents.dims(tensor);
    Extent tile = extents.constant(layout.getTile());
    dims[layout.getTiledDim()] = extents.mul(extents.ceilDiv(dims[layout.getTiledDim()], tile), tile);
    return index(extents.mul(extents.product(dims), bytes), loc);
  }
  return index(extents.mul(extents.product(extents.dims(tensor)), bytes), loc);
}

/// The run-time extents of `tensor`, one value for every `?` of the type of `like`.
SmallVector<Value> PlanBuilder::dynamicDims(Value tensor, Value like, Location loc) {
  SmallVector<Value> result;
  auto type = cast<RankedTensorType>(like.getType());
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      result.push_back(index(extents.dim(tensor, i), loc));
  return result;
}

void PlanBuilder::bindDims(Value tensor, ValueRange dims) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t i = 0, next = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      boundDims[{tensor, i}] = dims[next++];
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

FailureOr<Value> PlanBuilder::bufferOf(Value tensor) {
  if (Value known = buffers.lookup(tensor))
    return known;
  if (unplanned.contains(tensor))
    return failure();
  Operation *producer = tensor.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(producer)) {
    Value buffer = plan::ConstantOp::create(constants, constant.getLoc(), constant.getValue());
    return buffers[tensor] = buffer;
  }
  if (auto relayout = dyn_cast_or_null<RelayoutOp>(producer)) {
    ElementsAttr constant;
    if (matchPattern(relayout.getInput(), m_Constant(&constant)) && relayout.getResult().getType().getEncoding()) {
      FailureOr<ElementsAttr> packed = packConstant(relayout.getLoc(), constant, relayout.getResult().getType());
      if (failed(packed))
        return failure();
      Value buffer = plan::ConstantOp::create(constants, relayout.getLoc(), *packed);
      return buffers[tensor] = buffer;
    }
  }
  if (auto view = dyn_cast_or_null<ViewOpInterface>(producer); view && view.isView()) {
    FailureOr<Value> source = bufferOf(producer->getOperand(0));
    if (failed(source))
      return failure();
    return *source;
  }
  if (boundScalars.count(tensor)) {
    Location loc = tensor.getLoc();
    Value buffer = plan::AllocOp::create(builder, loc, constantIndex(8, loc));
    plan::StoreOp::create(builder, loc, boundScalars[tensor], buffer, constantIndex(0, loc), builder.getI64Type());
    return buffers[tensor] = buffer;
  }
  emitError(tensor.getLoc()) << "has no kernel and so no place in memory";
  return failure();
}

Value PlanBuilder::allocate(Value tensor, Location loc) {
  Value bytes = bytesOf(tensor, loc);
  if (!bytes)
    return nullptr;
  auto output = directOutputs.find(tensor);
  Value buffer = output != directOutputs.end()
                     ? plan::OutputBufferOp::create(builder, loc, output->second, bytes).getResult()
                     : plan::AllocOp::create(builder, loc, bytes).getResult();
  return buffers[tensor] = buffer;
}

LogicalResult PlanBuilder::convertKernel(KernelOp op) {
  // Packing a constant is done here and now, not by a kernel.
  if (auto relayout = dyn_cast<RelayoutOp>(&op.getBody().front().front());
      relayout && matchPattern(relayout.getInput(), m_Constant()))
    return relayout.emitOpError() << "of a constant must not be in a kernel";
  OutlinedKernel kernel = outliner->outline(op);
  SmallVector<Value> operands, scalars;
  for (Value input : kernel.inputs) {
    FailureOr<Value> buffer = bufferOf(input);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  for (Extent extent : kernel.scalars) {
    scalars.push_back(index(extent, op.getLoc()));
    if (!scalars.back())
      return failure();
  }
  SmallVector<int64_t> writes;
  for (Value result : op.getResults()) {
    Value buffer = allocate(result, op.getLoc());
    if (!buffer)
      return failure();
    writes.push_back(operands.size());
    operands.push_back(buffer);
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(kernels);
    SmallVector<StringRef> nodes;
    SmallVector<std::string> names = nodeNames(op.getLoc());
    for (const std::string &name : names)
      nodes.push_back(name);
    auto planned =
        plan::KernelOp::create(builder, op.getLoc(), kernel.name, builder.getStringAttr(kernel.function.getName()),
                               "code", operands.size(), scalars.size(), builder.getStrArrayAttr(nodes));
    describeKernel(planned, kernel.function);
  }
  plan::LaunchOp::create(builder, op.getLoc(), StringRef(kernel.name), constantIndex(1, op.getLoc()), operands, scalars,
                         writes, ArrayRef<std::pair<int64_t, int64_t>>());
  return success();
}

LogicalResult PlanBuilder::convertReturn(func::ReturnOp op) {
  for (auto [number, tensor] : llvm::enumerate(op.getOperands())) {
    Location loc = tensor.getLoc();
    auto direct = directOutputs.find(tensor);
    if (direct == directOutputs.end() || direct->second != number) {
      FailureOr<Value> source = bufferOf(tensor);
      Value bytes = bytesOf(tensor, loc);
      if (failed(source) || !bytes)
        return failure();
      Value buffer = plan::OutputBufferOp::create(builder, loc, number, bytes);
      plan::CopyOp::create(builder, loc, *source, buffer, bytes);
    }
    for (auto [i, extent] : llvm::enumerate(extents.dims(tensor))) {
      Value dim = index(extent, loc);
      if (!dim)
        return failure();
      plan::OutputDimOp::create(builder, loc, number, i, dim);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct GraphToPlanPass final : graph_to_plan::impl::GraphToPlanPassBase<GraphToPlanPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      module.emitError() << "has no function @main";
      return signalPassFailure();
    }
    TargetInfo target = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    if (target.name.empty())
      target.name = "cpu";
    if (failed(PlanBuilder(main, module, target).run()))
      signalPassFailure();
  }
};

} // namespace
