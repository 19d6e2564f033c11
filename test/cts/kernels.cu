//===- kernels.cu - The suite's kernels for NVIDIA GPUs -------------------===//
//
// The same as kernels.c: one workgroup of 64 threads computes 64 elements.
//
//===----------------------------------------------------------------------===//

typedef long long i64;

#define KERNEL extern "C" __global__ void __launch_bounds__(64)
#define ELEMENT (i64(blockIdx.x) * 64 + threadIdx.x)

KERNEL add(const float *a, const float *b, float *out, i64 n) {
  if (ELEMENT < n)
    out[ELEMENT] = a[ELEMENT] + b[ELEMENT];
}

KERNEL mul_scalar(const float *a, float *out, i64 n, i64 factor) {
  if (ELEMENT < n)
    out[ELEMENT] = a[ELEMENT] * float(factor);
}

#define MANY(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) \
  X(18) X(19) X(20) X(21) X(22) X(23)
#define PARAMETER(j) const float *a##j,
#define SUM(j) sum += a##j[ELEMENT];
KERNEL sum_many(MANY(PARAMETER) float *out, i64 n) {
  if (ELEMENT >= n)
    return;
  float sum = 0;
  MANY(SUM)
  out[ELEMENT] = sum;
}

#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define SCALAR(j) , i64 s##j
#define STORE(j) *out++ = s##j;
KERNEL store_scalars(i64 *out EIGHT(SCALAR, 1) EIGHT(SCALAR, 2)) {
  if (threadIdx.x == 0) {
    EIGHT(STORE, 1)
    EIGHT(STORE, 2)
  }
}

KERNEL store_many_scalars(i64 *out EIGHT(SCALAR, 1) EIGHT(SCALAR, 2) EIGHT(SCALAR, 3) EIGHT(SCALAR, 4) EIGHT(SCALAR, 5)) {
  if (threadIdx.x == 0) {
    EIGHT(STORE, 1)
    EIGHT(STORE, 2)
    EIGHT(STORE, 3)
    EIGHT(STORE, 4)
    EIGHT(STORE, 5)
  }
}

// Every workgroup counts itself: a grid that is cut or doubled shows.
KERNEL count_groups(int *out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] += 1;
}

KERNEL increment(int *x, i64 n) {
  if (ELEMENT < n)
    x[ELEMENT] += 1;
}

KERNEL reverse_bytes(const signed char *a, signed char *out, i64 n) {
  if (ELEMENT < n)
    out[ELEMENT] = a[n - 1 - ELEMENT];
}

KERNEL group_sums(const int *a, int *out, i64 n) {
  __shared__ int values[64];
  values[threadIdx.x] = ELEMENT < n ? a[ELEMENT] : 0;
  __syncthreads();
  for (int distance = 32; distance; distance /= 2) {
    if (threadIdx.x < distance)
      values[threadIdx.x] += values[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = values[0];
}

KERNEL nonzero(const float *a, i64 *count, i64 *indices, i64 n) {
  if (threadIdx.x)
    return;
  i64 found = 0;
  for (i64 i = 0; i < n; ++i)
    if (a[i] != 0)
      indices[found++] = i;
  *count = found;
}

KERNEL double_step(i64 *value, unsigned char *go_on, i64 limit) {
  if (threadIdx.x)
    return;
  *value *= 2;
  *go_on = *value < limit;
}
