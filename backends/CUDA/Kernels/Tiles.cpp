//===- Tiles.cpp - How workgroups share a matrix product ------------------===//

#include "backends/CUDA/Kernels/Tiles.h"

#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::cuda;

/// Small tiles read their operands more often, but there are more of them.
static const Tile kTiles[] = {
    {128, 128, 8, 8, 8, 1.00f}, {128, 64, 16, 8, 4, 0.85f}, {64, 128, 16, 4, 8, 0.85f},
    {64, 64, 16, 4, 4, 0.70f},  {32, 64, 16, 2, 4, 0.50f},  {64, 32, 16, 4, 2, 0.50f},
    {32, 32, 32, 2, 2, 0.35f},  {16, 64, 16, 1, 4, 0.30f},  {8, 128, 32, 1, 4, 0.25f},
};

/// Memory a kernel may declare without asking for it when it is launched.
static constexpr int64_t kStaticSharedBytes = 48 << 10;
/// Workgroups of 256 threads that one unit runs at a time at full speed.
static constexpr int64_t kPerUnit = 2;
/// A launch more, in multiplications of one workgroup at full speed: about 1.5 us.
static constexpr double kLaunchCost = 170e3;
/// Terms of a part of a sum: fewer do not pay for adding the parts.
static constexpr int64_t kLeastPart = 64;
static constexpr int64_t kMaxSplits = 16;

static int64_t sharedBytes(const Tile &tile, unsigned numberBytes) {
  int64_t pad = std::max<int64_t>(16 / numberBytes, 1);
  return 2 * tile.depth * (tile.rows + tile.columns + 2 * pad) * numberBytes;
}

TileChoice cuda::chooseTile(const ProductSize &size, const TargetInfo &info) {
  int64_t slots = std::max<int64_t>(info.computeUnits, 1) * kPerUnit;
  TileChoice best{kTiles[3], 1};
  double bestCost = INFINITY;
  for (const Tile &tile : kTiles) {
    if (sharedBytes(tile, size.numberBytes) > kStaticSharedBytes)
      continue;
    double tiles =
        double(size.batches) * llvm::divideCeil(size.rows, tile.rows) * llvm::divideCeil(size.columns, tile.columns);
    for (int64_t splits = 1; splits <= kMaxSplits; splits *= 2) {
      if (splits > 1 && size.depth / splits < kLeastPart)
        break;
      double waves = std::ceil(tiles * splits / slots);
      double depth = llvm::divideCeil(llvm::divideCeil(size.depth, tile.depth), splits) * tile.depth;
      double cost = waves * tile.rows * tile.columns * depth / tile.efficiency;
      // The parts are written, and read by another launch.
      if (splits > 1)
        cost += kLaunchCost + 8.0 * size.batches * size.rows * size.columns * splits / slots;
      if (cost < bestCost) {
        bestCost = cost;
        best = {tile, splits};
      }
    }
  }
  return best;
}
