//===- ResolveLaunches.cpp - Stages, grids and scratch memory of launches -===//
//
// Only a lowered kernel knows how it splits its work and what memory it needs beside its operands.
// It says so in a function of its scalars, whose arithmetic is copied into the plan.
//
//===----------------------------------------------------------------------===//

#include "dialects/Graph/IR/Graph.h"
#include "lib/Support/UserError.h"
#include "lib/Target/KernelFacts.h"
#include "lib/Target/TargetBackend.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace hone::graph_to_plan {
#define GEN_PASS_DEF_RESOLVELAUNCHESPASS
#include "passes/Conversion/GraphToPlan/Passes.h.inc"
} // namespace hone::graph_to_plan

using namespace mlir;
using namespace hone;

namespace {

struct Stage {
  plan::KernelOp kernel;
  DenseI64ArrayAttr buffers, writes; ///< among the launch's; null: all of them
};

/// What lowering made of a kernel of the plan.
struct LoweredKernel {
  func::FuncOp launch; ///< null: lowering said nothing
  bool scratch = false;
  SmallVector<Stage> stages;
};

class Resolver {
public:
  Resolver(ModuleOp module, ModuleOp kernels)
      : functions(kernels), symbols(module),
        target(TargetInfo::fromAttribute(kernels->getAttrOfType<DictionaryAttr>(kTargetAttribute))) {}

  LogicalResult resolve(plan::LaunchOp launch);
  /// Removes the kernels that became several, or none.
  void erase();

private:
  FailureOr<LoweredKernel *> lower(plan::KernelOp kernel);
  LogicalResult checkBuffers(plan::LaunchOp launch, plan::KernelOp kernel);
  LogicalResult checkGrid(plan::LaunchOp launch, plan::KernelOp kernel);
  FailureOr<Stage> describe(plan::KernelOp kernel, StringRef function, bool scratch);

  SymbolTable functions, symbols;
  TargetInfo target;
  llvm::MapVector<plan::KernelOp, LoweredKernel> lowered;
};

struct ResolveLaunchesPass final : graph_to_plan::impl::ResolveLaunchesPassBase<ResolveLaunchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(graph_to_plan::kKernelsModule);
    if (!kernels)
      return;
    SmallVector<plan::LaunchOp> launches;
    module.walk([&](plan::LaunchOp launch) { launches.push_back(launch); });
    Resolver resolver(module, kernels);
    for (plan::LaunchOp launch : launches)
      if (failed(resolver.resolve(launch)))
        return signalPassFailure();
    resolver.erase();
    for (auto function : llvm::make_early_inc_range(kernels.getOps<func::FuncOp>()))
      if (function.getName().ends_with(graph_to_plan::kLaunchSuffix))
        function.erase();
  }
};

} // namespace

FailureOr<Stage> Resolver::describe(plan::KernelOp kernel, StringRef name, bool scratch) {
  auto function = functions.lookup<func::FuncOp>(name);
  auto number = [&](StringRef attribute) {
    auto value = function ? function->getAttrOfType<IntegerAttr>(attribute) : IntegerAttr();
    return value ? value.getInt() : 0;
  };
  Stage stage{kernel, {}, {}};
  int64_t buffers = kernel.getBuffers() + scratch;
  if (function) {
    stage.buffers = function->getAttrOfType<DenseI64ArrayAttr>(graph_to_plan::kAccessedBuffersAttribute);
    stage.writes = function->getAttrOfType<DenseI64ArrayAttr>(graph_to_plan::kWrittenBuffersAttribute);
    bool isWhole = !stage.buffers && !stage.writes;
    auto isBuffer = [&](int64_t position) { return position >= 0 && position < buffers; };
    auto isTaken = [&](int64_t position) { return llvm::is_contained(stage.buffers.asArrayRef(), position); };
    if (!isWhole && (!stage.buffers || !stage.writes || !llvm::all_of(stage.buffers.asArrayRef(), isBuffer) ||
                     !llvm::all_of(stage.writes.asArrayRef(), isTaken)))
      return function.emitOpError() << "needs buffers that its kernel does not have";
  }
  kernel.setEntry(name);
  kernel.setBuffers(stage.buffers ? stage.buffers.size() : buffers);
  kernel.setWorkgroupSize(number(graph_to_plan::kWorkgroupSizeAttribute));
  kernel.setSharedBytes(number(graph_to_plan::kSharedBytesAttribute));
  if (Attribute family = function ? function->getAttr(kFamilyAttribute) : Attribute())
    kernel->setAttr(kFamilyAttribute, family);
  auto tensors = kernel->getAttrOfType<ArrayAttr>(kTensorsAttribute);
  if (tensors && stage.buffers) {
    SmallVector<Attribute> taken;
    for (int64_t position : stage.buffers.asArrayRef())
      if (position < static_cast<int64_t>(tensors.size()))
        taken.push_back(tensors[position]);
    kernel->setAttr(kTensorsAttribute, ArrayAttr::get(kernel.getContext(), taken));
  }
  return stage;
}

