//===- ContractionKernel.cpp - A contraction as tiles ---------------------===//

#include "backends/CUDA/Kernels/ContractionKernel.h"

#include "backends/CUDA/Emit/Expressions.h"
#include "backends/CUDA/Kernels/Epilogue.h"
#include "passes/Conversion/GraphToLinalg/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;
using llvm::formatv;

/// Threads of the launch that adds parts of sums.
static constexpr unsigned kAddThreads = 256;

Type ContractionKernel::indexType(Group group) const {
  MLIRContext *context = functions.kernel.getContext();
  return c.shapes[group].isSmall() ? Type(IntegerType::get(context, 32)) : Type(IndexType::get(context));
}

Type ContractionKernel::elementType(const Access &access) const {
  return cast<RankedTensorType>(access.tensor.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Private functions
//===----------------------------------------------------------------------===//

/// The flat indices of `groups` in the order of the arguments.
static void bind(Positions &positions, ArrayRef<Group> groups, ValueRange arguments) {
  for (auto [group, value] : llvm::zip(groups, arguments))
    positions.flat[group] = value;
}

/// `<stage>.<helper>`: an element of an operand as stored, or as a number.
LogicalResult ContractionKernel::addOperand(StringRef stage, StringRef helper, const Access &access,
                                            ArrayRef<Group> groups, bool asStored) {
  SmallVector<Type> types;
  for (Group group : groups)
    types.push_back(indexType(group));
  Type element = elementType(access), result = asStored ? element : c.number;
  return functions.addHelper(stage, helper, types, result, [&](KernelFunctions::Scope &scope) -> FailureOr<Value> {
    Positions positions(scope.math, scope.scalars, c.shapes, functions.extents);
    bind(positions, groups, scope.arguments);
    Value stored = scope.load(access.tensor, positions.of(access));
    if (!stored)
      return c.op->emitOpError() << "has an operand that is no buffer";
    return asStored ? stored
                    : graph_to_linalg::extendElement(scope.math.builder, scope.math.loc, stored, element, c.number);
  });
}

/// `<stage>.<helper>`: the offset of an element, or -1 where it is not valid.
LogicalResult ContractionKernel::addPlace(StringRef stage, StringRef helper, const Access &access,
                                          ArrayRef<Group> groups) {
  SmallVector<Type> types;
  for (Group group : groups)
    types.push_back(indexType(group));
  Type index = IndexType::get(functions.kernel.getContext());
  return functions.addHelper(stage, helper, types, index, [&](KernelFunctions::Scope &scope) -> FailureOr<Value> {
    Positions positions(scope.math, scope.scalars, c.shapes, functions.extents);
    bind(positions, groups, scope.arguments);
    Positions::Place place = positions.of(access);
    if (!place.valid)
      return place.offset;
    return arith::SelectOp::create(scope.math.builder, scope.math.loc, place.valid, place.offset, scope.math.index(-1))
        .getResult();
  });
}

/// `<stage>.store`: what becomes of a sum.
LogicalResult ContractionKernel::addStore(StringRef stage) {
  SmallVector<Type> types{indexType(Batch), indexType(Rows), indexType(Columns), c.number};
  return functions.addHelper(stage, "store", types, Type(), [&](KernelFunctions::Scope &scope) -> FailureOr<Value> {
    Positions positions(scope.math, scope.scalars, c.shapes, functions.extents);
    bind(positions, {Batch, Rows, Columns}, scope.arguments);
    FailureOr<Value> element = applyEpilogue(scope, positions, c, scope.arguments[3]);
    if (failed(element))
      return failure();
    Access target = c.result;
    target.tensor = root();
    scope.store(*element, target.tensor, positions.of(target));
    return Value();
  });
}

/// `<stage>.value`: the element that a sum becomes.
LogicalResult ContractionKernel::addValue(StringRef stage) {
  SmallVector<Type> types{indexType(Batch), indexType(Rows), indexType(Columns), c.number};
  Type element = cast<RankedTensorType>(root().getType()).getElementType();
  return functions.addHelper(stage, "value", types, graph_to_linalg::storageType(element),
                             [&](KernelFunctions::Scope &scope) -> FailureOr<Value> {
                               Positions positions(scope.math, scope.scalars, c.shapes, functions.extents);
                               bind(positions, {Batch, Rows, Columns}, scope.arguments);
                               return applyEpilogue(scope, positions, c, scope.arguments[3]);
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

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string ContractionKernel::storeCall(StringRef stage, StringRef sum) const {
  return formatv("{0}_store(batch, row, column, {1}, {2})", stage, sum, functions.operands());
}

/// "[&](i32 batch, i32 row, i32 term<extra>) { <body> }".
std::string ContractionKernel::lambda(ArrayRef<Group> groups, StringRef extra, StringRef body) const {
  static const char *const names[] = {"batch", "row", "column", "term"};
  std::string text = "      [&](";
  for (auto [i, group] : llvm::enumerate(groups))
    text += (i ? ", " : "") + indexName(group) + " " + names[group];
  return text + extra.str() + ") { " + body.str() + " }";
}

FailureOr<std::string> ContractionKernel::sizes(StringRef stage) {
  static const std::pair<Group, const char *> rows[] = {
      {Batch, "batches"}, {Rows, "rows"}, {Columns, "columns"}, {Sums, "depth"}};
  std::string text;
  for (auto [group, variable] : rows) {
    std::string count;
    if (failed(addCount(stage, variable, group, count)))
      return failure();
    text += formatv("  const {0} {1} = {2};\n", indexName(group), variable, count);
  }
  return text;
}

/// Every thread multiplies.
FailureOr<std::string> ContractionKernel::threadTiles(StringRef stage) {
  const Group leftGroups[] = {Batch, Rows, Sums}, rightGroups[] = {Batch, Sums, Columns};
  if (failed(addOperand(stage, "left", c.left, leftGroups, /*asStored=*/false)) ||
      failed(addOperand(stage, "right", c.right, rightGroups, /*asStored=*/false)))
    return failure();
  std::string store = storeCall(stage, "sum") + ";";
  if (choice.splits > 1)
    store = formatv("(({0} *){1})[(((idx)split * batches + batch) * rows + row) * columns + column] = sum;", number,
                    functions.scratchName());
  else if (failed(addStore(stage)))
    return failure();
  const Tile &tile = choice.tile;
  return formatv("  contraction<{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}>(\n", tile.rows, tile.columns,
                 tile.depthBytes / 4, tile.partRows, tile.partColumns, c.runsAlongSums(c.left),
                 c.runsAlongSums(c.right), number)
             .str() +
         formatv("      batches, rows, columns, depth, {0},\n", choice.splits).str() +
         lambda(leftGroups, "", formatv("return {0}_left(batch, row, term, {1});", stage, functions.operands()).str()) +
         ",\n" +
         lambda(rightGroups, "",
                formatv("return {0}_right(batch, term, column, {1});", stage, functions.operands()).str()) +
         ",\n" +
         formatv("      [&]({0} batch, i32 split, {1} row, {2} column, {3} sum) {{ {4} });\n", indexName(Batch),
                 indexName(Rows), indexName(Columns), number, store)
             .str();
}

/// How tensor cores get an operand: where sixteen bytes lie, or one element.
FailureOr<std::string> ContractionKernel::operandText(StringRef stage, StringRef helper, const Access &access,
                                                      ArrayRef<Group> groups, bool inPacks) {
  std::string arguments = groups[1] == Rows ? "batch, row, term" : "batch, term, column";
  std::string call = formatv("{0}_{1}({2}, {3})", stage, helper, arguments, functions.operands());
  if (!inPacks) {
    if (failed(addOperand(stage, helper, access, groups, /*asStored=*/true)))
      return failure();
    return lambda(groups, "", "return " + call + ";");
  }
  if (failed(addPlace(stage, helper, access, groups)))
    return failure();
  return lambda(groups, "", formatv("return pack_source({0}, {1});", functions.bufferName(access.tensor), call).str());
}

FailureOr<std::string> ContractionKernel::tensorStore(StringRef stage, int64_t perStore) {
  std::string body;
  if (choice.splits > 1) {
    body =
        formatv("store_floats<{0}>((float *){1} + ((((idx)split * batches + batch) * rows + row) * columns + column), "
                "sums);",
                perStore, functions.scratchName());
  } else if (perStore == 1) {
    if (failed(addStore(stage)))
      return failure();
    body = storeCall(stage, "*sums") + ";";
  } else {
    Access target = c.result;
    target.tensor = root();
    if (failed(addValue(stage)) || failed(addPlace(stage, "place", target, {Batch, Rows, Columns})))
      return failure();
    std::string element = functions.elementName(root());
    body = formatv("\n        Pack<{0}> pack;\n#pragma unroll\n        for (i32 i = 0; i < {1}; ++i)\n"
                   "          pack.elements[i] = {2}_value(batch, row, column + i, sums[i], {3});\n"
                   "        *(Pack<{0}> *)({4} + {2}_place(batch, row, column, {3})) = pack;\n     ",
                   element, perStore, stage, functions.operands(), functions.bufferName(root()));
  }
  return formatv("      [&]({0} batch, i32 split, {1} row, {2} column, const float *sums) {{ {3} });\n",
                 indexName(Batch), indexName(Rows), indexName(Columns), body)
      .str();
}

/// Warps multiply on tensor cores.
FailureOr<std::string> ContractionKernel::tensorTiles(StringRef stage) {
  const Tile &tile = choice.tile;
  int64_t bytes = elementType(c.left).getIntOrFloatBitWidth() / 8, perPack = 16 / bytes;
  bool leftInPacks = functions.hasBuffer(c.left.tensor) && c.isInPacks(c.left, perPack, functions.extents);
  bool rightInPacks = functions.hasBuffer(c.right.tensor) && c.isInPacks(c.right, perPack, functions.extents);
  // A thread stores sixteen bytes where these never cross the end of a row.
  Access target = c.result;
  target.tensor = root();
  Type stored = graph_to_linalg::storageType(cast<RankedTensorType>(root().getType()).getElementType());
  int64_t perStore = choice.splits > 1 ? 4 : stored.isInteger(1) ? 1 : 128 / stored.getIntOrFloatBitWidth();
  std::optional<int64_t> columns = c.shapes[Columns].count();
  bool wholePacks =
      choice.splits > 1 ? columns && *columns % perStore == 0 : c.isInPacks(target, perStore, functions.extents);
  if (!wholePacks)
    perStore = 1;
  FailureOr<std::string> left = operandText(stage, "left", c.left, {Batch, Rows, Sums}, leftInPacks);
  FailureOr<std::string> right = operandText(stage, "right", c.right, {Batch, Sums, Columns}, rightInPacks);
  FailureOr<std::string> store = tensorStore(stage, perStore);
  if (failed(left) || failed(right) || failed(store))
    return failure();
  return formatv("  contraction_mma<{0}, {1}, {2}, {3}, {4}, {5}, {6}, ", kind, tile.rows, tile.columns,
                 tile.depthBytes / bytes, tile.stages, tile.partRows, tile.partColumns)
             .str() +
         formatv("{0}, {1}, {2}, {3}, {4}>(\n", c.runsAlongSums(c.left), c.runsAlongSums(c.right), leftInPacks,
                 rightInPacks, perStore)
             .str() +
         formatv("      batches, rows, columns, depth, {0},\n", choice.splits).str() + *left + ",\n" + *right + ",\n" +
         *store;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

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
  FailureOr<std::string> counts = sizes(stage);
  FailureOr<std::string> tiles = engine == Engine::TensorCores ? tensorTiles(stage) : threadTiles(stage);
  if (failed(counts) || failed(tiles))
    return failure();
  auto grid = [this](IndexMath &math, const ScalarScope &scalars) { return tilesOf(math, scalars); };
  Stage result{stage.str(), *counts + *tiles, static_cast<unsigned>(choice.tile.threads(engine)), grid};
  result.family = engine == Engine::TensorCores ? "tensor-core product" : "tiled product";
  if (engine == Engine::TensorCores)
    result.sharedBytes = sharedBytes(choice.tile, engine, elementType(c.left).getIntOrFloatBitWidth() / 8);
  return result;
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
     << formatv("    const {0} *parts = (const {0} *){1} + item;\n    {0} sum = parts[0];\n", number,
                functions.scratchName())
     << formatv("    for (i32 split = 1; split < {0}; ++split)\n      sum = sum + parts[split * count];\n",
                choice.splits)
     << formatv("    const {0} column = ({0})(item % columns);\n", indexName(Columns))
     << formatv("    const {0} row = ({0})(item / columns % rows);\n", indexName(Rows))
     << formatv("    const {0} batch = ({0})(item / columns / rows);\n", indexName(Batch)) << "    "
     << storeCall(stage, "sum") << ";\n  }\n";
  auto grid = [this](IndexMath &math, const ScalarScope &scalars) {
    return math.ceilDiv(elementsOf(math, scalars), math.index(kAddThreads));
  };
  Stage result{stage.str(), text, kAddThreads, grid};
  result.family = "sums of a product";
  return result;
}

/// Tensor cores take pairs of one type of theirs, and add in f32.
void ContractionKernel::chooseEngine() {
  Type left = elementType(c.left), right = elementType(c.right);
  if (left != right || !c.number.isF32())
    return;
  kind = left.isF16() ? "TensorF16" : left.isBF16() ? "TensorBF16" : left.isF32() && allowTF32 ? "TensorTF32" : "";
  // With a row or a few, reading the operands is all the work.
  if (!kind.empty() && usual(Rows) >= 8 && usual(Columns) >= 8)
    engine = Engine::TensorCores;
}

LogicalResult ContractionKernel::emit() {
  chooseEngine();
  unsigned bytes = c.number.getIntOrFloatBitWidth() / 8;
  unsigned elementBytes = engine == Engine::TensorCores ? elementType(c.left).getIntOrFloatBitWidth() / 8 : bytes;
  number = typeName(c.number, 64);
  choice = chooseTile({usual(Batch), usual(Rows), usual(Columns), usual(Sums), elementBytes}, engine, info);
  bool isSplit = choice.splits > 1;
  FailureOr<Stage> tiles = tileStage(isSplit ? name + "_parts" : name);
  if (failed(tiles))
    return failure();
  if (!isSplit) {
    functions.finish({*tiles});
    return success();
  }
  FailureOr<Stage> sums = addStage(name + "_sums");
  if (failed(sums))
    return failure();
  functions.finish({*tiles, *sums}, [&](IndexMath &math, const ScalarScope &scalars) {
    return math.scale(elementsOf(math, scalars), choice.splits * bytes);
  });
  return success();
}
