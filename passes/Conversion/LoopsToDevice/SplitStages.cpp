//===- SplitStages.cpp - Kernels as sequences of launches -----------------===//
//
// What one workgroup writes, others see in the next launch only. So every outer parallel loop of a kernel
// becomes a launch, its stage; what stands between such loops is for one workgroup.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/LoopsToDevice/BufferAccess.h"
#include "passes/Conversion/LoopsToDevice/FuseRows.h"
#include "passes/Conversion/LoopsToDevice/IterationSpace.h"
#include "passes/Conversion/LoopsToDevice/KernelSizes.h"
#include "passes/Conversion/LoopsToDevice/Passes.h"
#include "passes/Conversion/LoopsToDevice/ScratchMemory.h"
#include "passes/Conversion/LoopsToDevice/TeamFold.h"

#include "lib/Target/KernelFacts.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace hone::loops_to_device {
#define GEN_PASS_DEF_SPLITSTAGESPASS
#include "passes/Conversion/LoopsToDevice/Passes.h.inc"
} // namespace hone::loops_to_device

using namespace mlir;
using namespace hone;
using namespace hone::loops_to_device;
using kernels_to_loops::LaunchFunction;
using kernels_to_loops::LaunchStage;

/// Threads that share the iterations of a loop whose number only the device knows.
static constexpr int64_t kThreadsOfUnknownLoops = 16384;

static constexpr auto kRemark = remark::RemarkOpts::name("split-stages").category("devices");

namespace {

/// One launch: a parallel loop, or ops that one workgroup runs in order.
struct Stage {
  bool isGrid = false, isTeam = false;
  SmallVector<Operation *> ops;
  /// Values of earlier stages, and of this one for later ones; through scratch memory.
  llvm::SetVector<Value> received, sent;
  unsigned workgroupSize = 1;
  Value grid; ///< in the launch function
};

class StageSplitter {
public:
  StageSplitter(func::FuncOp kernel, const TargetInfo &info)
      : kernel(kernel), info(info), launch(kernel), body(kernel.getBody().front()) {}

  LogicalResult run();

private:
  void boundLoops();
  void formStages();
  void findTraffic();
  bool isGridLoop(Operation *op);
  /// Whether every stage may compute `op` for itself.
  bool isFree(Operation *op) const;
  void collectNeeds(Operation *op, Stage &stage, DenseSet<Operation *> &visited);
  void placeTraffic(ScratchMemory &scratch);
  LaunchStage emit(Stage &stage, size_t number);
  void size(Stage &stage);

  func::FuncOp kernel;
  const TargetInfo &info;
  LaunchFunction launch;
  Block &body;
  DenseSet<Value> written; ///< buffers
  SmallVector<Stage> stages;
  DenseMap<Operation *, size_t> stageOf;
  DenseMap<Value, Value> slots; ///< of values that cross stages
};

struct SplitStagesPass final : loops_to_device::impl::SplitStagesPassBase<SplitStagesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetInfo info = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() && !function.isPrivate() &&
          !function.getName().ends_with(graph_to_plan::kLaunchSuffix) &&
          !function->hasAttr(graph_to_plan::kWorkgroupSizeAttribute) &&
          !module.lookupSymbol((function.getName() + graph_to_plan::kLaunchSuffix).str()))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(StageSplitter(kernel, info).run()))
        return signalPassFailure();
  }
};

} // namespace

bool StageSplitter::isGridLoop(Operation *op) {
  auto loop = dyn_cast<scf::ParallelOp>(op);
  if (!loop || loop.getNumReductions() != 0)
    return false;
  return llvm::all_of(loop->getOperands(), [&](Value bound) { return bool(launch.copy(bound)); });
}

/// Outer loops whose bounds are data become loops over a fixed number of threads.
void StageSplitter::boundLoops() {
  for (auto loop : llvm::make_early_inc_range(body.getOps<scf::ParallelOp>())) {
    if (loop.getNumReductions() != 0 || isGridLoop(loop))
      continue;
    OpBuilder builder(loop);
    strideLoop(loop, arith::ConstantIndexOp::create(builder, loop.getLoc(), kThreadsOfUnknownLoops));
  }
}