/// Leaves `launch` with the buffers of one stage.
static void selectBuffers(plan::LaunchOp launch, const Stage &stage) {
  if (!stage.buffers)
    return;
  SmallVector<Value> buffers;
  SmallVector<int64_t> writes, inplace;
  llvm::SmallDenseMap<int64_t, int64_t> place; // where a buffer of the kernel is now
  for (auto [i, position] : llvm::enumerate(stage.buffers.asArrayRef())) {
    place[position] = i;
    buffers.push_back(launch.getBuffers()[position]);
    if (llvm::is_contained(stage.writes.asArrayRef(), position))
      writes.push_back(i);
  }
  for (auto [in, out] : launch.getInplacePairs()) {
    auto from = place.find(in), to = place.find(out);
    if (from == place.end() || to == place.end() || !llvm::is_contained(writes, to->second))
      continue;
    inplace.append({from->second, to->second});
  }
  launch.getBuffersMutable().assign(buffers);
  launch.setWrites(writes);
  launch.setInplace(inplace);
}

FailureOr<LoweredKernel *> Resolver::lower(plan::KernelOp kernel) {
  auto [entry, fresh] = lowered.try_emplace(kernel);
  LoweredKernel &result = entry->second;
  if (!fresh)
    return &result;
  auto launch = functions.lookup<func::FuncOp>((kernel.getEntryName() + graph_to_plan::kLaunchSuffix).str());
  if (!launch)
    return &result;
  auto names = launch->getAttrOfType<ArrayAttr>(graph_to_plan::kStagesAttribute);
  if (!names || launch.getNumResults() != names.size() + 1)
    return launch.emitOpError() << "does not return scratch bytes and a grid for each of its "
                                << graph_to_plan::kStagesAttribute;
  result.launch = launch;
  result.scratch = !matchPattern(launch.getBody().front().getTerminator()->getOperand(0), m_Zero());
  auto add = [&](plan::KernelOp stage, StringRef name) -> LogicalResult {
    FailureOr<Stage> described = describe(stage, name, result.scratch);
    if (succeeded(described))
      result.stages.push_back(*described);
    return described;
  };
  if (names.size() == 1) {
    if (failed(add(kernel, cast<StringAttr>(names[0]).getValue())))
      return failure();
    return &result;
  }
  OpBuilder builder(kernel);
  for (auto [i, name] : llvm::enumerate(names.getAsRange<StringAttr>())) {
    auto stage = cast<plan::KernelOp>(builder.clone(*kernel));
    stage.setSymName((kernel.getSymName() + "." + Twine(i)).str());
    symbols.insert(stage);
    // The arithmetic is the whole kernel's: it is counted once.
    if (i != 0 && stage->hasAttr(kOperationsAttribute))
      stage->setAttr(kOperationsAttribute, builder.getI64IntegerAttr(0));
    if (failed(add(stage, name.getValue())))
      return failure();
  }
  return &result;
}

