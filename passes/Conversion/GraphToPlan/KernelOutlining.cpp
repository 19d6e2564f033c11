//===- KernelOutlining.cpp - Kernels as functions -------------------------===//

#include "passes/Conversion/GraphToPlan/KernelOutlining.h"

#include "lib/Target/KernelFacts.h"
#include "passes/Analysis/Operations.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace hone;
using namespace hone::graph;
using namespace hone::graph_to_plan;

/// "conv_binary_3": the ops in order, once each, and a number. A name starts with a letter, as C++ wants it.
static std::string kernelName(KernelOp kernel, unsigned number) {
  llvm::SetVector<StringRef> parts;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<ConstantOp, ShapeOp>(op))
      parts.insert(op.getName().stripDialect());
  if (parts.empty())
    parts.insert("shape");
  std::string name;
  for (StringRef part : ArrayRef<StringRef>(parts.getArrayRef()).take_front(3))
    name += part.str() + "_";
  return name + std::to_string(number);
}

/// The text of `function` without its name and locations: equal texts are equal kernels.
static std::string textOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(false).printGenericOpForm();
  StringAttr name = function.getSymNameAttr();
  function.setSymName("kernel");
  function->print(os, flags);
  function.setSymNameAttr(name);
  return text;
}

ArrayAttr KernelOutliner::dimNames(Value tensor, OutlinedKernel &kernel) {
  Builder builder(tensor.getContext());
  SmallVector<Attribute> names;
  for (Extent extent : extents.dims(tensor)) {
    if (constantExtent(extent)) {
      names.push_back(builder.getUnitAttr());
      continue;
    }
    auto *known = llvm::find(kernel.scalars, extent);
    size_t position = known - kernel.scalars.begin();
    if (known == kernel.scalars.end())
      kernel.scalars.push_back(extent);
    names.push_back(builder.getStringAttr("s" + Twine(position)));
  }
  return builder.getArrayAttr(names);
}

/// `type` with the extents that are known to be constants.
static RankedTensorType refine(Value tensor, ExtentBuilder &extents) {
  auto type = cast<RankedTensorType>(tensor.getType());
  TensorShape shape{type.getElementType(), extents.dims(tensor)};
  return tensorType(shape, type.getEncoding());
}

OutlinedKernel KernelOutliner::outline(KernelOp kernel) {
  OutlinedKernel result;
  result.name = kernelName(kernel, count++);
  Block &body = kernel.getBody().front();
  llvm::SetVector<Value> captured;
  kernel->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getParentRegion()->isProperAncestor(&kernel.getBody()))
        captured.insert(operand);
  });
  result.inputs = captured.takeVector();

  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  SmallVector<Type> arguments, results;
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  auto describe = [&](Value tensor, SmallVector<Type> &types, SmallVector<DictionaryAttr> &attributes) {
    types.push_back(refine(tensor, extents));
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr("graph.dims", dimNames(tensor, result))));
  };
  for (Value input : result.inputs)
    describe(input, arguments, argumentAttributes);
  for (Value output : kernel.getResults())
    describe(output, results, resultAttributes);

  auto function =
      func::FuncOp::create(builder, kernel.getLoc(), result.name, builder.getFunctionType(arguments, results));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(resultAttributes);
  SmallVector<Attribute> scalars;
  for (size_t i = 0; i < result.scalars.size(); ++i)
    scalars.push_back(builder.getStringAttr("s" + Twine(i)));
  function->setAttr(kScalarsAttribute, builder.getArrayAttr(scalars));

  IRMapping mapping;
  mapping.map(ValueRange(result.inputs), function.addEntryBlock()->getArguments());
  builder.setInsertionPointToEnd(&function.getBody().front());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  func::ReturnOp::create(builder, kernel.getLoc(), yielded);

  auto [known, fresh] = byText.try_emplace(textOf(function), function);
  if (!fresh)
    function.erase();
  result.function = known->second;
  return result;
}

void graph_to_plan::describeKernel(plan::KernelOp kernel, func::FuncOp function) {
  Builder builder(kernel.getContext());
  SmallVector<Type> types(function.getArgumentTypes());
  llvm::append_range(types, function.getResultTypes());
  kernel->setAttr(kTensorsAttribute, builder.getTypeArrayAttr(types));
  std::optional<int64_t> total = 0;
  for (Operation &op : function.getBody().front().without_terminator()) {
    std::optional<int64_t> count = countOperations(&op);
    total = total && count ? llvm::checkedAdd(*total, *count) : std::nullopt;
  }
  if (total)
    kernel->setAttr(kOperationsAttribute, builder.getI64IntegerAttr(*total));
}
