//===- Evaluator.cpp - Graph functions on targets -------------------------===//
//
// Expected values are those of the text, else the reference interpreter's; a compiled function is one job with a run
// for every case.
//
//===----------------------------------------------------------------------===//

#include "test/evaluate/Evaluator.h"

#include "backends/Register.h"
#include "dialects/Graph/IR/Graph.h"
#include "lib/Reference/Interpreter.h"
#include "lib/Serialization/ProgramEncoder.h"
#include "runtime/drivers/cpu/Features.h"
#include "tools/hone-run/Files.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hone;
using namespace hone::evaluate;
using reference::Tensor;

Evaluator::Evaluator(Options given, raw_ostream &os)
    : options(std::move(given)), os(os), context(createContext()), remote(options.runner) {
  context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostics += (diagnostics.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
}

bool Evaluator::fail(const Case &one, const std::string &target, const Twine &message) {
  os << path << ":" << one.line << ": @" << one.function << (types.empty() ? "" : " with " + types) << " on " << target
     << ": " << message << "\n";
  return false;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// The device that runs a target's code: "cuda" of "cuda:sm_90a".
static std::string deviceOf(StringRef target) { return target.split(':').first.str(); }

/// Why this machine cannot evaluate for a target; empty when it can.
std::string Evaluator::whyNot(const std::string &target) {
  diagnostics.clear();
  auto resolved = createBackends().resolve(target, UnknownLoc::get(context.get()));
  if (failed(resolved))
    return diagnostics;
  if (!options.runner.empty() || !options.jobs.empty() || !options.replies.empty())
    return "";
  auto device = Device::create(deviceOf(target).c_str());
  if (!device)
    return device.message();
  if (deviceOf(target) != "cpu")
    return "";
  std::string lacks;
  for (const std::string &feature : resolved->second.features)
    if (!cpu::Features::detect().has(feature.c_str()))
      lacks += " " + feature;
  return lacks.empty() ? "" : "this " + std::string(cpu::architecture()) + " processor lacks" + lacks;
}

std::vector<std::string> Evaluator::targetsOf(const File &file) {
  auto named = [&](StringRef target) {
    return llvm::any_of(file.targets, [&](StringRef known) {
      return known == target || (target.starts_with(known) && target.drop_front(known.size()).starts_with(":"));
    });
  };
  // Devices are asked for by name: each has a suite of its own.
  auto usual = [](StringRef target) { return target == "reference" || target == "cpu" || target.starts_with("cpu:"); };
  std::vector<std::string> wanted = options.targets.empty() ? file.targets : options.targets, targets;
  for (const std::string &target : wanted) {
    if (!named(target) || (options.targets.empty() && !usual(target)))
      continue;
    if (target != "reference") {
      auto [entry, isNew] = skipped.try_emplace(target);
      if (isNew)
        entry->second = whyNot(target);
      if (isNew && !entry->second.empty())
        os << "skipped " << target << ": " << entry->second << "\n";
      if (!entry->second.empty())
        continue;
    }
    targets.push_back(target);
  }
  return targets;
}

//===----------------------------------------------------------------------===//
// Expected values
//===----------------------------------------------------------------------===//

static bool makeTensors(ArrayRef<TextValue> values, TypeRange types, unsigned line, SmallVectorImpl<Tensor> &tensors,
                        std::string &error) {
  if (values.size() != types.size()) {
    error = std::to_string(values.size()) + " values, not " + std::to_string(types.size());
    return false;
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    auto tensor = makeTensor(value, cast<RankedTensorType>(types[i]), line * 1000 + i, error);
    if (!tensor)
      return false;
    tensors.push_back(std::move(*tensor));
  }
  return true;
}

bool Evaluator::prepareCase(func::FuncOp function, const Case &one, Checked &checked) {
  std::string error;
  checked.one = &one;
  checked.bound = boundOf(one, function);
  if (!makeTensors(one.arguments, function.getArgumentTypes(), one.line, checked.arguments, error))
    return fail(one, "reference", "arguments: " + error);
  if (!one.results.empty() && !makeTensors(one.results, function.getResultTypes(), 0, checked.results, error))
    return fail(one, "reference", "results: " + error);
  return true;
}

static bool isConstant(func::FuncOp function, unsigned argument) {
  return static_cast<bool>(function.getArgAttr(argument, "graph.constant"));
}

/// Such a function is compiled anew for every case.
static bool hasConstants(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (isConstant(function, i))
      return true;
  return false;
}

/// Fills in the expected results and compares the reference's with those of the text.
bool Evaluator::prepare(const File &file, const Section &section, ModuleOp module, std::vector<Function> &functions,
                        bool checkReference) {
  bool good = true;
  for (const Case &one : section.cases) {
    auto function = module.lookupSymbol<func::FuncOp>(one.function);
    if (!function) {
      good = fail(one, "reference", "there is no such function");
      continue;
    }
    auto known = llvm::find_if(functions, [&](const Function &other) { return other.op == function; });
    Checked checked;
    if (!prepareCase(function, one, checked)) {
      good = false;
      continue;
    }
    if (checkReference || one.results.empty()) {
      diagnostics.clear();
      auto results = reference::interpret(function, checked.arguments);
      if (failed(results)) {
        good = fail(one, "reference", diagnostics);
        continue;
      }
      if (one.results.empty())
        checked.results = std::move(*results);
      else
        good &= compareAll("reference", checked, *results);
    }
    if (known == functions.end() || hasConstants(function)) {
      functions.push_back({function, {}});
      known = std::prev(functions.end());
    }
    known->cases.push_back(std::move(checked));
  }
  return good;
}

bool Evaluator::compareAll(const std::string &target, const Checked &checked, ArrayRef<Tensor> results) {
  if (results.size() != checked.results.size())
    return fail(*checked.one, target,
                std::to_string(results.size()) + " results, not " + std::to_string(checked.results.size()));
  bool good = true;
  for (auto [i, result, expected] : llvm::enumerate(results, checked.results)) {
    std::string difference = compare(result, expected, checked.bound);
    if (!difference.empty())
      good = fail(*checked.one, target, "result " + std::to_string(i) + " " + difference);
  }
  return good;
}

//===----------------------------------------------------------------------===//
// Compiled code
//===----------------------------------------------------------------------===//

static tools::HostTensor toHost(const Tensor &tensor, size_t position) {
  ArrayRef<char> bytes = tensor.bytes();
  return {"input" + std::to_string(position),
          static_cast<hone_dtype_t>(serialization::dtypeOf(tensor.getElementType())),
          {tensor.getShape().begin(), tensor.getShape().end()},
          {bytes.begin(), bytes.end()}};
}

static std::optional<Tensor> fromHost(const tools::HostTensor &host, Type element) {
  if (host.dtype != static_cast<hone_dtype_t>(serialization::dtypeOf(element)))
    return std::nullopt;
  auto tensor = Tensor::zeros(element, host.shape);
  if (!tensor || tensor->bytes().size() != host.data.size())
    return std::nullopt;
  llvm::copy(host.data, tensor->mutableBytes().begin());
  return tensor;
}

/// Nothing when the job only had to be written.
std::optional<runner::Reply> Evaluator::execute(const std::string &target, const runner::Job &job,
                                                const std::string &name) {
  runner::Reply reply;
  std::vector<uint8_t> bytes;
  if (!options.jobs.empty()) {
    bytes = runner::encode(job);
    std::string file = options.jobs + "/" + name + ".job";
    if (tools::makeDirectory(llvm::sys::path::parent_path(file).str(), reply.error) &&
        tools::writeFile(file, bytes.data(), bytes.size(), reply.error))
      return std::nullopt;
    return reply;
  }
  if (!options.replies.empty()) {
    if (tools::readFile(options.replies + "/" + name + ".reply", bytes, reply.error) && !runner::decode(bytes, reply))
      reply.error = "what lies in the folder is no reply";
    return reply;
  }
  if (!options.runner.empty())
    return remote.run(job);
  std::unique_ptr<runner::JobRunner> &local = devices[deviceOf(target)];
  if (!local)
    local = std::make_unique<runner::JobRunner>(deviceOf(target));
  return local->run(job);
}

/// Names the run-time extents of arguments that have none: every one is another.
static void nameExtents(func::FuncOp function) {
  Builder builder(function.getContext());
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (function.getArgAttr(i, "graph.dims"))
      continue;
    SmallVector<Attribute> dims;
    for (auto [d, extent] : llvm::enumerate(cast<RankedTensorType>(type).getShape()))
      dims.push_back(ShapedType::isDynamic(extent)
                         ? Attribute(builder.getStringAttr("input" + std::to_string(i) + "." + std::to_string(d)))
                         : builder.getUnitAttr());
    function.setArgAttr(i, "graph.dims", builder.getArrayAttr(dims));
  }
}

/// Arguments that are known when compiled become constants.
static void placeConstants(func::FuncOp function, ArrayRef<Tensor> values) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  for (unsigned i = function.getNumArguments(); i-- > 0;) {
    if (!isConstant(function, i))
      continue;
    auto constant = graph::ConstantOp::create(builder, function.getLoc(), values[i].getType(), values[i].toAttr());
    function.getArgument(i).replaceAllUsesWith(constant);
    (void)function.eraseArgument(i);
  }
}