bool StageSplitter::isFree(Operation *op) const {
  if (op->getNumRegions() != 0)
    return false;
  if (isMemoryEffectFree(op) || isa<memref::AllocaOp>(op))
    return true;
  // Nobody changes what it reads.
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load)
    return false;
  SmallVector<Value> roots = rootsOf(load.getMemRef());
  return llvm::none_of(roots, [&](Value root) { return written.contains(root); });
}

void StageSplitter::formStages() {
  for (Operation &op : body.without_terminator()) {
    if (isFree(&op))
      continue;
    bool isGrid = isGridLoop(&op);
    if (isGrid || stages.empty() || stages.back().isGrid)
      stages.emplace_back().isGrid = isGrid;
    stages.back().ops.push_back(&op);
    stageOf[&op] = stages.size() - 1;
  }
}

/// Adds what `op` needs of other stages to what `stage` receives.
void StageSplitter::collectNeeds(Operation *op, Stage &stage, DenseSet<Operation *> &visited) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != &body || llvm::is_contained(stage.ops, producer))
        continue;
      auto found = stageOf.find(producer);
      if (found != stageOf.end()) {
        stage.received.insert(operand);
        stages[found->second].sent.insert(operand);
      } else if (visited.insert(producer).second) {
        collectNeeds(producer, stage, visited);
      }
    }
  });
}

void StageSplitter::findTraffic() {
  for (Stage &stage : stages) {
    DenseSet<Operation *> visited;
    for (Operation *op : stage.ops)
      collectNeeds(op, stage, visited);
  }
}

/// The type that a value of `type` has in memory.
static Type slotType(Type type) { return type.isIndex() ? Type(IntegerType::get(type.getContext(), 64)) : type; }

/// Stores what stages send, and makes the slots known.
void StageSplitter::placeTraffic(ScratchMemory &scratch) {
  for (auto [number, stage] : llvm::enumerate(stages))
    for (Value value : stage.sent) {
      Location loc = value.getLoc();
      Value slot = scratch.reserveScalar(loc, slotType(value.getType()));
      slots[value] = slot;
      OpBuilder builder(body.getTerminator());
      builder.setInsertionPointAfter(stage.ops.back());
      Value stored = value;
      if (value.getType().isIndex())
        stored = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      auto store = memref::StoreOp::create(builder, loc, stored, slot, ValueRange{zero});
      stage.ops.push_back(store);
      stageOf[store] = number;
    }
}

/// Chooses how many threads run a stage.
void StageSplitter::size(Stage &stage) {
  OpBuilder &outer = launch.getBuilder();
  unsigned full = info.workgroupSize ? info.workgroupSize : 256;
  if (!stage.isGrid) {
    bool isShared = llvm::any_of(stage.ops, [](Operation *op) {
      return op
          ->walk([](Operation *inner) {
            return isa<scf::ParallelOp>(inner) || TeamFold::match(inner) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
          })
          .wasInterrupted();
    });
    stage.workgroupSize = isShared ? full : 1;
    stage.grid = launch.constant(1);
    return;
  }
  auto loop = cast<scf::ParallelOp>(stage.ops.front());
  OpBuilder builder(loop);
  Value count = launch.copy(IterationSpace(builder, loop).count());
  if (unsigned threads = teamSize(loop, info)) {
    stage.isTeam = true;
    stage.workgroupSize = threads;
    stage.grid = outer.createOrFold<arith::MinSIOp>(loop.getLoc(), count, launch.constant(kMostTeams));
    return;
  }
  stage.workgroupSize = full;
  // Few iterations: rather all of the device than full workgroups.
  if (auto number = getConstantIntValue(count)) {
    uint64_t unit = std::min(full, info.subgroupSize ? info.subgroupSize : 32u);
    uint64_t share = llvm::divideCeil(uint64_t(*number), uint64_t(std::max(1u, info.computeUnits)));
    stage.workgroupSize = std::clamp<uint64_t>(llvm::alignTo(share, unit), unit, full);
  }
  Value divisor = launch.constant(stage.workgroupSize);
  stage.grid = outer.createOrFold<arith::CeilDivSIOp>(loop.getLoc(), count, divisor);
}