/// Refuses buffers that no device of the target reaches to the end of. Those whose size is known at run time only the
/// runtime sees, and what the device at hand reaches.
LogicalResult Resolver::checkBuffers(plan::LaunchOp launch, plan::KernelOp kernel) {
  auto tensors = kernel->getAttrOfType<ArrayAttr>(kTensorsAttribute);
  if (!target.maxBufferBytes || !tensors)
    return success();
  for (auto type : tensors.getAsRange<TypeAttr>()) {
    auto tensor = dyn_cast<RankedTensorType>(type.getValue());
    if (!tensor || !tensor.hasStaticShape())
      continue;
    std::optional<int64_t> bytes = graph::storageBytes(tensor.getElementType());
    for (int64_t extent : tensor.getShape())
      bytes = bytes ? llvm::checkedMul(*bytes, extent) : std::nullopt;
    if (!bytes || *bytes > target.maxBufferBytes)
      return emitUserError(launch.getLoc())
             << "takes a tensor of " << (bytes ? std::to_string(*bytes) : "more than 2^63") << " bytes; kernels for "
             << target.name << " reach " << target.maxBufferBytes;
  }
  return success();
}

/// Refuses a launch that no device of the target can make.
LogicalResult Resolver::checkGrid(plan::LaunchOp launch, plan::KernelOp kernel) {
  std::optional<int64_t> grid = getConstantIntValue(launch.getGrid());
  if (!grid)
    return success();
  if (target.maxGrid && *grid > target.maxGrid)
    return emitUserError(launch.getLoc())
           << "takes " << *grid << " workgroups; a launch for " << target.name << " has at most " << target.maxGrid;
  int64_t threads = kernel.getWorkgroupSize();
  if (target.maxThreads && threads && *grid > target.maxThreads / threads)
    return emitUserError(launch.getLoc())
           << "takes " << *grid << " workgroups of " << threads << " threads; a launch for " << target.name
           << " has at most " << target.maxThreads << " threads";
  return success();
}

LogicalResult Resolver::resolve(plan::LaunchOp launch) {
  auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
  if (!kernel)
    return success();
  FailureOr<LoweredKernel *> found = lower(kernel);
  if (failed(found))
    return failure();
  LoweredKernel &form = **found;
  if (!form.launch)
    return success();
  if (form.launch.getNumArguments() != launch.getScalars().size())
    return launch.emitOpError() << "passes " << launch.getScalars().size() << " scalars to a kernel that takes "
                                << form.launch.getNumArguments();
  if (failed(checkBuffers(launch, kernel)))
    return failure();
  OpBuilder builder(launch);
  IRMapping mapping;
  mapping.map(form.launch.getArguments(), launch.getScalars());
  Block &body = form.launch.getBody().front();
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  auto result = [&](unsigned i) { return mapping.lookupOrDefault(body.getTerminator()->getOperand(i)); };
  if (form.scratch) {
    Value buffer = plan::AllocOp::create(builder, launch.getLoc(), result(0));
    SmallVector<int64_t> writes(launch.getWrites());
    writes.push_back(launch.getBuffers().size());
    launch.getBuffersMutable().append(buffer);
    launch.setWrites(writes);
  }
  // A later stage reads what an earlier one would have overwritten.
  if (form.stages.size() != 1)
    launch.setInplace(ArrayRef<int64_t>());
  for (auto [i, stage] : llvm::enumerate(form.stages)) {
    auto copy = cast<plan::LaunchOp>(builder.clone(*launch));
    selectBuffers(copy, stage);
    plan::KernelOp kernel = stage.kernel;
    copy.setKernel(kernel.getSymName());
    copy.getGridMutable().assign(result(i + 1));
    if (failed(checkGrid(copy, kernel)))
      return failure();
  }
  launch.erase();
  return success();
}

void Resolver::erase() {
  for (auto &[kernel, form] : lowered)
    if (form.launch && form.stages.size() != 1)
      symbols.erase(kernel);
}
