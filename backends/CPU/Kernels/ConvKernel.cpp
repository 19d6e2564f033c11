//===- ConvKernel.cpp - Convolutions and matrix products on panels --------===//
//
// Implicit GEMM: with channels last, the taps of one kernel row are one run of KW*C elements, and a
// register tile is a few neighbouring pixels of one output row times one panel of channels. Rows of
// taps outside the input shorten the loop over them; only pixels at the left and right border need
// runs of their own. A matrix product is the case of one row of pixels and one tap.
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Kernels/KernelFrame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

/// Activations a work item should read: about what stays in the second-level cache beside a panel.
static constexpr int64_t kItemBytes = 128 << 10;

namespace {

/// The problem as loops over pixels. Extents are values where they may be dynamic.
struct Geometry {
  Value images, height, width; ///< of the input
  Value outHeight, outWidth;
  int64_t channels = 1, outChannels = 1;
  WindowDim rows, columns;
  bool bordered = false; ///< some taps lie outside
};

class PanelKernel {
public:
  PanelKernel(KernelFrame &frame, const Geometry &shape, Value activations, Value weights, int64_t channelDim)
      : frame(frame), g(shape), emit(frame.builder, frame.kernel.getLoc()),
        tile(chooseTile(frame.info, shape.outChannels)), epilogue(frame, channelDim, tile.lanes),
        input(emit.flatten(activations)), panels(emit.flatten(weights)),
        vectorType(VectorType::get({tile.lanes}, frame.builder.getF32Type())) {}

  /// Position of row `x` of a tile in the result.
  std::function<SmallVector<Value>(Emitter &, Value image, Value y, Value x)> positionOf;
  /// `x` counts all pixels of the result.
  bool flatPixels = false;

  FailureOr<Value> run();

private:
  struct Row {
    Value image, y, panel, channel;
    Value firstTap, lastTap; ///< rows of taps inside the input
  };
  void emitItem(Value item, Value blocks, Value blockSize);
  void emitRow(const Row &row, Value first, Value last);
  void emitInterior(const Row &row, Value first, Value last);
  void emitTile(const Row &row, Value x, int64_t rows, Value firstColumn, Value lastColumn);
  SmallVector<Value> accumulate(const Row &row, Value x, int64_t rows, Value firstColumn, Value lastColumn,
                                SmallVector<Value> sums);
  SmallVector<Value> runOfTaps(ArrayRef<Value> bases, Value weights, Value low, Value high, int64_t length,
                               SmallVector<Value> sums);

  KernelFrame &frame;
  Geometry g;
  Emitter emit;
  RegisterTile tile;
  EpilogueEmitter epilogue;
  Value input, panels;
  VectorType vectorType;
  LogicalResult status = success();
};

} // namespace

/// Sums `low..high` of a run of taps. `bases` are the offsets of the tile's rows in the input, `weights`
/// that of the run in the panel; unrolled by a divisor of `length`.
SmallVector<Value> PanelKernel::runOfTaps(ArrayRef<Value> bases, Value weights, Value low, Value high, int64_t length,
                                          SmallVector<Value> sums) {
  bool byLane = tile.byLane && length % tile.lanes == 0;
  int64_t unroll = byLane ? tile.lanes : length % 4 == 0 ? 4 : length % 3 == 0 ? 3 : length % 2 == 0 ? 2 : 1;
  OpBuilder &b = emit.builder;
  return emit.loop(low, high, unroll, sums, [&](Value k, ValueRange carried) {
    SmallVector<Value> next(carried), lanes;
    if (byLane)
      for (Value base : bases)
        lanes.push_back(vector::LoadOp::create(b, emit.loc, vectorType, input, emit.add(base, k)));
    for (int64_t u = 0; u < unroll; ++u) {
      Value at = emit.add(k, u);
      Value weightAt = emit.add(weights, emit.mul(at, tile.width()));
      SmallVector<Value> columns;
      for (int64_t v = 0; v < tile.vectors; ++v)
        columns.push_back(emit.loadVector(tile.lanes, panels, emit.add(weightAt, v * tile.lanes)));
      for (auto [row, base] : llvm::enumerate(bases)) {
        Value element = byLane ? Value(vector::ExtractOp::create(b, emit.loc, lanes[row], u))
                               : Value(memref::LoadOp::create(b, emit.loc, input, emit.add(base, at)));
        Value spread = vector::BroadcastOp::create(b, emit.loc, vectorType, element);
        for (int64_t v = 0; v < tile.vectors; ++v) {
          Value &sum = next[row * tile.vectors + v];
          sum = vector::FMAOp::create(b, emit.loc, spread, columns[v], sum);
        }
      }
    }
    return next;
  });
}

