//===- Report.cpp - What became of a model --------------------------------===//

#include "lib/Pipeline/Report.h"

#include "dialects/Graph/IR/Graph.h"
#include "dialects/Plan/IR/Plan.h"
#include "lib/Support/NodeLocation.h"
#include "lib/Target/KernelFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Bytes of `extents` elements of a type; none where one is dynamic, or past 63 bits.
template <typename Extents> static std::optional<int64_t> bytesOf(const Extents &extents, Type element) {
  std::optional<int64_t> bytes = graph::storageBytes(element);
  for (int64_t extent : extents) {
    if (extent < 0)
      return std::nullopt;
    bytes = bytes ? llvm::checkedMul(*bytes, extent) : std::nullopt;
  }
  return bytes;
}

/// The name of a layout: "nhwc", or the order of dimensions and the panels.
static std::string layoutName(Attribute encoding) {
  auto layout = dyn_cast_or_null<graph::LayoutAttr>(encoding);
  if (!layout)
    return "";
  static constexpr int64_t kChannelsLast[] = {0, 2, 3, 1};
  std::string name = layout.getOrder() == ArrayRef<int64_t>(kChannelsLast) ? "nhwc" : "";
  if (name.empty()) {
    llvm::raw_string_ostream os(name);
    os << "[";
    llvm::interleave(layout.getOrder(), os, ",");
    os << "]";
  }
  if (layout.getTile() > 1)
    name += " panels " + std::to_string(layout.getTile());
  return name;
}

static TensorReport describeTensor(RankedTensorType type) {
  TensorReport report;
  llvm::raw_string_ostream(report.elementType) << type.getElementType();
  report.layout = layoutName(type.getEncoding());
  SmallVector<int64_t> stored(type.getShape());
  for (int64_t extent : type.getShape())
    report.shape.push_back(ShapedType::isDynamic(extent) ? std::nullopt : std::optional<int64_t>(extent));
  // The last panel is filled up.
  if (auto layout = dyn_cast_or_null<graph::LayoutAttr>(type.getEncoding()); layout && layout.getTile() > 1)
    if (int64_t &extent = stored[layout.getTiledDim()]; !ShapedType::isDynamic(extent))
      extent = llvm::alignTo(extent, layout.getTile());
  report.bytes = bytesOf(stored, type.getElementType());
  return report;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static KernelReport describeKernel(plan::KernelOp kernel, plan::LaunchOp first) {
  KernelReport report;
  report.name = kernel.getSymName().str();
  for (auto node : kernel.getNodes().getAsRange<StringAttr>())
    report.nodes.push_back(node.str());
  auto family = kernel->getAttrOfType<StringAttr>(kFamilyAttribute);
  report.family = family ? family.str() : "loops";
  report.items = getConstantIntValue(first.getGrid());
  if (auto operations = kernel->getAttrOfType<IntegerAttr>(kOperationsAttribute))
    report.operations = operations.getInt();
  auto types = kernel->getAttrOfType<ArrayAttr>(kTensorsAttribute);
  size_t count = types ? types.size() : 0;
  for (size_t i = 0; i < first.getBuffers().size(); ++i) {
    if (i < count) {
      auto type = dyn_cast<RankedTensorType>(cast<TypeAttr>(types[i]).getValue());
      if (type)
        (first.isWritten(i) ? report.outputs : report.inputs).push_back(describeTensor(type));
      continue;
    }
    // Behind the tensors: scratch memory.
    if (auto alloc = first.getBuffers()[i].getDefiningOp<plan::AllocOp>())
      report.scratchBytes = getConstantIntValue(alloc.getBytes());
  }
  if (count && first.getBuffers().size() == count)
    report.scratchBytes = 0;
  return report;
}

static int64_t constantBytes(plan::ProgramOp program) {
  int64_t total = 0;
  // Equal constants are in the file once.
  llvm::SmallPtrSet<const void *, 16> seen;
  program.walk([&](plan::ConstantOp constant) {
    auto type = cast<ShapedType>(constant.getValue().getType());
    if (seen.insert(constant.getValue().getAsOpaquePointer()).second)
      total += bytesOf(type.getShape(), type.getElementType()).value_or(0);
  });
  return total;
}

void hone::describePlan(ModuleOp planned, TargetReport &report) {
  for (auto program : planned.getOps<plan::ProgramOp>()) {
    report.plan.staticBytes = program.getStaticBytes().value_or(0);
    report.plan.lowerBound = program.getLowerBound().value_or(0);
    report.plan.totalBytes = program.getTotalBytes().value_or(0);
    report.plan.constantBytes = constantBytes(program);
    report.plan.bound = program.getArenaBound();
    program.walk([&](plan::ReserveOp reserve) { report.plan.dynamicBuffers += reserve.getBuffers().size(); });
    SymbolTable symbols(planned);
    llvm::MapVector<Operation *, KernelReport> kernels;
    program.walk([&](plan::LaunchOp launch) {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      if (!kernel)
        return;
      auto [entry, fresh] = kernels.try_emplace(kernel);
      if (fresh)
        entry->second = describeKernel(kernel, launch);
      ++entry->second.launches;
    });
    for (auto &entry : kernels)
      report.kernels.push_back(std::move(entry.second));
  }
}

//===----------------------------------------------------------------------===//
// Nodes without kernels
//===----------------------------------------------------------------------===//

/// What an op outside of kernels is, as a rank (a node of several ops is the highest) and a name.
static std::pair<int, StringRef> fateOf(Operation *op) {
  if (isa<graph::IfOp, graph::LoopOp>(op))
    return {4, "control flow"};
  if (auto view = dyn_cast<graph::ViewOpInterface>(op); view && view.isView())
    return {3, "view"};
  // Constants are laid out at once.
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<graph::RelayoutOp>(op))
    return {1, "constant"};
  return {2, "extent"};
}

void hone::describeNodes(ModuleOp formed, const ModelReport &model, TargetReport &report) {
  llvm::StringMap<std::pair<int, StringRef>> fates;
  formed.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    bool isKernel = isa<graph::KernelOp>(op);
    std::pair<int, StringRef> fate = isKernel ? std::pair<int, StringRef>(5, "kernel") : fateOf(op);
    for (const std::string &node : nodeNames(op->getLoc())) {
      auto &known = fates[node];
      known = std::max(known, fate, [](const auto &a, const auto &b) { return a.first < b.first; });
    }
    return isKernel ? WalkResult::skip() : WalkResult::advance();
  });
  for (const ModelReport::Node &node : model.nodes) {
    StringRef fate = fates.contains(node.name) ? fates[node.name].second : StringRef("removed");
    if (fate != "kernel")
      report.withoutKernel.push_back({node.name, fate.str()});
  }
}
