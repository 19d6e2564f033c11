//===- FormKernels.cpp - Group ops into kernels ---------------------------===//
//
// Works backwards through a block: when an op is reached, the kernels of all its users are known, so
// "all users are in one kernel" is a lookup. A kernel has one root, whose results leave it; that
// keeps the graph of kernels free of cycles.
//
//===----------------------------------------------------------------------===//

#include "passes/Fusion/Passes.h"

#include "dialects/Graph/IR/Graph.h"
#include "lib/Target/TargetBackend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace hone::fusion {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/Fusion/Passes.h.inc"
} // namespace hone::fusion

using namespace mlir;
using namespace hone;
using namespace hone::graph;

static constexpr auto kRemark = remark::RemarkOpts::name("form-kernels").category("fusion");

/// Integer constants up to this many elements (axes, pads, ...), and splats, live inside kernels. Float
/// constants are data to arithmetic, but parameters (scales of a resize, ...) to other ops.
static constexpr int64_t kInlineElements = 64;

namespace {

struct Kernel {
  SmallVector<Operation *> members; ///< users before producers; the first is the root
  Operation *contraction = nullptr; ///< at most one
  SmallVector<Extent> domain;       ///< extents that joining elementwise ops must have
  llvm::SmallSetVector<Value, 8> inputs;
};

class KernelFormation {
public:
  /// `maxBuffers`: how many a kernel may read and write; 0 for any number.
  /// `vectorTiles`: contractions are computed in vectors of f32, and so is what follows them.
  KernelFormation(Block &block, ExtentBuilder &extents, bool fuse, unsigned maxBuffers, bool vectorTiles)
      : block(block), extents(extents), fuse(fuse), maxBuffers(maxBuffers), vectorTiles(vectorTiles) {}

  void run() {
    if (fuse)
      splitWidening();
    storeShapeArithmetic();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (computes(&op))
        assign(&op);
    // Roots in program order: a kernel stands where its root stood.
    for (auto &kernel : llvm::reverse(kernels))
      build(*kernel);
  }

private:
  /// Gives every reader its own cast to a wider float: in its kernel it costs nothing, and memory holds the narrow
  /// value alone.
  void splitWidening() {
    auto bits = [](Type type) {
      auto number = dyn_cast<FloatType>(getElementTypeOrSelf(type));
      return number ? number.getWidth() : 0;
    };
    for (auto cast : llvm::make_early_inc_range(block.getOps<CastOp>())) {
      unsigned from = bits(cast.getInput().getType()), to = bits(cast.getResult().getType());
      if (from == 0 || to <= from || matchPattern(cast.getInput(), m_Constant()))
        continue;
      Operation *first = nullptr;
      for (OpOperand &use : llvm::make_early_inc_range(cast->getUses())) {
        first = first ? first : use.getOwner();
        if (use.getOwner() == first || use.getOwner()->getBlock() != &block ||
            !isa<ElementwiseOpInterface, ReductionOpInterface>(use.getOwner()))
          continue;
        OpBuilder builder(use.getOwner());
        use.set(builder.clone(*cast)->getResult(0));
      }
    }
  }

  /// Whether `op` needs code of its own.
  bool computes(Operation *op) {
    if (isa<ConstantOp, KernelOp, IfOp, LoopOp, YieldOp>(op) ||
        op->getDialect() != block.getParentOp()->getContext()->getLoadedDialect<GraphDialect>())
      return false;
    if (auto view = dyn_cast<ViewOpInterface>(op); view && view.isView())
      return false;
    // Constants are laid out when the plan is made.
    if (isa<RelayoutOp>(op) && matchPattern(op->getOperand(0), m_Constant()))
      return false;
    return !isShapeArithmetic(op) || stored.contains(op);
  }

