//===- KernelFunctions.cpp - The functions a kernel family leaves ---------===//

#include "backends/CUDA/Kernels/KernelFunctions.h"

#include "backends/CUDA/Emit/CompileUnits.h"
#include "backends/CUDA/Emit/Expressions.h"
#include "backends/CUDA/Emit/KernelPrinter.h"
#include "lib/Target/KernelFacts.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

/// The storage of elements, in which a bool takes a byte.
static Type bufferElement(Type element) {
  Type storage = graph_to_linalg::storageType(element);
  return storage.isInteger(1) ? IntegerType::get(element.getContext(), 8) : storage;
}

TypedAttr cuda::splatOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return nullptr;
  Type element = elements.getElementType(), storage = graph_to_linalg::storageType(element);
  if (isa<FloatType>(element))
    return storage == element ? cast<TypedAttr>(elements.getSplatValue<Attribute>()) : TypedAttr();
  if (element.getIntOrFloatBitWidth() < 8 && !element.isInteger(1))
    return nullptr;
  return IntegerAttr::get(storage, elements.getSplatValue<APInt>());
}

KernelFunctions::KernelFunctions(func::FuncOp kernel)
    : kernel(kernel), builder(kernel.getContext()),
      scalarNames(kernel->getAttrOfType<ArrayAttr>(graph_to_plan::kScalarsAttribute)) {
  llvm::append_range(tensors, kernel.getArguments());
  llvm::append_range(tensors, kernel.getBody().front().getTerminator()->getOperands());
  for (Value tensor : tensors) {
    auto type = cast<RankedTensorType>(tensor.getType());
    bufferTypes.push_back(MemRefType::get({ShapedType::kDynamic}, bufferElement(type.getElementType())));
    // Tiles reach beyond the end of a dimension before they are cut: leave room.
    if (!type.hasStaticShape() || type.getNumElements() > INT32_MAX / 2)
      bits = 64;
  }
  builder.setInsertionPoint(kernel);
}

func::FuncOp KernelFunctions::createFunction(StringRef name, TypeRange inputs, TypeRange results) {
  auto function = func::FuncOp::create(builder, kernel.getLoc(), name, builder.getFunctionType(inputs, results));
  if (bits == 32)
    function->setAttr(kIndexBits, builder.getI32IntegerAttr(32));
  function.addEntryBlock();
  return function;
}

LogicalResult KernelFunctions::addHelper(StringRef stage, StringRef name, ArrayRef<Type> arguments, Type type,
                                         Build build) {
  unsigned numScalars = scalarNames ? scalarNames.size() : 0;
  SmallVector<Type> inputs(arguments);
  llvm::append_range(inputs, bufferTypes);
  inputs.append(numScalars, builder.getIndexType());
  func::FuncOp function = createFunction((stage + "." + name).str(), inputs, type ? TypeRange(type) : TypeRange());
  function.setPrivate();
  OpBuilder body = OpBuilder::atBlockBegin(&function.getBody().front());
  ValueRange values = function.getArguments();
  Scope scope{*this, IndexMath(body, kernel.getLoc()), ScalarScope(scalarNames, values.take_back(numScalars)),
              values.take_front(arguments.size()), values.slice(arguments.size(), bufferTypes.size())};
  FailureOr<Value> result = build(scope);
  if (failed(result))
    return failure();
  func::ReturnOp::create(body, kernel.getLoc(), type ? ValueRange(*result) : ValueRange());
  return success();
}

std::string KernelFunctions::operands() const {
  SmallVector<std::string> names;
  for (size_t i = 0; i < bufferTypes.size(); ++i)
    names.push_back("b" + std::to_string(i));
  for (size_t i = 0, n = scalarNames ? scalarNames.size() : 0; i < n; ++i)
    names.push_back("s" + std::to_string(i));
  return llvm::join(names, ", ");
}

std::string KernelFunctions::bufferName(Value tensor) const {
  return "b" + std::to_string(llvm::find(tensors, tensor) - tensors.begin());
}

std::string KernelFunctions::elementName(Value tensor) const {
  return typeName(bufferElement(cast<RankedTensorType>(tensor.getType()).getElementType()), bits);
}