bool Evaluator::evaluateOn(const std::string &target, Function &function, const std::string &name) {
  const Case &first = *function.cases.front().one;
  runner::Job job;
  if (options.replies.empty()) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(function.op.getLoc());
    OpBuilder::atBlockEnd(module->getBody()).clone(*function.op);
    auto main = cast<func::FuncOp>(module->getBody()->front());
    main.setName("main");
    placeConstants(main, function.cases.front().arguments);
    nameExtents(main);
    CompileOptions compile;
    compile.target = target;
    compile.optLevel = options.optLevel;
    compile.reproducerFolder.clear();
    SmallVector<char, 0> compiled;
    diagnostics.clear();
    if (failed(compileGraph(std::move(module), compile, compiled)))
      return fail(first, target, diagnostics);
    job.module.assign(compiled.begin(), compiled.end());
  }
  for (const Checked &checked : function.cases) {
    runner::Tensors &inputs = job.runs.emplace_back();
    for (auto [i, argument] : llvm::enumerate(checked.arguments))
      if (!isConstant(function.op, i))
        inputs.push_back(toHost(argument, inputs.size()));
  }
  std::optional<runner::Reply> reply = execute(target, job, name);
  bool good = true;
  for (size_t i = 0; reply && i < function.cases.size(); ++i) {
    const Checked &checked = function.cases[i];
    if (i >= reply->runs.size())
      return fail(*checked.one, target, reply->error);
    SmallVector<Tensor> results;
    for (auto [host, type] : llvm::zip(reply->runs[i], function.op.getResultTypes()))
      if (auto tensor = fromHost(host, cast<RankedTensorType>(type).getElementType()))
        results.push_back(std::move(*tensor));
    good &= compareAll(target, checked, results);
  }
  return good;
}

