//===- EmitContractions.cpp - Tiled matrix products -----------------------===//

#include "backends/CUDA/Emit/Expressions.h"
#include "backends/CUDA/Kernels/Epilogue.h"
#include "backends/CUDA/Kernels/Passes.h"
#include "backends/CUDA/Kernels/Tiles.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"
#include "passes/Conversion/GraphToPlan/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

namespace hone::cuda {
#define GEN_PASS_DEF_EMITCONTRACTIONSPASS
#include "backends/CUDA/Kernels/Passes.h.inc"
} // namespace hone::cuda

using namespace mlir;
using namespace hone;
using namespace hone::cuda;
using llvm::formatv;

/// What an extent that is only known when run counts as when a tile is chosen.
static constexpr int64_t kUsualExtent = 4096;
/// Below this many terms, or rows times columns of one product, tiles hardly use what they load more than once.
static constexpr int64_t kLeastDepth = 8, kLeastArea = 64;
/// Threads of the launch that adds parts of sums.
static constexpr unsigned kAddThreads = 256;

namespace {

/// One kernel on its way to tiles.
class ContractionKernel {
public:
  ContractionKernel(KernelFunctions &functions, const Contraction &contraction, const TargetInfo &info)
      : functions(functions), c(contraction), info(info), name(functions.kernel.getName().str()) {}

  LogicalResult emit();

private:
  Type indexType(Group group) const;
  std::string indexName(Group group) const { return indexType(group).isIndex() ? functions.indexName() : "i32"; }
  int64_t usual(Group group) const { return c.shapes[group].count().value_or(kUsualExtent); }
  LogicalResult addOperand(StringRef stage, StringRef helper, const Access &access, ArrayRef<Group> groups);
  LogicalResult addStore(StringRef stage);
  LogicalResult addCount(StringRef stage, StringRef helper, Group group, std::string &text);
  std::string storeCall(StringRef stage, StringRef sum) const;
  Value tilesOf(IndexMath &math, const ScalarScope &scalars) const;
  Value elementsOf(IndexMath &math, const ScalarScope &scalars) const;
  FailureOr<KernelFunctions::Stage> tileStage(StringRef stage);
  FailureOr<KernelFunctions::Stage> addStage(StringRef stage);

  KernelFunctions &functions;
  const Contraction &c;
  const TargetInfo &info;
  std::string name, number;
  TileChoice choice;
};

struct EmitContractionsPass final : cuda::impl::EmitContractionsPassBase<EmitContractionsPass> {
  void runOnOperation() override;

private:
  static LogicalResult emitKernel(func::FuncOp kernel, const TargetInfo &info);
};

} // namespace

/// Counts that fit need no more than 32 bits, whatever the offsets into tensors do.
Type ContractionKernel::indexType(Group group) const {
  MLIRContext *context = functions.kernel.getContext();
  return c.shapes[group].isSmall() ? Type(IntegerType::get(context, 32)) : Type(IndexType::get(context));
}

/// `<stage>.<helper>`: an element of an operand as a number.
LogicalResult ContractionKernel::addOperand(StringRef stage, StringRef helper, const Access &access,
                                            ArrayRef<Group> groups) {
  SmallVector<Type> types;
  for (Group group : groups)
    types.push_back(indexType(group));
  return functions.addHelper(stage, helper, types, c.number, [&](KernelFunctions::Scope &scope) -> FailureOr<Value> {
    Positions positions(scope.math, scope.scalars, c.shapes, functions.extents);
    for (auto [group, value] : llvm::zip(groups, scope.arguments))
      positions.flat[group] = value;
    Value stored = scope.load(access.tensor, positions.of(access));
    if (!stored)
      return c.op->emitOpError() << "has an operand that is no buffer";
    Type element = cast<RankedTensorType>(access.tensor.getType()).getElementType();
    return graph_to_linalg::extendElement(scope.math.builder, scope.math.loc, stored, element, c.number);
  });
}

/// `<stage>.store`: what becomes of a sum.
LogicalResult ContractionKernel::addStore(StringRef stage) {
  SmallVector<Type> types{indexType(Batch), indexType(Rows), indexType(Columns), c.number};
  return functions.addHelper(stage, "store", types, Type(), [&](KernelFunctions::Scope &scope) -> FailureOr<Value> {
    Positions positions(scope.math, scope.scalars, c.shapes, functions.extents);
    for (Group group : {Batch, Rows, Columns})
      positions.flat[group] = scope.arguments[group];
    FailureOr<Value> element = applyEpilogue(scope, positions, c, scope.arguments[3]);
    if (failed(element))
      return failure();
    Access target = c.result;
    target.tensor = functions.kernel.getBody().front().getTerminator()->getOperand(0);
    scope.store(*element, target.tensor, positions.of(target));
    return Value();
  });
}