void KernelFunctions::finish(ArrayRef<Stage> stages,
                             llvm::function_ref<Value(IndexMath &, const ScalarScope &)> scratch) {
  unsigned numScalars = scalarNames ? scalarNames.size() : 0;
  Location loc = kernel.getLoc();
  SmallVector<Type> inputs(bufferTypes), scalars(numScalars, builder.getIndexType());
  if (scratch)
    inputs.push_back(MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()));
  llvm::append_range(inputs, scalars);
  std::string base = kernel.getName().str();
  kernel.setSymName(base + ".graph");
  unsigned numInputs = kernel.getNumArguments();
  SmallVector<StringRef> names;
  for (const Stage &stage : stages) {
    func::FuncOp function = createFunction(stage.name, inputs, {});
    function->setAttr(kCudaText, builder.getStringAttr(stage.text));
    function->setAttr(graph_to_plan::kWorkgroupSizeAttribute, builder.getI32IntegerAttr(stage.threads));
    if (stage.sharedBytes)
      function->setAttr(graph_to_plan::kSharedBytesAttribute, builder.getI32IntegerAttr(stage.sharedBytes));
    if (stage.exactArchitecture)
      function->setAttr(kExactArchitecture, builder.getUnitAttr());
    if (!stage.family.empty())
      function->setAttr(kFamilyAttribute, builder.getStringAttr(stage.family));
    for (unsigned i = numInputs; i < bufferTypes.size() + (scratch ? 1 : 0); ++i)
      function.setArgAttr(i, kWritten, builder.getUnitAttr());
    OpBuilder body = OpBuilder::atBlockBegin(&function.getBody().front());
    func::ReturnOp::create(body, loc);
    names.push_back(stage.name);
  }
  SmallVector<Type> results(stages.size() + 1, builder.getIndexType());
  auto launch = func::FuncOp::create(builder, loc, base + graph_to_plan::kLaunchSuffix.str(),
                                     builder.getFunctionType(scalars, results));
  launch->setAttr(graph_to_plan::kStagesAttribute, builder.getStrArrayAttr(names));
  OpBuilder body = OpBuilder::atBlockBegin(launch.addEntryBlock());
  IndexMath math(body, loc);
  ScalarScope scope(scalarNames, launch.getArguments());
  SmallVector<Value> returned{scratch ? scratch(math, scope) : math.index(0)};
  for (const Stage &stage : stages)
    returned.push_back(stage.grid(math, scope));
  func::ReturnOp::create(body, loc, returned);
  kernel.erase();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value KernelFunctions::Scope::buffer(Value tensor) const {
  const auto *found = llvm::find(functions.tensors, tensor);
  return found == functions.tensors.end() ? Value() : buffers[found - functions.tensors.begin()];
}

Value KernelFunctions::Scope::load(Value tensor, const Positions::Place &place) const {
  OpBuilder &builder = math.builder;
  Location loc = math.loc;
  Value memory = buffer(tensor);
  if (!memory) {
    TypedAttr splat = splatOf(tensor);
    if (!splat)
      return nullptr;
    Value element = arith::ConstantOp::create(builder, loc, splat);
    if (!place.valid)
      return element;
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element.getType()));
    return arith::SelectOp::create(builder, loc, place.valid, element, zero);
  }
  Type stored = cast<MemRefType>(memory.getType()).getElementType();
  auto read = [&](OpBuilder &at) { return memref::LoadOp::create(at, loc, memory, place.offset).getResult(); };
  Value element;
  if (place.valid) {
    auto branch = scf::IfOp::create(
        builder, loc, place.valid, [&](OpBuilder &then, Location) { scf::YieldOp::create(then, loc, read(then)); },
        [&](OpBuilder &otherwise, Location) {
          Value zero = arith::ConstantOp::create(otherwise, loc, otherwise.getZeroAttr(stored));
          scf::YieldOp::create(otherwise, loc, zero);
        });
    element = branch.getResult(0);
  } else {
    element = read(builder);
  }
  if (!cast<RankedTensorType>(tensor.getType()).getElementType().isInteger(1))
    return element;
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(stored));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, element, zero);
}

void KernelFunctions::Scope::store(Value element, Value tensor, const Positions::Place &place) const {
  Value memory = buffer(tensor);
  Type stored = cast<MemRefType>(memory.getType()).getElementType();
  if (element.getType() != stored)
    element = arith::ExtUIOp::create(math.builder, math.loc, stored, element);
  memref::StoreOp::create(math.builder, math.loc, element, memory, place.offset);
}