SmallVector<Value> PanelKernel::accumulate(const Row &row, Value x, int64_t rows, Value firstColumn, Value lastColumn,
                                           SmallVector<Value> sums) {
  // Offset of the leftmost tap of every row of the tile, for tap row 0.
  Value corner = emit.add(emit.mul(row.image, g.height), g.rows.origin(emit, row.y));
  Value left = g.columns.origin(emit, x);
  int64_t run = g.columns.dilation == 1 ? g.columns.taps * g.channels : g.channels;
  auto tapRow = [&](Value kh, SmallVector<Value> sums) {
    Value inputRow = emit.mul(emit.add(corner, emit.mul(kh, g.rows.dilation)), g.width);
    Value origin = emit.opaque(emit.mul(emit.add(inputRow, left), g.channels));
    Value weights = emit.opaque(emit.add(emit.mul(row.panel, g.rows.taps * g.columns.taps * g.channels * tile.width()),
                                         emit.mul(kh, g.columns.taps * g.channels * tile.width())));
    SmallVector<Value> bases;
    for (int64_t i = 0; i < rows; ++i)
      bases.push_back(emit.add(origin, i * g.columns.stride * g.channels));
    if (g.columns.dilation == 1) {
      // The taps of the row are neighbours: one run. A shortened run still starts at a whole pixel.
      bool whole = !firstColumn;
      Value low = whole ? emit.index(0) : emit.mul(firstColumn, g.channels);
      Value high = whole ? emit.index(run) : emit.mul(lastColumn, g.channels);
      return runOfTaps(bases, weights, low, high, whole ? run : g.channels, std::move(sums));
    }
    Value low = firstColumn ? firstColumn : emit.index(0), high = lastColumn ? lastColumn : emit.index(g.columns.taps);
    return emit.loop(low, high, 1, sums, [&](Value kw, ValueRange carried) {
      SmallVector<Value> shifted;
      for (Value base : bases)
        shifted.push_back(emit.add(base, emit.mul(kw, g.columns.dilation * g.channels)));
      return runOfTaps(shifted, emit.add(weights, emit.mul(kw, g.channels * tile.width())), emit.index(0),
                       emit.index(run), run, SmallVector<Value>(carried));
    });
  };
  if (g.rows.taps == 1 && !g.bordered)
    return tapRow(emit.index(0), std::move(sums));
  return emit.loop(row.firstTap, row.lastTap, 1, sums,
                   [&](Value kh, ValueRange carried) { return tapRow(kh, SmallVector<Value>(carried)); });
}

/// One register tile: `rows` pixels from `x` on. Columns of taps are limited where given.
void PanelKernel::emitTile(const Row &row, Value x, int64_t rows, Value firstColumn, Value lastColumn) {
  x = emit.opaque(x);
  Value zero = arith::ConstantOp::create(emit.builder, emit.loc, emit.builder.getZeroAttr(vectorType));
  SmallVector<Value> sums =
      accumulate(row, x, rows, firstColumn, lastColumn, SmallVector<Value>(rows * tile.vectors, zero));
  bool partial = g.outChannels % tile.width() != 0;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    Value channel = emit.add(row.channel, v * tile.lanes), mask;
    if (partial)
      mask = emit.lanesBelow(emit.sub(emit.index(g.outChannels), channel), tile.lanes);
    for (int64_t i = 0; i < rows; ++i) {
      Value pixel = emit.add(x, i);
      TilePosition position{positionOf(emit, row.image, row.y, pixel), channel, flatPixels ? pixel : Value()};
      if (failed(epilogue.store(emit, sums[i * tile.vectors + v], position, mask)))
        status = failure();
    }
  }
}

/// Pixels whose taps all lie inside.
void PanelKernel::emitInterior(const Row &row, Value first, Value last) {
  emit.tiles(first, last, tile.rows, [&](Value x, int64_t rows) { emitTile(row, x, rows, nullptr, nullptr); });
}

/// Pixels `first..last` of one output row.
void PanelKernel::emitRow(const Row &row, Value first, Value last) {
  if (!g.bordered) {
    emitInterior(row, first, last);
    return;
  }
  auto [interiorFirst, interiorLast] = g.columns.wholePositions(emit, g.width, first, last);
  auto border = [&](Value from, Value to) {
    emit.loop(from, to, 1, [&](Value x) {
      auto [low, high] = g.columns.tapsInside(emit, g.columns.origin(emit, x), g.width);
      emitTile(row, x, 1, low, high);
    });
  };
  border(first, interiorFirst);
  emitInterior(row, interiorFirst, interiorLast);
  border(interiorLast, last);
}

/// One work item: a block of rows (or, with one row, of pixels) times one panel.
void PanelKernel::emitItem(Value item, Value blocks, Value blockSize) {
  int64_t numPanels = llvm::divideCeil(g.outChannels, tile.width());
  Row row;
  // Panels run fastest: a range of items reads its activations once per panel, from the cache.
  row.panel = emit.remU(item, emit.index(numPanels));
  Value rest = emit.divU(item, emit.index(numPanels));
  Value block = emit.remU(rest, blocks);
  row.image = emit.divU(rest, blocks);
  row.channel = emit.mul(row.panel, tile.width());
  Value first = emit.mul(block, blockSize);
  if (!g.bordered && g.rows.taps == 1 && getConstantIntValue(g.outHeight) == std::optional<int64_t>(1)) {
    row.y = emit.index(0);
    emitRow(row, first, emit.min(emit.add(first, blockSize), g.outWidth));
    return;
  }
  emit.loop(first, emit.min(emit.add(first, blockSize), g.outHeight), 1, [&](Value y) {
    row.y = y;
    std::tie(row.firstTap, row.lastTap) = g.rows.tapsInside(emit, g.rows.origin(emit, y), g.height);
    emitRow(row, emit.index(0), g.outWidth);
  });
}

