//===- RunReference.cpp - Conformance cases through the interpreter -------===//
//
// The importer and lib/Reference alone: a case that fails here is no matter of passes or backends.
//
//===----------------------------------------------------------------------===//

#include "test/onnx/Compare.h"
#include "test/onnx/DynamicModel.h"
#include "test/onnx/RunCase.h"

#include "dialects/Graph/IR/Graph.h"
#include "lib/Frontend/Import.h"
#include "lib/Reference/Interpreter.h"
#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstring>

using namespace hone::conformance;
using hone::reference::Tensor;

/// The graph dialect's element type: signless integers are signed.
static mlir::Type elementType(mlir::Builder &b, int32_t dataType) {
  switch (dataType) {
  case Float:
    return b.getF32Type();
  case Double:
    return b.getF64Type();
  case Float16:
    return b.getF16Type();
  case BFloat16:
    return b.getBF16Type();
  case Float8E4M3FN:
    return b.getType<mlir::Float8E4M3FNType>();
  case Float8E4M3FNUZ:
    return b.getType<mlir::Float8E4M3FNUZType>();
  case Float8E5M2:
    return b.getType<mlir::Float8E5M2Type>();
  case Float8E5M2FNUZ:
    return b.getType<mlir::Float8E5M2FNUZType>();
  case Float8E8M0:
    return b.getType<mlir::Float8E8M0FNUType>();
  case Float4E2M1:
    return b.getType<mlir::Float4E2M1FNType>();
  case Bool:
    return b.getI1Type();
  case String:
  case Complex64:
  case Complex128:
    return {};
  default:
    break;
  }
  DataTypeInfo info = dataTypeInfo(dataType);
  if (info.bits == 0)
    return {};
  return info.name.starts_with("u") ? b.getIntegerType(info.bits, /*isSigned=*/false) : b.getIntegerType(info.bits);
}

static int32_t dataTypeOf(mlir::Builder &b, mlir::Type type) {
  for (int32_t dataType = Float; dataType <= Int2; ++dataType)
    if (elementType(b, dataType) == type)
      return dataType;
  return 0;
}

static std::optional<Tensor> toTensor(mlir::Builder &b, const Value &value) {
  mlir::Type element = value.kind == Value::Tensor ? elementType(b, value.dataType) : mlir::Type();
  std::vector<uint8_t> bytes = unpackElements(value);
  std::optional<Tensor> tensor;
  if (element)
    tensor = Tensor::zeros(element, value.dims);
  if (!tensor || tensor->bytes().size() != bytes.size())
    return std::nullopt;
  if (!bytes.empty())
    std::memcpy(tensor->mutableBytes().data(), bytes.data(), bytes.size());
  return tensor;
}

static Value toValue(mlir::Builder &b, const Tensor &tensor) {
  Value value;
  value.dataType = dataTypeOf(b, tensor.getElementType());
  value.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  llvm::ArrayRef<char> bytes = tensor.bytes();
  value.bytes = packElements({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, value.dataType);
  return value;
}

/// Puts the inputs into the order of the arguments, whose names they have.
static std::string bindInputs(mlir::func::FuncOp main, llvm::ArrayRef<Value> inputs, std::vector<Tensor> &bound) {
  mlir::Builder b(main.getContext());
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto name = main.getArgAttrOfType<mlir::StringAttr>(i, "graph.name");
    const Value *input =
        llvm::find_if(inputs, [&](const Value &value) { return name && name.getValue() == value.name; });
    if (input == inputs.end())
      return "the case has no value for an input";
    std::optional<Tensor> tensor = toTensor(b, *input);
    if (!tensor)
      return "input '" + input->name + "' is " + input->describe() + ", which is no tensor of the graph";
    bound.push_back(*tensor);
  }
  return "";
}

Outcome hone::conformance::runReference(const Case &testCase, bool dynamic) {
  Outputs outputs;
  Outcome outcome = evaluateReference(testCase, dynamic, outputs);
  return outcome.status == Status::Pass ? compareRuns(testCase, outputs) : outcome;
}

Outcome hone::conformance::evaluateReference(const Case &testCase, bool dynamic, Outputs &outputs) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<hone::graph::GraphDialect, mlir::func::FuncDialect>();
  std::string diagnostics;
  llvm::raw_string_ostream errors(diagnostics);
  hone::NodeDiagnosticHandler handler(&context, errors);
  CaseModel model(testCase, dynamic);
  auto source = model.source();
  if (!source)
    return {Status::CompileError, toString(source.takeError())};
  mlir::OwningOpRef<mlir::ModuleOp> module = hone::frontend::importModel(*source, &context);
  if (!module)
    return {Status::CompileError, firstLine(testCase, diagnostics)};
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  if (!main)
    return {Status::CompileError, "the import has no @main"};
  for (unsigned i = 0; i < testCase.numDataSets; ++i) {
    auto data = readDataSet(testCase, i);
    if (!data)
      return {Status::RunError, toString(data.takeError())};
    std::vector<Tensor> inputs;
    if (std::string why = bindInputs(main, data->inputs, inputs); !why.empty())
      return {Status::RunError, why};
    auto results = hone::reference::interpret(main, inputs);
    if (failed(results))
      return {Status::RunError, firstLine(testCase, diagnostics)};
    mlir::Builder b(&context);
    outputs.emplace_back();
    for (const Tensor &result : *results)
      outputs.back().push_back(toValue(b, result));
  }
  return {Status::Pass, ""};
}