/// Leaves a stage with the buffers that it reads and writes, and says which of the kernel's they are.
static void dropUnusedBuffers(func::FuncOp stage) {
  DenseSet<Value> written;
  for (Value root : writtenBuffers(stage)) {
    auto part = root.getDefiningOp<memref::ViewOp>();
    written.insert(part ? part.getSource() : root);
  }
  SmallVector<int64_t> kept, writes;
  llvm::BitVector unused(stage.getNumArguments());
  for (BlockArgument argument : stage.getArguments()) {
    if (!isa<MemRefType>(argument.getType()))
      continue;
    unsigned position = argument.getArgNumber();
    if (argument.use_empty())
      unused.set(position);
    else
      kept.push_back(position);
    if (written.contains(argument))
      writes.push_back(position);
  }
  (void)stage.eraseArguments(unused);
  Builder builder(stage.getContext());
  stage->setAttr(graph_to_plan::kAccessedBuffersAttribute, builder.getDenseI64ArrayAttr(kept));
  stage->setAttr(graph_to_plan::kWrittenBuffersAttribute, builder.getDenseI64ArrayAttr(writes));
}

/// Tells reports that one workgroup, or one thread of it, does all of a stage; and says so at its nodes where that may
/// take time, as in loops.
static void reportSerial(const Stage &stage, func::FuncOp function) {
  StringRef who = stage.workgroupSize == 1 ? "one thread" : "one workgroup";
  function->setAttr(kFamilyAttribute, StringAttr::get(function.getContext(), "loops, " + who));
  SmallVector<Location> nodes;
  for (Operation *op : stage.ops)
    if (op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
      nodes.push_back(op->getLoc());
  if (!nodes.empty())
    remark::analysis(FusedLoc::get(function.getContext(), nodes), kRemark)
        << remark::reason("{0} of the device runs it", who);
}

/// A function of the ops of `stage` and what they need.
LaunchStage StageSplitter::emit(Stage &stage, size_t number) {
  IRMapping mapping;
  func::FuncOp function = kernel.clone(mapping);
  OpBuilder(kernel).insert(function);
  function.setName(stages.size() == 1 ? kernel.getName().str() : (kernel.getName() + "_" + Twine(number)).str());
  for (Value value : stage.received) {
    Value copy = mapping.lookup(value);
    OpBuilder builder(copy.getDefiningOp());
    Location loc = value.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value loaded = memref::LoadOp::create(builder, loc, mapping.lookup(slots.lookup(value)), ValueRange{zero});
    if (value.getType().isIndex())
      loaded = arith::IndexCastOp::create(builder, loc, value.getType(), loaded);
    copy.replaceAllUsesWith(loaded);
  }
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    Operation *copy = mapping.lookup(&op);
    auto found = stageOf.find(&op);
    if (found == stageOf.end() ? copy->use_empty() : found->second != number)
      copy->erase();
  }
  dropUnusedBuffers(function);
  Builder builder(kernel.getContext());
  function->setAttr(graph_to_plan::kWorkgroupSizeAttribute, builder.getI32IntegerAttr(stage.workgroupSize));
  if (!stage.isGrid)
    reportSerial(stage, function);
  else
    function->setAttr(kGridAttribute, builder.getUnitAttr());
  if (stage.isTeam)
    function->setAttr(kTeamAttribute, builder.getUnitAttr());
  return {function.getName().str(), stage.grid};
}

LogicalResult StageSplitter::run() {
  addScalars(kernel);
  launch.bindScalars(scalarsOf(kernel));
  if (failed(KernelSizes(kernel).resolveDims()))
    return failure();
  fuseRows(body);
  boundLoops();
  ScratchMemory scratch(kernel, launch, info.workgroupSize ? info.workgroupSize : 256);
  if (failed(scratch.placeAllocations()))
    return failure();
  written = writtenBuffers(kernel);
  formStages();
  findTraffic();
  placeTraffic(scratch);
  for (Stage &stage : stages)
    size(stage);
  SmallVector<LaunchStage> launched;
  for (auto [number, stage] : llvm::enumerate(stages))
    launched.push_back(emit(stage, number));
  launch.finish(scratch.total(), launched);
  kernel.erase();
  return success();
}
