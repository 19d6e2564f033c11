//===- Tiles.h - How workgroups share a matrix product ----------*- C++ -*-===//

#ifndef BACKENDS_CUDA_KERNELS_TILES_H
#define BACKENDS_CUDA_KERNELS_TILES_H

#include "lib/Target/TargetBackend.h"

namespace hone::cuda {

/// What multiplies: every thread on its own, or warps on tensor cores.
enum class Engine { Threads, TensorCores };

/// The tile of one workgroup.
struct Tile {
  int rows, columns;
  int depthBytes;            ///< of the terms of one row that are in shared memory at a time
  int partRows, partColumns; ///< what a thread, or a warp, keeps in registers
  int stages;                ///< in shared memory, of the ring of operands
  /// Of the multiplications the machine could do, where there are enough workgroups.
  float efficiency;

  int threads(Engine engine) const {
    return (rows / partRows) * (columns / partColumns) * (engine == Engine::TensorCores ? 32 : 1);
  }
};

/// The size of a matrix product; extents that are not known count as what is usual.
struct ProductSize {
  int64_t batches, rows, columns, depth;
  unsigned elementBytes; ///< in shared memory
};

/// Bytes of shared memory that a tile takes.
int64_t sharedBytes(const Tile &tile, Engine engine, unsigned elementBytes);

/// The tile and the number of parts the sums are split into which take least time, by a model of waves of
/// workgroups.
struct TileChoice {
  Tile tile;
  int64_t splits;
};
TileChoice chooseTile(const ProductSize &size, Engine engine, const TargetInfo &info);

} // namespace hone::cuda

#endif // BACKENDS_CUDA_KERNELS_TILES_H