/// The count of a group as text: a number, or the call of a helper that computes it.
LogicalResult ContractionKernel::addCount(StringRef stage, StringRef helper, Group group, std::string &text) {
  if (auto count = c.shapes[group].count(); count && c.shapes[group].isSmall()) {
    text = std::to_string(*count);
    return success();
  }
  text = formatv("{0}_{1}({2})", stage, helper, functions.operands());
  Type index = IndexType::get(functions.kernel.getContext());
  return functions.addHelper(stage, helper, {}, index, [&](KernelFunctions::Scope &scope) -> FailureOr<Value> {
    return scope.scalars.count(scope.math, c.shapes[group]);
  });
}

std::string ContractionKernel::storeCall(StringRef stage, StringRef sum) const {
  return formatv("{0}_store(batch, row, column, {1}, {2})", stage, sum, functions.operands());
}

Value ContractionKernel::tilesOf(IndexMath &math, const ScalarScope &scalars) const {
  Value tiles = scalars.count(math, c.shapes[Batch]);
  Value rows = scalars.count(math, c.shapes[Rows]), columns = scalars.count(math, c.shapes[Columns]);
  tiles = math.mul(tiles, math.ceilDiv(rows, math.index(choice.tile.rows)));
  tiles = math.mul(tiles, math.ceilDiv(columns, math.index(choice.tile.columns)));
  return math.scale(tiles, choice.splits);
}

Value ContractionKernel::elementsOf(IndexMath &math, const ScalarScope &scalars) const {
  Value count = scalars.count(math, c.shapes[Batch]);
  count = math.mul(count, scalars.count(math, c.shapes[Rows]));
  return math.mul(count, scalars.count(math, c.shapes[Columns]));
}

/// Multiplies; stores, or leaves parts of sums in scratch memory.
FailureOr<KernelFunctions::Stage> ContractionKernel::tileStage(StringRef stage) {
  std::string batches, rows, columns, depth;
  if (failed(addCount(stage, "batches", Batch, batches)) || failed(addCount(stage, "rows", Rows, rows)) ||
      failed(addCount(stage, "columns", Columns, columns)) || failed(addCount(stage, "depth", Sums, depth)) ||
      failed(addOperand(stage, "left", c.left, {Batch, Rows, Sums})) ||
      failed(addOperand(stage, "right", c.right, {Batch, Sums, Columns})))
    return failure();
  std::string finish;
  if (choice.splits == 1) {
    if (failed(addStore(stage)))
      return failure();
    finish = storeCall(stage, "sum") + ";";
  } else {
    // In 64 bits: there are more parts than elements.
    finish = formatv("(({0} *){1})[(((idx)split * batches + batch) * rows + row) * columns + column] = sum;", number,
                     functions.scratchName());
  }
  const Tile &tile = choice.tile;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << formatv("  const {0} batches = {1};\n", indexName(Batch), batches)
     << formatv("  const {0} rows = {1};\n", indexName(Rows), rows)
     << formatv("  const {0} columns = {1};\n", indexName(Columns), columns)
     << formatv("  const {0} depth = {1};\n", indexName(Sums), depth)
     << formatv("  contraction<{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}>(\n", tile.rows, tile.columns, tile.depth,
                tile.threadRows, tile.threadColumns, Contraction::runsAlongSums(c.left),
                Contraction::runsAlongSums(c.right), number)
     << formatv("      batches, rows, columns, depth, {0},\n", choice.splits)
     << formatv("      [&]({0} batch, {1} row, {2} term) {{ return {3}_left(batch, row, term, {4}); },\n",
                indexName(Batch), indexName(Rows), indexName(Sums), stage, functions.operands())
     << formatv("      [&]({0} batch, {1} term, {2} column) {{ return {3}_right(batch, term, column, {4}); },\n",
                indexName(Batch), indexName(Sums), indexName(Columns), stage, functions.operands())
     << formatv("      [&]({0} batch, i32 split, {1} row, {2} column, {3} sum) {{ {4} });\n", indexName(Batch),
                indexName(Rows), indexName(Columns), number, finish);
  auto grid = [this](IndexMath &math, const ScalarScope &scalars) { return tilesOf(math, scalars); };
  return KernelFunctions::Stage{stage.str(), text, kTileThreads, grid};
}

