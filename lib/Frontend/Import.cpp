//===- Import.cpp - ONNX models as graph modules --------------------------===//

#include "lib/Frontend/Import.h"

#include "dialects/Graph/IR/Graph.h"
#include "lib/Frontend/FunctionSignature.h"
#include "lib/Frontend/GraphImporter.h"
#include "lib/Frontend/ModelFile.h"
#include "lib/Frontend/Onnx/Library.h"
#include "lib/Support/NodeLocation.h"
#include "runtime/format/Format.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <map>

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

namespace {

/// Holds the diagnostics of an import back and hands them on in the order of the nodes. Of equal errors only the first
/// few come with their nodes: a file may have any number of them.
class OrderedDiagnostics {
public:
  explicit OrderedDiagnostics(MLIRContext *context) : context(context) {
    id = context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      unsigned position = positionOf(diagnostic);
      held.emplace(position, std::move(diagnostic));
      return success();
    });
  }
  OrderedDiagnostics(const OrderedDiagnostics &) = delete;
  ~OrderedDiagnostics() {
    DiagnosticEngine &engine = context->getDiagEngine();
    engine.eraseHandler(id);
    llvm::StringMap<unsigned> counts;
    for (auto &[position, diagnostic] : held)
      ++counts[diagnostic.str()];
    llvm::StringMap<unsigned> shown;
    for (auto &[position, diagnostic] : held) {
      std::string message = diagnostic.str();
      unsigned number = ++shown[message], count = counts[message];
      if (number > kMaxEqual)
        continue;
      if (number == kMaxEqual && count > kMaxEqual) {
        Location whole = diagnostic.getLocation();
        if (auto where = whole->findInstanceOf<FileLineColLoc>())
          whole = FileLineColLoc::get(context, where.getFilename(), 0, 0);
        diagnostic.attachNote(whole) << "the same holds for " << count - number << " more";
      }
      engine.emit(std::move(diagnostic));
    }
  }

private:
  static constexpr unsigned kMaxEqual = 20;

  /// The number of the node, counted from 1; what concerns no node comes first.
  static unsigned positionOf(const Diagnostic &diagnostic) {
    auto node = diagnostic.getLocation()->findInstanceOf<NameLoc>();
    auto where = node ? Location(node)->findInstanceOf<FileLineColLoc>() : FileLineColLoc();
    return where ? where.getLine() + 1 : 0;
  }

  MLIRContext *context;
  DiagnosticEngine::HandlerID id;
  std::multimap<unsigned, Diagnostic> held;
};

} // namespace

/// What a module can describe of a result: the rank and the bytes.
static LogicalResult checkResult(Location loc, StringRef name, RankedTensorType type) {
  if (type.getRank() > int64_t(hone::format::kMaxRank))
    return emitError(loc) << "output '" << hone::escapeName(name) << "' has rank " << type.getRank() << "; "
                          << hone::format::kMaxRank << " is the most";
  return success();
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
  for (const std::string &name : signature.refused)
    importer.poison(name);
  LogicalResult imported = importer.importNodes();
  SmallVector<Value> results = importer.outputs(function.getLoc());
  bool fits = true;
  for (auto [output, result] : llvm::zip(file.proto().graph().output(), results))
    fits &= !result || succeeded(checkResult(result.getLoc(), output.name(), cast<RankedTensorType>(result.getType())));
  if (failed(imported) || !fits || llvm::is_contained(results, Value()))
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
  auto problemLoc = [&](const ModelFile::Problem &problem) -> Location {
    if (!problem.index)
      return loc;
    Location around = nodeLoc(*problem.index);
    // A node of a subgraph has a name of its own, and the number of the node around it.
    if (problem.name.empty())
      return around;
    return NameLoc::get(StringAttr::get(context, hone::escapeName(problem.name)), cast<NameLoc>(around).getChildLoc());
  };
  OrderedDiagnostics inOrder(context);
  if (std::string error = file.load(source, options); !error.empty()) {
    emitError(loc) << error;
    return nullptr;
  }
  for (const ModelFile::Problem &problem : file.problems)
    emitError(problemLoc(problem)) << problem.message;
  if (!file.isComplete)
    return nullptr;

  if (summary)
    *summary = summarize(file, [&](unsigned index) { return cast<NameLoc>(nodeLoc(index)).getName().str(); });
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  describeModel(*module, file);
  FunctionSignature signature(context, file.proto().graph(), options, loc);
  LogicalResult inputs = signature.readInputs();
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "main", FunctionType::get(context, signature.types, {}));
  if (failed(importGraph(function, signature, file)) || failed(inputs) || !file.problems.empty() ||
      failed(verify(*module)))
    return nullptr;
  return module;
}

LogicalResult hone::frontend::checkModel(const ModelSource &source, MLIRContext *context,
                                         const ImportOptions &options) {
  return success(bool(importModel(source, context, options)));
}
