// a * b + c, as one operation on floats.
__device__ inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }
template <typename Number> __device__ inline Number multiply_add(Number a, Number b, Number c) { return a * b + c; }

// The tile of a matrix product that starts at `firstRow` and `firstColumn`, summed over the terms from `firstTerm`
// to `lastTerm`: every thread keeps some rows times some columns of it in registers, and all of them bring the
// operands through shared memory, the next ones while these are multiplied. `left(row, term)`, `right(term, column)`
// give elements, `store(row, column, sum)` takes them. Threads that follow each other read along the sums or along
// rows and columns.
template <i32 tileRows, i32 tileColumns, i32 tileDepth, i32 threadRows, i32 threadColumns, bool leftAlongSums,
          bool rightAlongSums, typename Number, typename Row, typename Column, typename Depth, typename Left,
          typename Right, typename Store>
__device__ __forceinline__ void contract_tile(Row rows, Column columns, Depth firstTerm, Depth lastTerm, Row firstRow,
                                              Column firstColumn, Left left, Right right, Store store) {
  constexpr i32 threads = (tileRows / threadRows) * (tileColumns / threadColumns);
  constexpr i32 leftItems = tileRows * tileDepth / threads, rightItems = tileColumns * tileDepth / threads;
  // Rows of shared memory keep their alignment to 16 bytes, and do not all start in one bank.
  constexpr i32 pad = 16 / sizeof(Number) > 0 ? 16 / sizeof(Number) : 1;
  __shared__ __align__(16) Number leftTile[2][tileDepth][tileRows + pad];
  __shared__ __align__(16) Number rightTile[2][tileDepth][tileColumns + pad];
  const i32 thread = threadIdx.x;
  Number leftNext[leftItems], rightNext[rightItems], sums[threadRows][threadColumns] = {};

  auto fetch = [&](Depth first) {
#pragma unroll
    for (i32 i = 0; i < leftItems; ++i) {
      const i32 item = thread + i * threads;
      const Row row = firstRow + (leftAlongSums ? item / tileDepth : item % tileRows);
      const Depth term = first + (leftAlongSums ? item % tileDepth : item / tileRows);
      leftNext[i] = row < rows && term < lastTerm ? left(row, term) : Number();
    }
#pragma unroll
    for (i32 i = 0; i < rightItems; ++i) {
      const i32 item = thread + i * threads;
      const Column column = firstColumn + (rightAlongSums ? item / tileDepth : item % tileColumns);
      const Depth term = first + (rightAlongSums ? item % tileDepth : item / tileColumns);
      rightNext[i] = column < columns && term < lastTerm ? right(term, column) : Number();
    }
  };
  auto put = [&](i32 buffer) {
#pragma unroll
    for (i32 i = 0; i < leftItems; ++i) {
      const i32 item = thread + i * threads;
      leftTile[buffer][leftAlongSums ? item % tileDepth : item / tileRows]
              [leftAlongSums ? item / tileDepth : item % tileRows] = leftNext[i];
    }
#pragma unroll
    for (i32 i = 0; i < rightItems; ++i) {
      const i32 item = thread + i * threads;
      rightTile[buffer][rightAlongSums ? item % tileDepth : item / tileColumns]
               [rightAlongSums ? item / tileDepth : item % tileColumns] = rightNext[i];
    }
  };
  // A thread's rows and columns come in fours that lie beside each other.
  constexpr i32 rowRun = threadRows < 4 ? threadRows : 4, columnRun = threadColumns < 4 ? threadColumns : 4;
  constexpr i32 columnThreads = tileColumns / threadColumns;
  const i32 threadRow = thread / columnThreads * rowRun, threadColumn = thread % columnThreads * columnRun;
  auto rowOf = [&](i32 i) { return i / rowRun * (tileRows / (threadRows / rowRun)) + threadRow + i % rowRun; };
  auto columnOf = [&](i32 i) {
    return i / columnRun * (tileColumns / (threadColumns / columnRun)) + threadColumn + i % columnRun;
  };

  fetch(firstTerm);
  put(0);
  __syncthreads();
  i32 buffer = 0;
  for (Depth first = firstTerm; first < lastTerm; first += tileDepth) {
    const bool more = first + tileDepth < lastTerm;
    if (more)
      fetch(first + tileDepth);
#pragma unroll
    for (i32 d = 0; d < tileDepth; ++d) {
      Number a[threadRows], b[threadColumns];
#pragma unroll
      for (i32 i = 0; i < threadRows; ++i)
        a[i] = leftTile[buffer][d][rowOf(i)];
#pragma unroll
      for (i32 j = 0; j < threadColumns; ++j)
        b[j] = rightTile[buffer][d][columnOf(j)];
#pragma unroll
      for (i32 i = 0; i < threadRows; ++i)
#pragma unroll
        for (i32 j = 0; j < threadColumns; ++j)
          sums[i][j] = multiply_add(a[i], b[j], sums[i][j]);
    }
    buffer ^= 1;
    if (more)
      put(buffer);
    __syncthreads();
  }
#pragma unroll
  for (i32 i = 0; i < threadRows; ++i)
#pragma unroll
    for (i32 j = 0; j < threadColumns; ++j)
      if (firstRow + rowOf(i) < rows && firstColumn + columnOf(j) < columns)
        store(firstRow + rowOf(i), firstColumn + columnOf(j), sums[i][j]);
}

// The part of a batch of matrix products that one workgroup computes: one tile, over one of `splits` parts of its
// sums. Workgroups that follow each other share columns of the right operand.
template <i32 tileRows, i32 tileColumns, i32 tileDepth, i32 threadRows, i32 threadColumns, bool leftAlongSums,
          bool rightAlongSums, typename Number, typename Batch, typename Row, typename Column, typename Depth,
          typename Left, typename Right, typename Store>
__device__ __forceinline__ void contraction(Batch batches, Row rows, Column columns, Depth depth, i32 splits, Left left,
                                            Right right, Store store) {
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
  contract_tile<tileRows, tileColumns, tileDepth, threadRows, threadColumns, leftAlongSums, rightAlongSums, Number>(
      rows, columns, firstTerm, lastTerm, firstRow, firstColumn,
      [&](Row row, Depth term) { return left(batch, row, term); },
      [&](Depth term, Column column) { return right(batch, term, column); },
      [&](Row row, Column column, Number sum) { store(batch, split, row, column, sum); });
}