/// Adds the parts of every sum, in order.
FailureOr<KernelFunctions::Stage> ContractionKernel::addStage(StringRef stage) {
  std::string batches, rows, columns;
  if (failed(addCount(stage, "batches", Batch, batches)) || failed(addCount(stage, "rows", Rows, rows)) ||
      failed(addCount(stage, "columns", Columns, columns)) || failed(addStore(stage)))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << formatv("  const idx batches = {0}, rows = {1}, columns = {2}, count = batches * rows * columns;\n", batches,
                rows, columns)
     << formatv("  const idx item = (idx)blockIdx.x * {0} + threadIdx.x;\n", kAddThreads) << "  if (item < count) {\n"
     << formatv("    {0} sum = (({0} *){1})[item];\n", number, functions.scratchName())
     << formatv("    for (i32 split = 1; split < {0}; ++split)\n", choice.splits)
     << formatv("      sum = sum + (({0} *){1})[split * count + item];\n", number, functions.scratchName())
     << formatv("    const {0} column = ({0})(item % columns);\n", indexName(Columns))
     << formatv("    const {0} row = ({0})(item / columns % rows);\n", indexName(Rows))
     << formatv("    const {0} batch = ({0})(item / columns / rows);\n", indexName(Batch)) << "    "
     << storeCall(stage, "sum") << ";\n  }\n";
  auto grid = [this](IndexMath &math, const ScalarScope &scalars) {
    return math.ceilDiv(elementsOf(math, scalars), math.index(kAddThreads));
  };
  return KernelFunctions::Stage{stage.str(), text, kAddThreads, grid};
}

LogicalResult ContractionKernel::emit() {
  unsigned bytes = c.number.getIntOrFloatBitWidth() / 8;
  number = typeName(c.number, 64);
  choice = chooseTile({usual(Batch), usual(Rows), usual(Columns), usual(Sums), bytes}, info);
  SmallVector<KernelFunctions::Stage> stages;
  bool isSplit = choice.splits > 1;
  FailureOr<KernelFunctions::Stage> tiles = tileStage(isSplit ? name + "_parts" : name);
  if (failed(tiles))
    return failure();
  stages.push_back(*tiles);
  if (!isSplit) {
    functions.finish(stages);
    return success();
  }
  FailureOr<KernelFunctions::Stage> sums = addStage(name + "_sums");
  if (failed(sums))
    return failure();
  stages.push_back(*sums);
  functions.finish(stages, [&](IndexMath &math, const ScalarScope &scalars) {
    return math.scale(elementsOf(math, scalars), choice.splits * bytes);
  });
  return success();
}

/// Whether tiles pay, by what is known of the extents.
static bool isWorthTiles(const Contraction &contraction) {
  auto count = [&](Group group) { return contraction.shapes[group].count().value_or(kUsualExtent); };
  // One filter a channel, and the like: products of a few numbers each.
  bool isNarrow = count(Batch) > 1 && (count(Rows) < 4 || count(Columns) < 4);
  return count(Sums) >= kLeastDepth && count(Rows) * count(Columns) >= kLeastArea && !isNarrow;
}

LogicalResult EmitContractionsPass::emitKernel(func::FuncOp kernel, const TargetInfo &info) {
  SmallVector<Operation *> contractions;
  kernel.walk([&](graph::ContractionOpInterface op) { contractions.push_back(op); });
  if (contractions.size() != 1 || !hasElementwiseEpilogue(kernel, contractions[0]))
    return success();
  KernelFunctions functions(kernel);
  std::optional<Contraction> contraction = analyzeContraction(contractions[0], functions.extents);
  if (!contraction || !isWorthTiles(*contraction))
    return success();
  return ContractionKernel(functions, *contraction, info).emit();
}

void EmitContractionsPass::runOnOperation() {
  TargetInfo info = TargetInfo::fromAttribute(getOperation()->getAttrOfType<DictionaryAttr>(kTargetAttribute));
  for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
    bool isGraph = !kernel.isDeclaration() && !kernel.isPrivate() &&
                   llvm::any_of(kernel.getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (isGraph && failed(emitKernel(kernel, info)))
      return signalPassFailure();
  }
}
