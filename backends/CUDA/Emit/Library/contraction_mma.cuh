// Where sixteen bytes of an operand lie; `valid` is false where they count as zero.
struct PackSource {
  const void *from;
  bool valid;
};
// The pack at an offset in elements; an offset below zero is not valid.
template <typename Element, typename Index>
__device__ __forceinline__ PackSource pack_source(const Element *base, Index offset) {
  return {base + (offset < 0 ? 0 : offset), offset >= 0};
}
// Neighbouring sums to memory that is aligned to as many of them.
template <i32 count> __device__ __forceinline__ void store_floats(float *to, const float *sums) {
  if constexpr (count == 4)
    *(Pack<float> *)to = *(const Pack<float> *)sums;
  else
    *to = *sums;
}

__device__ __forceinline__ void copy_pack(u32 to, PackSource source) {
  const u32 bytes = source.valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(source.from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void copies_issued() { asm volatile("cp.async.commit_group;" : : : "memory"); }
// Waits until all but the last `left` groups of copies have come.
template <i32 left> __device__ __forceinline__ void copies_done() {
  asm volatile("cp.async.wait_group %0;" : : "n"(left) : "memory");
}

// Four 8 x 16-byte matrices from shared memory to the registers of tensor cores; as they lie, or transposed.
__device__ __forceinline__ void load_matrices(u32 *r, u32 at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
__device__ __forceinline__ void load_matrices_transposed(u32 *r, u32 at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

// Numbers of tensor cores. A step multiplies 16 rows by 8 columns over 32 bytes of terms.
struct TensorF16 {
  using Element = f16;
  static __device__ __forceinline__ void prepare(u32 &) {}
  static __device__ __forceinline__ void multiply(float *c, const u32 *a, const u32 *b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
struct TensorBF16 {
  using Element = bf16;
  static __device__ __forceinline__ void prepare(u32 &) {}
  static __device__ __forceinline__ void multiply(float *c, const u32 *a, const u32 *b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
// Floats of which 11 bits count, rounded.
struct TensorTF32 {
  using Element = float;
  static __device__ __forceinline__ void prepare(u32 &x) {
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(__uint_as_float(x)));
  }
  static __device__ __forceinline__ void multiply(float *c, const u32 *a, const u32 *b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// An operand's tile in shared memory: `lines` of `bytes` each, in packs of 16 bytes that are permuted such that
// neither a line nor a column of packs meets in one bank.
template <i32 lines, i32 bytes> struct PackTile {
  static constexpr i32 size = lines * bytes, perLine = bytes / 16;
  static __device__ __forceinline__ i32 at(i32 line, i32 pack) {
    return line * bytes + ((pack ^ (bytes >= 128 ? line & 7 : line / 2 & 3)) * 16);
  }
};

// How an operand reaches its tile. Along sums, a line holds the terms of one row (or column); otherwise it holds the
// rows of one term. `across` rows times `depth` terms; whole packs are copied without passing through registers,
// single elements are fetched a step ahead.
template <typename Element, i32 across, i32 depth, bool alongSums, bool inPacks, i32 threads> struct Operand {
  static constexpr i32 perPack = 16 / sizeof(Element);
  using Tile = PackTile<alongSums ? across : depth, (alongSums ? depth : across) * (i32)sizeof(Element)>;
  static constexpr i32 items = inPacks ? across * depth / perPack / threads : across * depth / threads;
  static_assert(items > 0, "every thread has work");
  Element fetched[inPacks ? 1 : items];

  // `source(row, term)` for what is inside of `rows` and `lastTerm`.
  template <typename Row, typename Depth, typename Source>
  __device__ __forceinline__ void begin(u32 tile, Row firstRow, Row rows, Depth firstTerm, Depth lastTerm,
                                        Source source) {
    constexpr i32 width = inPacks ? perPack : 1, run = (alongSums ? depth : across) / width;
#pragma unroll
    for (i32 i = 0; i < items; ++i) {
      const i32 item = threadIdx.x + i * threads, line = item / run, place = item % run * width;
      const Row row = firstRow + (alongSums ? line : place);
      const Depth term = firstTerm + (alongSums ? place : line);
      if constexpr (inPacks) {
        const bool inside = row < rows && term < lastTerm;
        PackSource pack = source(inside ? row : Row(), inside ? term : Depth());
        pack.valid &= inside;
        copy_pack(tile + Tile::at(line, place / perPack), pack);
      } else {
        fetched[i] = row < rows && term < lastTerm ? source(row, term) : Element(0.0f);
      }
    }
  }
  // Puts what was fetched into the tile.
  __device__ __forceinline__ void end(u8 *tile) {
    if constexpr (!inPacks) {
      constexpr i32 run = alongSums ? depth : across;
#pragma unroll
      for (i32 i = 0; i < items; ++i) {
        const i32 item = threadIdx.x + i * threads, line = item / run, place = item % run;
        *(Element *)(tile + Tile::at(line, place / perPack) + place % perPack * sizeof(Element)) = fetched[i];
      }
    }
  }
};

// One tile of a matrix product on tensor cores, summed over the terms from `firstTerm` to `lastTerm`. Tiles of the
// operands go through a ring of `stages` in shared memory; every warp keeps `warpRows` times `warpColumns` sums in
// registers. At the end the sums pass through shared memory, so that `store(row, column, sums)` takes `perStore`
// neighbours at once; they may reach beyond `columns` where that is no multiple.
template <typename Kind, i32 tileRows, i32 tileColumns, i32 tileDepth, i32 stages, i32 warpRows, i32 warpColumns,
          bool leftAlongSums, bool rightAlongSums, bool leftInPacks, bool rightInPacks, i32 perStore, typename Row,
          typename Column, typename Depth, typename LeftSource, typename RightSource, typename Store>
__device__ __forceinline__ void multiply_tile(Row rows, Column columns, Depth firstTerm, Depth lastTerm, Row firstRow,
                                              Column firstColumn, LeftSource leftSource, RightSource rightSource,
                                              Store store) {
  using Element = typename Kind::Element;
  constexpr i32 warpsDown = tileRows / warpRows, warpsAcross = tileColumns / warpColumns;
  constexpr i32 threads = warpsDown * warpsAcross * 32, down = warpRows / 16, across = warpColumns / 8;
  constexpr i32 perPack = 16 / sizeof(Element), step = 2 * perPack;
  using Left = Operand<Element, tileRows, tileDepth, leftAlongSums, leftInPacks, threads>;
  using Right = Operand<Element, tileColumns, tileDepth, rightAlongSums, rightInPacks, threads>;
  constexpr i32 stageBytes = Left::Tile::size + Right::Tile::size;
  extern __shared__ __align__(128) u8 memory[];
  const u32 base = (u32)__cvta_generic_to_shared(memory);
  const i32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const i32 warpRow = warp % warpsDown * warpRows, warpColumn = warp / warpsDown * warpColumns;
  Left left;
  Right right;
  float sums[down][across][4] = {};

  const Depth steps = (lastTerm - firstTerm + (tileDepth - 1)) / tileDepth;
  auto begin = [&](Depth at) {
    const u32 tile = base + (u32)(at % stages) * stageBytes;
    const Depth term = firstTerm + at * tileDepth;
    left.begin(tile, firstRow, rows, term, lastTerm, leftSource);
    right.begin(tile + Left::Tile::size, firstColumn, columns, term, lastTerm,
                [&](Column column, Depth term) { return rightSource(term, column); });
  };
  auto end = [&](Depth at) {
    u8 *tile = memory + (u32)(at % stages) * stageBytes;
    left.end(tile);
    right.end(tile + Left::Tile::size);
  };
#pragma unroll
  for (i32 at = 0; at < stages - 1; ++at) {
    if (at < steps) {
      begin(at);
      end(at);
    }
    copies_issued();
  }
  for (Depth at = 0; at < steps; ++at) {
    copies_done<stages - 2>();
    __syncthreads();
    const Depth next = at + (stages - 1);
    if (next < steps)
      begin(next);
    copies_issued();
    const u32 leftTile = base + (u32)(at % stages) * stageBytes, rightTile = leftTile + Left::Tile::size;
#pragma unroll
    for (i32 k = 0; k < tileDepth / step; ++k) {
      u32 a[down][4], b[across][2];
#pragma unroll
      for (i32 i = 0; i < down; ++i) {
        const i32 row = warpRow + i * 16;
        if constexpr (leftAlongSums) {
          load_matrices(a[i], leftTile + Left::Tile::at(row + lane % 16, k * 2 + lane / 16));
        } else if constexpr (sizeof(Element) == 2) {
          load_matrices_transposed(a[i], leftTile + Left::Tile::at(k * 16 + lane / 16 * 8 + lane % 8,
                                                                   row / perPack + lane / 8 % 2));
        } else {
#pragma unroll
          for (i32 q = 0; q < 4; ++q) {
            const i32 at = row + lane / 4 + q % 2 * 8;
            a[i][q] = *(const u32 *)(memory + (leftTile - base) +
                                     Left::Tile::at(k * 8 + lane % 4 + q / 2 * 4, at / 4) + at % 4 * 4);
          }
        }
#pragma unroll
        for (i32 q = 0; q < 4; ++q)
          Kind::prepare(a[i][q]);
      }
#pragma unroll
      for (i32 j = 0; j < across; j += 2) {
        const i32 column = warpColumn + j * 8;
        u32 t[4];
        if constexpr (rightAlongSums) {
          load_matrices(t, rightTile + Right::Tile::at(column + lane / 16 * 8 + lane % 8, k * 2 + lane / 8 % 2));
        } else if constexpr (sizeof(Element) == 2) {
          load_matrices_transposed(t, rightTile + Right::Tile::at(k * 16 + lane % 16, column / perPack + lane / 16));
        } else {
#pragma unroll
          for (i32 q = 0; q < 4; ++q) {
            const i32 at = column + lane / 4 + q / 2 * 8;
            t[q] = *(const u32 *)(memory + (rightTile - base) +
                                  Right::Tile::at(k * 8 + lane % 4 + q % 2 * 4, at / 4) + at % 4 * 4);
          }
        }
#pragma unroll
        for (i32 q = 0; q < 4; ++q) {
          Kind::prepare(t[q]);
          b[j + q / 2][q % 2] = t[q];
        }
      }
#pragma unroll
      for (i32 i = 0; i < down; ++i)
#pragma unroll
        for (i32 j = 0; j < across; ++j)
          Kind::multiply(sums[i][j], a[i], b[j]);
    }
    if (next < steps)
      end(next);
  }
  copies_done<0>();
  __syncthreads();
  // The sums of a row, with room that keeps rows off each other's banks.
  constexpr i32 pitch = tileColumns + 4;
  float *tile = (float *)memory;
#pragma unroll
  for (i32 i = 0; i < down; ++i)
#pragma unroll
    for (i32 j = 0; j < across; ++j)
#pragma unroll
      for (i32 q = 0; q < 4; ++q)
        tile[(warpRow + i * 16 + lane / 4 + q / 2 * 8) * pitch + warpColumn + j * 8 + lane % 4 * 2 + q % 2] =
            sums[i][j][q];
  __syncthreads();
  constexpr i32 perRow = tileColumns / perStore;
  for (i32 item = threadIdx.x; item < tileRows * perRow; item += threads) {
    const i32 row = item / perRow, column = item % perRow * perStore;
    if (firstRow + row < rows && firstColumn + column < columns)
      store(firstRow + row, firstColumn + column, &tile[row * pitch + column]);
  }
}

// The part of a batch of matrix products that one workgroup computes on tensor cores: one tile, over one of `splits`
// parts of its sums. Workgroups that follow each other share columns of the right operand.
template <typename Kind, i32 tileRows, i32 tileColumns, i32 tileDepth, i32 stages, i32 warpRows, i32 warpColumns,
          bool leftAlongSums, bool rightAlongSums, bool leftInPacks, bool rightInPacks, i32 perStore, typename Batch,
          typename Row, typename Column, typename Depth, typename Left, typename Right, typename Store>
__device__ __forceinline__ void contraction_mma(Batch batches, Row rows, Column columns, Depth depth, i32 splits,
                                                Left left, Right right, Store store) {
  const Row rowTiles = (rows + (tileRows - 1)) / tileRows;
  const Column columnTiles = (columns + (tileColumns - 1)) / tileColumns;
  u32 rest = blockIdx.x;
  const Row firstRow = (Row)(rest % (u32)rowTiles) * tileRows;
  rest /= (u32)rowTiles;
  const Column firstColumn = (Column)(rest % (u32)columnTiles) * tileColumns;
  rest /= (u32)columnTiles;
  const i32 split = (i32)(rest % (u32)splits);
  const Batch batch = (Batch)(rest / (u32)splits);
  const Depth part = ((depth + (tileDepth - 1)) / tileDepth + (splits - 1)) / splits * tileDepth;
  const Depth firstTerm = split * part, lastTerm = firstTerm + part < depth ? firstTerm + part : depth;
  multiply_tile<Kind, tileRows, tileColumns, tileDepth, stages, warpRows, warpColumns, leftAlongSums, rightAlongSums,
                leftInPacks, rightInPacks, perStore>(
      rows, columns, firstTerm, lastTerm, firstRow, firstColumn,
      [&](Row row, Depth term) { return left(batch, row, term); },
      [&](Depth term, Column column) { return right(batch, term, column); },
      [&](Row row, Column column, const float *sums) { store(batch, split, row, column, sums); });
}
