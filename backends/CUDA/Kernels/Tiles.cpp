//===- Tiles.cpp - How workgroups share a matrix product ------------------===//

#include "backends/CUDA/Kernels/Tiles.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::cuda;

// Small tiles read their operands more often, but there are more of them.

static const Tile kThreadTiles[] = {
    {128, 128, 32, 8, 8, 2, 1.00f}, {128, 64, 64, 8, 4, 2, 0.85f}, {64, 128, 64, 4, 8, 2, 0.85f},
    {64, 64, 64, 4, 4, 2, 0.70f},   {32, 64, 64, 2, 4, 2, 0.50f},  {64, 32, 64, 4, 2, 2, 0.50f},
    {32, 32, 128, 2, 2, 2, 0.35f},  {16, 64, 64, 1, 4, 2, 0.30f},  {8, 128, 128, 1, 4, 2, 0.25f},
};

static const Tile kTensorTiles[] = {
    {128, 128, 64, 64, 32, 4, 1.00f}, {128, 64, 64, 32, 32, 4, 0.80f}, {64, 128, 64, 32, 32, 4, 0.80f},
    {64, 64, 64, 32, 32, 4, 0.60f},   {64, 64, 128, 32, 32, 3, 0.62f}, {64, 32, 128, 32, 16, 4, 0.45f},
    {32, 64, 128, 16, 32, 4, 0.45f},  {32, 32, 128, 16, 16, 4, 0.30f}, {16, 64, 128, 16, 16, 4, 0.22f},
};

/// Memory a kernel may declare without asking for it when it is launched.
static constexpr int64_t kStaticSharedBytes = 48 << 10;
/// Workgroups that one unit runs at a time at full speed.
static constexpr int64_t kPerUnit = 2;
/// Seconds of a launch more, and of a workgroup's first loads and last stores.
static constexpr double kLaunchTime = 1.5e-6, kWaveTime = 1.0e-6;
/// Multiplications of one of kPerUnit workgroups in a second, at full speed.
static constexpr double kThreadRate = 113e9, kTensorRate = 1000e9;
/// Bytes to and from memory that one of them moves in a second.
static constexpr double kMemoryRate = 12e9;
/// Terms of a part of a sum: fewer do not pay for adding the parts.
static constexpr int64_t kLeastPart = 64;
static constexpr int64_t kMaxSplits = 16;

int64_t cuda::sharedBytes(const Tile &tile, Engine engine, unsigned elementBytes) {
  int64_t depth = tile.depthBytes / 4; // of threads: that many terms, whatever their size
  if (engine == Engine::Threads) {
    int64_t pad = std::max<int64_t>(16 / elementBytes, 1);
    return tile.stages * depth * (tile.rows + tile.columns + 2 * pad) * elementBytes;
  }
  int64_t operands = int64_t(tile.stages) * (tile.rows + tile.columns) * tile.depthBytes;
  return std::max<int64_t>(operands, int64_t(tile.rows) * (tile.columns + 4) * 4);
}

TileChoice cuda::chooseTile(const ProductSize &size, Engine engine, const TargetInfo &info) {
  bool isTensor = engine == Engine::TensorCores;
  llvm::ArrayRef<Tile> tiles = isTensor ? llvm::ArrayRef<Tile>(kTensorTiles) : llvm::ArrayRef<Tile>(kThreadTiles);
  int64_t limit = isTensor && info.sharedBytes ? info.sharedBytes : kStaticSharedBytes;
  double slots = std::max<unsigned>(info.computeUnits, 1) * kPerUnit, rate = isTensor ? kTensorRate : kThreadRate;
  TileChoice best{tiles[3], 1};
  double bestTime = INFINITY;
  for (const Tile &tile : tiles) {
    if (sharedBytes(tile, engine, size.elementBytes) > limit)
      continue;
    int64_t step = tile.depthBytes / (isTensor ? size.elementBytes : 4);
    double count =
        double(size.batches) * llvm::divideCeil(size.rows, tile.rows) * llvm::divideCeil(size.columns, tile.columns);
    for (int64_t splits = 1; splits <= kMaxSplits; splits *= 2) {
      if (splits > 1 && size.depth / splits < kLeastPart)
        break;
      double depth = llvm::divideCeil(llvm::divideCeil(size.depth, step), splits) * step;
      double one = kWaveTime + tile.rows * tile.columns * depth / (tile.efficiency * rate);
      double time = std::ceil(count * splits / slots) * one;
      // The parts are written, and read by another launch.
      if (splits > 1)
        time += kLaunchTime + 8.0 * size.batches * size.rows * size.columns * splits / (slots * kMemoryRate);
      if (time < bestTime) {
        bestTime = time;
        best = {tile, splits};
      }
    }
  }
  return best;
}
