//===- Import.cpp - ONNX models as graph modules --------------------------===//

#include "lib/Frontend/Import.h"

#include "dialects/Graph/IR/Graph.h"
#include "lib/Frontend/FunctionSignature.h"
#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/ModelFile.h"
#include "lib/Frontend/Onnx/Library.h"
#include "lib/Support/NodeLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::frontend;

/// What is known of the model as a whole.
static void describeModel(ModuleOp module, const ModelFile &file) {
  const onnx::ModelProto &model = file.proto();
  Builder builder(module.getContext());
  module->setAttr("graph.model", builder.getStringAttr(model.graph().name()));
  std::string producer = model.producer_name();
  if (!model.producer_version().empty())
    producer += " " + model.producer_version();
  if (!producer.empty())
    module->setAttr("graph.producer", builder.getStringAttr(producer));
  NamedAttrList opsets, metadata;
  for (const auto &[domain, version] : file.originalOpsets())
    opsets.set(domain.empty() ? "ai.onnx" : StringRef(domain), builder.getI64IntegerAttr(version));
  module->setAttr("graph.opset", opsets.getDictionary(module.getContext()));
  for (const auto &[key, value] : file.metadata())
    if (!key.empty())
      metadata.set(key, builder.getStringAttr(value));
  if (!metadata.empty())
    module->setAttr("graph.metadata", metadata.getDictionary(module.getContext()));
}

static ModelSummary summarize(const ModelFile &file, llvm::function_ref<std::string(unsigned)> nameOf) {
  ModelSummary summary;
  for (unsigned i = 0; i < file.numOrigins(); ++i)
    summary.nodes.push_back({nameOf(i), hone::escapeName(file.origin(i).opType)});
  for (const onnx::TensorProto &tensor : file.proto().graph().initializer()) {
    // Counts of a hostile file saturate: nothing is allocated by them.
    int64_t count = 1;
    for (int64_t extent : tensor.dims())
      count = llvm::MulOverflow(count, std::max<int64_t>(extent, 0), count) ? INT64_MAX : count;
    summary.parameters = llvm::AddOverflow(summary.parameters, count, count) ? INT64_MAX : count;
  }
  return summary;
}

/// Fills @main; failure after diagnostics.
static LogicalResult importGraph(func::FuncOp function, FunctionSignature &signature, ModelFile &file) {
  MLIRContext *context = function.getContext();
  Block *entry = function.addEntryBlock();
  ImportContext shared(file, context);
  shared.entry = entry;
  shared.builder.setInsertionPointToEnd(entry);
  GraphImporter importer(shared, file.proto().graph(), nullptr, std::nullopt);
  for (auto [name, argument] : llvm::zip(signature.names, entry->getArguments()))
    importer.bind(name, argument);
  LogicalResult imported = importer.importNodes();
  SmallVector<Value> results = importer.outputs(function.getLoc());
  if (failed(imported) || llvm::is_contained(results, Value()))
    return failure();

  func::ReturnOp::create(shared.builder, function.getLoc(), results);
  auto type = FunctionType::get(context, signature.types, TypeRange(ValueRange(results)));
  function.setFunctionType(type);
  for (auto [index, attributes] : llvm::enumerate(signature.attributes))
    function.setArgAttrs(unsigned(index), attributes);
  for (auto [index, result] : llvm::enumerate(results))
    function.setResultAttrs(unsigned(index),
                            signature.resultAttributes(unsigned(index), cast<RankedTensorType>(result.getType())));
  return success();
}

OwningOpRef<ModuleOp> hone::frontend::importModel(const ModelSource &source, MLIRContext *context,
                                                  const ImportOptions &options, ModelSummary *summary) {
  context->loadDialect<graph::GraphDialect, func::FuncDialect>();
  Location loc = FileLineColLoc::get(context, source.name, 0, 0);
  ModelFile file;
  auto nodeLoc = [&](unsigned index) {
    NodeOrigin origin = index < file.numOrigins() ? file.origin(index) : NodeOrigin{"", "function"};
    return nodeLocation(context, source.name, index, origin.name, origin.opType);
  };
  if (std::string error = file.load(source, options); !error.empty()) {
    emitError(file.failedNode ? nodeLoc(*file.failedNode) : loc) << error;
    return nullptr;
  }
  if (!file.unknownNodes.empty()) {
    for (const ModelFile::UnknownNode &node : file.unknownNodes)
      emitError(nodeLoc(node.index)) << node.message;
    return nullptr;
  }

  if (summary)
    *summary = summarize(file, [&](unsigned index) { return cast<NameLoc>(nodeLoc(index)).getName().str(); });
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  describeModel(*module, file);
  FunctionSignature signature(context, file.proto().graph(), options, loc);
  LogicalResult inputs = signature.readInputs();
  if (failed(inputs))
    return nullptr;
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "main", FunctionType::get(context, signature.types, {}));
  if (failed(importGraph(function, signature, file)) || failed(verify(*module)))
    return nullptr;
  return module;
}

LogicalResult hone::frontend::checkModel(const ModelSource &source, MLIRContext *context,
                                         const ImportOptions &options) {
  return success(bool(importModel(source, context, options)));
}
