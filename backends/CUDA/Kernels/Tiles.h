//===- Tiles.h - How workgroups share a matrix product ----------*- C++ -*-===//

#ifndef BACKENDS_CUDA_KERNELS_TILES_H
#define BACKENDS_CUDA_KERNELS_TILES_H

#include "lib/Target/TargetBackend.h"

namespace hone::cuda {

/// The tile of one workgroup of 256 threads, and what each of these keeps of it.
struct Tile {
  int rows, columns, depth, threadRows, threadColumns;
  /// Of the multiplications the machine could do, where there are enough workgroups.
  float efficiency;
};
inline constexpr unsigned kTileThreads = 256;

/// The size of a matrix product; extents that are not known count as what is usual.
struct ProductSize {
  int64_t batches, rows, columns, depth;
  unsigned numberBytes;
};

/// The tile and the number of parts the sums are split into which take least time, by a model of waves of
/// workgroups.
struct TileChoice {
  Tile tile;
  int64_t splits;
};
TileChoice chooseTile(const ProductSize &size, const TargetInfo &info);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_TILES_H
