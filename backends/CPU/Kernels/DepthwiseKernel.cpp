//===- DepthwiseKernel.cpp - One filter per channel -----------------------===//
//
// Vectors run along channels; a tile is a few neighbouring pixels, so that a vector of weights is
// loaded once for all of them. Weights are [KH][KW][C].
//
//===----------------------------------------------------------------------===//

#include "backends/CPU/Kernels/KernelFrame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::cpu;

static constexpr int64_t kPixels = 4;

namespace {

class DepthwiseKernel {
public:
  DepthwiseKernel(KernelFrame &frame, graph::ConvOp conv)
      : frame(frame), conv(conv), emit(frame.builder, frame.kernel.getLoc()), lanes(frame.info.vectorBytes / 4),
        channels(conv.getInput().getType().getDimSize(1)), rows(WindowDim::of(conv, 0)),
        columns(WindowDim::of(conv, 1)), epilogue(frame, /*channelDim=*/1, lanes),
        vectorType(VectorType::get({lanes}, frame.builder.getF32Type())) {}

  FailureOr<Value> run();

private:
  struct Row {
    Value image, y, channel, mask;
    Value firstTap, lastTap;
  };
  void emitChannels(Row row, int64_t vectors);
  void emitTile(const Row &row, Value x, int64_t pixels, int64_t vectors, Value firstColumn, Value lastColumn);

  KernelFrame &frame;
  graph::ConvOp conv;
  Emitter emit;
  int64_t lanes, channels;
  WindowDim rows, columns;
  EpilogueEmitter epilogue;
  VectorType vectorType;
  Value input, weights, height, width, outHeight, outWidth;
  LogicalResult status = success();
};

} // namespace

void DepthwiseKernel::emitTile(const Row &row, Value x, int64_t pixels, int64_t vectors, Value firstColumn,
                               Value lastColumn) {
  OpBuilder &b = emit.builder;
  Value top = rows.origin(emit, row.y), left = columns.origin(emit, x);
  Value zero = arith::ConstantOp::create(b, emit.loc, b.getZeroAttr(vectorType));
  auto tap = [&](Value origin, Value weightRow, Value kw, SmallVector<Value> sums) {
    Value weightAt = emit.add(weightRow, emit.mul(kw, channels));
    Value column = emit.add(origin, emit.mul(kw, columns.dilation * channels));
    for (int64_t v = 0; v < vectors; ++v) {
      Value weight = emit.loadVector(lanes, weights, emit.add(weightAt, v * lanes), row.mask);
      for (int64_t p = 0; p < pixels; ++p) {
        Value element =
            emit.loadVector(lanes, input, emit.add(column, p * columns.stride * channels + v * lanes), row.mask);
        Value &sum = sums[p * vectors + v];
        sum = vector::FMAOp::create(b, emit.loc, element, weight, sum);
      }
    }
    return sums;
  };
  SmallVector<Value> sums = emit.loop(
      row.firstTap, row.lastTap, 1, SmallVector<Value>(pixels * vectors, zero), [&](Value kh, ValueRange carried) {
        Value inputRow = emit.add(emit.mul(row.image, height), emit.add(top, emit.mul(kh, rows.dilation)));
        Value origin =
            emit.opaque(emit.add(emit.mul(emit.add(emit.mul(inputRow, width), left), channels), row.channel));
        Value weightRow = emit.add(emit.mul(kh, columns.taps * channels), row.channel);
        SmallVector<Value> next(carried);
        if (firstColumn)
          return emit.loop(firstColumn, lastColumn, 1, next, [&](Value kw, ValueRange inner) {
            return tap(origin, weightRow, kw, SmallVector<Value>(inner));
          });
        for (int64_t kw = 0; kw < columns.taps; ++kw)
          next = tap(origin, weightRow, emit.index(kw), next);
        return next;
      });
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t v = 0; v < vectors; ++v) {
      TilePosition position{{row.image, row.y, emit.add(x, p)}, emit.add(row.channel, v * lanes), Value()};
      if (failed(epilogue.store(emit, sums[p * vectors + v], position, row.mask)))
        status = failure();
    }
}

/// One output row for `vectors` vectors of channels.
void DepthwiseKernel::emitChannels(Row row, int64_t vectors) {
  auto [first, last] = columns.wholePositions(emit, width, emit.index(0), outWidth);
  auto border = [&](Value from, Value to) {
    emit.loop(from, to, 1, [&](Value x) {
      auto [low, high] = columns.tapsInside(emit, columns.origin(emit, x), width);
      emitTile(row, x, 1, vectors, low, high);
    });
  };
  border(emit.index(0), first);
  Value tiles = emit.mul(emit.floorDiv(emit.sub(last, first), kPixels), kPixels), tiled = emit.add(first, tiles);
  emit.loop(first, tiled, kPixels, [&](Value x) { emitTile(row, x, kPixels, vectors, nullptr, nullptr); });
  emit.loop(tiled, last, 1, [&](Value x) { emitTile(row, x, 1, vectors, nullptr, nullptr); });
  border(last, outWidth);
}

FailureOr<Value> DepthwiseKernel::run() {
  Value inputBuffer = frame.buffer(conv.getInput()), output = frame.resultBuffer();
  input = emit.flatten(inputBuffer);
  weights = emit.flatten(frame.buffer(conv.getWeights()));
  height = emit.dim(inputBuffer, 1);
  width = emit.dim(inputBuffer, 2);
  outHeight = emit.dim(output, 1);
  outWidth = emit.dim(output, 2);
  // A work item is one output row.
  Value items = emit.mul(emit.dim(output, 0), outHeight);
  emit.loop(frame.begin, frame.end, 1, [&](Value item) {
    Row row;
    row.y = emit.remU(item, outHeight);
    row.image = emit.divU(item, outHeight);
    std::tie(row.firstTap, row.lastTap) = rows.tapsInside(emit, rows.origin(emit, row.y), height);
    int64_t pair = 2 * lanes, paired = channels / pair * pair, whole = channels / lanes * lanes;
    emit.loop(emit.index(0), emit.index(paired), pair, [&](Value channel) {
      row.channel = channel;
      emitChannels(row, 2);
    });
    if (whole > paired) {
      row.channel = emit.index(paired);
      emitChannels(row, 1);
    }
    if (channels > whole) {
      row.channel = emit.index(whole);
      row.mask = emit.lanesBelow(emit.index(channels - whole), lanes);
      emitChannels(row, 1);
    }
  });
  if (failed(status))
    return failure();
  return items;
}

FailureOr<Value> cpu::emitDepthwiseKernel(KernelFrame &frame, graph::ConvOp conv) {
  return DepthwiseKernel(frame, conv).run();
}