bool Evaluator::evaluateSection(const File &file, const Section &section, size_t number,
                                ArrayRef<std::string> targets) {
  types = section.types;
  diagnostics.clear();
  auto module = parseSourceString<ModuleOp>(section.text, context.get(), path);
  if (!module)
    return fail(section.cases.front(), "reference", diagnostics);
  std::vector<Function> functions;
  bool good = prepare(file, section, *module, functions, llvm::is_contained(targets, "reference"));
  for (const std::string &target : targets) {
    if (target == "reference")
      continue;
    for (auto [i, function] : llvm::enumerate(functions)) {
      std::string name = llvm::sys::path::stem(path).str() + "/" + std::to_string(number) + "-" + std::to_string(i);
      good &= evaluateOn(target, function, name);
    }
  }
  return good;
}

bool Evaluator::evaluate(const File &file) {
  path = file.path;
  std::vector<std::string> targets = targetsOf(file);
  bool good = true;
  for (auto [number, section] : llvm::enumerate(file.sections))
    good &= evaluateSection(file, section, number, targets);
  size_t cases = 0;
  for (const Section &section : file.sections)
    cases += section.cases.size();
  os << (good ? "pass " : "FAIL ") << path << ": " << cases << " evaluations on " << llvm::join(targets, ", ") << "\n";
  return good;
}