FailureOr<Value> PanelKernel::run() {
  bool oneRow = !g.bordered && g.rows.taps == 1 && getConstantIntValue(g.outHeight) == std::optional<int64_t>(1);
  Value blockSize, blocks;
  if (oneRow) {
    int64_t pixels = std::max<int64_t>(kItemBytes / (4 * g.channels), 4 * tile.rows) / tile.rows * tile.rows;
    blockSize = emit.index(pixels);
    blocks = emit.ceilDiv(g.outWidth, blockSize);
  } else {
    Value rowBytes = emit.max(emit.mul(g.width, 4 * g.channels * g.rows.stride), emit.index(1));
    blockSize = emit.ceilDiv(emit.index(kItemBytes), rowBytes);
    blocks = emit.ceilDiv(g.outHeight, blockSize);
  }
  Value items = emit.mul(emit.mul(g.images, blocks), llvm::divideCeil(g.outChannels, tile.width()));
  // An empty result has no items, but blocks are divided by.
  Value divisor = emit.max(blocks, emit.index(1));
  emit.loop(frame.begin, frame.end, 1, [&](Value item) { emitItem(item, divisor, blockSize); });
  if (failed(status))
    return failure();
  return items;
}

FailureOr<Value> cpu::emitConvKernel(KernelFrame &frame, graph::ConvOp conv) {
  Emitter emit(frame.builder, frame.kernel.getLoc());
  Value input = frame.buffer(conv.getInput()), weights = frame.buffer(conv.getWeights()), output = frame.resultBuffer();
  auto inputType = conv.getInput().getType();
  Geometry g;
  g.channels = inputType.getDimSize(1);
  g.outChannels = conv.getWeights().getType().getDimSize(0);
  g.rows = WindowDim::of(conv, 0);
  g.columns = WindowDim::of(conv, 1);
  g.bordered = llvm::any_of(conv.getPads(), [](int64_t pad) { return pad != 0; });
  bool pointwise =
      g.rows.taps == 1 && g.columns.taps == 1 && g.rows.stride == 1 && g.columns.stride == 1 && !g.bordered;
  Value n = emit.dim(input, 0), h = emit.dim(input, 1), w = emit.dim(input, 2);
  if (!pointwise) {
    g.images = n;
    g.height = h;
    g.width = w;
    g.outHeight = emit.dim(output, 1);
    g.outWidth = emit.dim(output, 2);
    PanelKernel kernel(frame, g, input, weights, /*channelDim=*/1);
    kernel.positionOf = [](Emitter &, Value image, Value y, Value x) { return SmallVector<Value>{image, y, x}; };
    return kernel.run();
  }
  // All pixels of all images in one row.
  g.images = g.height = g.outHeight = emit.index(1);
  g.width = g.outWidth = emit.mul(emit.mul(n, h), w);
  PanelKernel kernel(frame, g, input, weights, /*channelDim=*/1);
  kernel.flatPixels = true;
  kernel.positionOf = [h, w](Emitter &e, Value, Value, Value x) {
    Value pixels = e.mul(h, w);
    Value inside = e.remU(x, pixels);
    return SmallVector<Value>{e.divU(x, pixels), e.divU(inside, w), e.remU(inside, w)};
  };
  return kernel.run();
}

FailureOr<Value> cpu::emitMatMulKernel(KernelFrame &frame, graph::ContractOp contract) {
  Emitter emit(frame.builder, frame.kernel.getLoc());
  Value lhs = frame.buffer(contract.getLhs()), weights = frame.buffer(contract.getRhs());
  auto rhsType = contract.getRhs().getType();
  MatMulDims dims = *matMulDims(contract);
  int64_t rank = contract.getLhs().getType().getRank();
  Geometry g;
  g.channels = rhsType.getDimSize(dims.rhsK);
  g.outChannels = rhsType.getDimSize(dims.rhsN);
  g.images = g.height = g.outHeight = emit.index(1);
  SmallVector<Value> extents;
  Value rows = emit.index(1);
  for (int64_t i = 0; i + 1 < rank; ++i) {
    extents.push_back(emit.dim(lhs, i));
    rows = emit.mul(rows, extents.back());
  }
  g.width = g.outWidth = rows;
  PanelKernel kernel(frame, g, lhs, weights, /*channelDim=*/rank - 1);
  kernel.flatPixels = true;
  kernel.positionOf = [extents](Emitter &e, Value, Value, Value x) {
    SmallVector<Value> position(extents.size());
    for (size_t i = extents.size(); i-- > 0;) {
      position[i] = i == 0 ? x : e.remU(x, extents[i]);
      x = i == 0 ? x : e.divU(x, extents[i]);
    }
    return position;
  };
  return kernel.run();
}