  /// Shape arithmetic whose bytes are read needs code after all. It gets a copy for those who read them: what a kernel
  /// stores is a number like any other, of which whoever reads it as an extent would no longer know what it is.
  void storeShapeArithmetic() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isa<ConstantOp>(op) || !isShapeArithmetic(&op))
        continue;
      SmallVector<OpOperand *> readers;
      for (OpOperand &use : op.getUses())
        if (readsBytes(use))
          readers.push_back(&use);
      if (readers.empty())
        continue;
      Operation *copy = &op;
      if (!llvm::hasNItems(op.getUses(), readers.size())) {
        OpBuilder builder(&op);
        copy = builder.clone(op);
        for (OpOperand *use : readers)
          use->set(copy->getResult(0));
      }
      stored.insert(copy);
    }
  }

  /// Whether `use`, of shape arithmetic, is of its bytes. Those who read a view whose elements are not known read what
  /// it is an alias of.
  bool readsBytes(OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewOpInterface>(user); view && view.isView())
      return use.getOperandNumber() == 0 &&
             (isShapeArithmetic(user) ? llvm::any_of(user->getUses(), [&](OpOperand &next) { return readsBytes(next); })
                                      : !user->use_empty());
    return isa<IfOp, LoopOp>(user) || user->hasTrait<OpTrait::IsTerminator>();
  }

  /// Whether the elements of the result are known as extents: no code, the readers recompute them.
  bool isShapeArithmetic(Operation *op) {
    if (op->getNumResults() != 1 || !isa<ShapedOpInterface>(op))
      return false;
    Value result = op->getResult(0);
    auto elements = extents.elements(result);
    return elements && llvm::all_of(*elements, [&](Extent element) {
             return element->op != ExtentOp::Element || element->value != result;
           });
  }

  /// The kernel that all users of `op` belong to, or null.
  Kernel *kernelOfUsers(Operation *op) {
    Kernel *common = nullptr;
    for (Operation *user : op->getUsers()) {
      Kernel *kernel = user->getBlock() == &block ? kernelOf.lookup(user) : nullptr;
      if (!kernel || (common && kernel != common))
        return nullptr;
      common = kernel;
    }
    return common;
  }

  /// Why there is no kernel that all users of `op` belong to; empty where there is none that it could have joined.
  StringRef whyApart(Operation *op) {
    auto leaves = [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); };
    if (llvm::all_of(op->getUsers(), leaves))
      return "";
    for (Operation *user : op->getUsers()) {
      if (user->getBlock() != &block)
        return "is read inside of a branch or loop";
      if (isa<IfOp, LoopOp>(user))
        return "a branch or loop takes it";
      if (!leaves(user) && !kernelOf.contains(user))
        return isa<ViewOpInterface>(user) ? "is read through a view" : "has a user that no kernel computes";
    }
    if (llvm::none_of(op->getUsers(), leaves))
      return "has users in several kernels";
    return isa<func::FuncOp>(block.getParentOp()) ? "is an output of the model as well"
                                                  : "is a result of the branch or loop as well";
  }

  void assign(Operation *op) {
    Kernel *kernel = fuse && op->getNumResults() == 1 ? kernelOfUsers(op) : nullptr;
    StringRef reason = kernel ? refuse(op, *kernel) : whyApart(op);
    if (kernel && reason.empty()) {
      join(op, *kernel);
      return;
    }
    if (fuse && isa<ElementwiseOpInterface, ContractionOpInterface>(op) && !reason.empty())
      remark::missed(op->getLoc(), kRemark) << remark::reason("{0}", reason);
    kernels.push_back(std::make_unique<Kernel>());
    join(op, *kernels.back());
  }

  void join(Operation *op, Kernel &kernel) {
    if (kernel.members.empty()) {
      // Elementwise ops in front of an op run over what it reads.
      kernel.domain = extents.dims(takesPrologue(op) ? op->getOperand(0) : op->getResult(0));
    }
    kernel.members.push_back(op);
    kernelOf[op] = &kernel;
    llvm::for_each(op->getResults(), [&](Value result) { kernel.inputs.remove(result); });
    kernel.inputs.insert(op->operand_begin(), op->operand_end());
    if (isa<ContractionOpInterface>(op))
      kernel.contraction = op;
  }

  static bool takesEpilogue(Operation *op) {
    auto interface = dyn_cast<EpilogueOpInterface>(op);
    return interface && interface.takesEpilogue();
  }
  static bool takesPrologue(Operation *op) {
    auto interface = dyn_cast<EpilogueOpInterface>(op);
    return interface && interface.takesPrologue();
  }

  /// Why `op` may not join the kernel of its users; empty when it may.
  StringRef refuse(Operation *op, Kernel &kernel) {
    bool contraction = isa<ContractionOpInterface>(op), elementwise = isa<ElementwiseOpInterface>(op);
    if (!elementwise && !takesEpilogue(op))
      return "its kernel takes nothing elementwise behind it";
    if (contraction && kernel.contraction)
      return "the kernel has a contraction already";
    for (Operation *user : op->getUsers())
      if (!isa<ElementwiseOpInterface>(user) && !(elementwise && takesPrologue(user)))
        return "a user needs the whole tensor";
    if (!elementwise && !isa<ElementwiseOpInterface>(kernel.members.front()))
      return "the kernel ends in a reduction";
    if (extents.dims(op->getResult(0)) != kernel.domain)
      return "its extents are not known to be its user's";
    if (vectorTiles && (contraction || kernel.contraction) && !isFloatKernel(op, kernel))
      return "only f32 and halves are computed behind a contraction";
    if (contraction && !isEpilogue(kernel))
      return "a later operand may have to be broadcast at run time";
    if (maxBuffers && buffersWith(op, kernel) > maxBuffers)
      return "a kernel of the target has no more buffers";
    return "";
  }

  /// How many buffers the kernel has when `op` joins it, with one of scratch memory.
  unsigned buffersWith(Operation *op, Kernel &kernel) {
    unsigned fresh = llvm::count_if(op->getOperands(), [&](Value operand) { return !kernel.inputs.contains(operand); });
    return kernel.inputs.size() - 1 + fresh + kernel.members.front()->getNumResults() + 1;
  }

  /// Whether `op` and the kernel work on f32 and halves alone, as register tiles do.
  bool isFloatKernel(Operation *op, Kernel &kernel) {
    auto onlyFloats = [](Operation *member) {
      auto isFloat = [](Value value) {
        Type element = cast<RankedTensorType>(value.getType()).getElementType();
        return element.isF32() || element.isF16() || element.isBF16();
      };
      return llvm::all_of(member->getOperands(), isFloat) && llvm::all_of(member->getResults(), isFloat);
    };
    return onlyFloats(op) && llvm::all_of(kernel.members, onlyFloats);
  }

  /// Whether every operand of the kernel's ops is read at the place of the element or broadcast
  /// statically.
  bool isEpilogue(Kernel &kernel) {
    for (Operation *member : kernel.members)
      for (Value operand : member->getOperands()) {
        SmallVector<Extent> dims = extents.dims(operand);
        size_t shift = kernel.domain.size() - std::min(dims.size(), kernel.domain.size());
        for (auto [i, extent] : llvm::enumerate(dims))
          if (extent != kernel.domain[shift + i] && constantExtent(extent) != std::optional<int64_t>(1))
            return false;
      }
    return true;
  }

  void build(Kernel &kernel) {
    Operation *root = kernel.members.front();
    OpBuilder builder(root);
    SmallVector<Location> locations;
    for (Operation *member : llvm::reverse(kernel.members))
      locations.push_back(member->getLoc());
    auto op = KernelOp::create(builder, FusedLoc::get(root->getContext(), locations), root->getResultTypes());
    if (size_t count = kernel.members.size(); count > 1)
      remark::passed(op.getLoc(), kRemark) << remark::reason("{0} operations are one kernel", count);
    Block *body = builder.createBlock(&op.getBody());
    root->replaceAllUsesWith(op.getResults());
    builder.setInsertionPointToEnd(body);
    IRMapping copies;
    for (Operation *member : llvm::reverse(kernel.members)) {
      bool isArithmetic = isa<ElementwiseOpInterface, ContractionOpInterface>(member);
      // Register tiles are filled from memory.
      bool readsMemory = vectorTiles && isa<ContractionOpInterface>(member);
      for (OpOperand &operand : member->getOpOperands())
        if (!readsMemory || !matchPattern(operand.get(), m_Constant()))
          operand.set(copyInside(operand.get(), builder, copies, /*floats=*/!isArithmetic));
      member->moveBefore(body, body->end());
      builder.setInsertionPointToEnd(body);
    }
    YieldOp::create(builder, op.getLoc(), root->getResults());
  }

  /// `value` itself, or its copy at `builder` when it is a small constant (a float one only with
  /// `floats`) or shape arithmetic.
  Value copyInside(Value value, OpBuilder &builder, IRMapping &copies, bool floats) {
    if (Value copy = copies.lookupOrNull(value))
      return copy;
    Operation *producer = value.getDefiningOp();
    if (!producer || kernelOf.count(producer))
      return value;
    if (auto constant = dyn_cast<ConstantOp>(producer)) {
      ElementsAttr elements = constant.getValue();
      bool isData = isa<FloatType>(elements.getElementType()) && !floats;
      if (!elements.isSplat() && (isData || elements.getNumElements() > kInlineElements))
        return value;
    } else if (!isShapeArithmetic(producer)) {
      return value;
    }
    for (Value operand : producer->getOperands())
      copyInside(operand, builder, copies, floats);
    builder.clone(*producer, copies);
    return copies.lookup(value);
  }

  Block &block;
  ExtentBuilder &extents;
  bool fuse;
  unsigned maxBuffers;
  bool vectorTiles;
  DenseSet<Operation *> stored; ///< shape arithmetic that is in memory as well
  SmallVector<std::unique_ptr<Kernel>> kernels;
  DenseMap<Operation *, Kernel *> kernelOf;
};

struct FormKernelsPass final : fusion::impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    TargetInfo target = TargetInfo::fromAttribute(module->getAttrOfType<DictionaryAttr>(kTargetAttribute));
    // Inner blocks first: an outer kernel never looks into them.
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa<IfOp, LoopOp, func::FuncOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
    });
    for (Block *block : blocks) {
      ExtentBuilder extents;
      KernelFormation(*block, extents, fuse, target.maxBuffers, /*vectorTiles=*/target.workgroupSize == 0).run();
    }
  }
};

} // namespace
