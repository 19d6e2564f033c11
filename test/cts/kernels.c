//===- kernels.c - The suite's kernels for processors -===//
//
// One workgroup computes 64 elements. Compiled as the compiler's kernels are.
//
//===----------------------------------------------------------------------===//
#include <stdint.h>

typedef int64_t i64;

#define KERNEL(name) void name(uint8_t *const *buffers, const i64 *scalars, i64 begin, i64 end)

// scalars[0] is the count of elements.
#define FOR_ELEMENTS(i) for (i64 i = begin * 64, stop = end * 64 < scalars[0] ? end * 64 : scalars[0]; i < stop; ++i)

KERNEL(add) {
  const float *a = (const float *)buffers[0], *b = (const float *)buffers[1];
  float *out = (float *)buffers[2];
  FOR_ELEMENTS(i) out[i] = a[i] + b[i];
}

KERNEL(mul_scalar) {
  const float *a = (const float *)buffers[0];
  float *out = (float *)buffers[1];
  FOR_ELEMENTS(i) out[i] = a[i] * (float)scalars[1];
}

// 24 inputs.
KERNEL(sum_many) {
  float *out = (float *)buffers[24];
  FOR_ELEMENTS(i) {
    float sum = 0;
    for (int j = 0; j < 24; ++j)
      sum += ((const float *)buffers[j])[i];
    out[i] = sum;
  }
}

KERNEL(store_scalars) {
  for (int j = 0; j < 16; ++j)
    ((i64 *)buffers[0])[j] = scalars[j];
}

KERNEL(store_many_scalars) {
  for (int j = 0; j < 40; ++j)
    ((i64 *)buffers[0])[j] = scalars[j];
}

// Every workgroup counts itself: a grid that is cut or doubled shows.
KERNEL(count_groups) {
  int32_t *out = (int32_t *)buffers[0];
  for (i64 i = begin; i < end; ++i)
    out[i] += 1;
}

KERNEL(increment) {
  int32_t *x = (int32_t *)buffers[0];
  FOR_ELEMENTS(i) x[i] += 1;
}

KERNEL(reverse_bytes) {
  const int8_t *a = (const int8_t *)buffers[0];
  int8_t *out = (int8_t *)buffers[1];
  FOR_ELEMENTS(i) out[i] = a[scalars[0] - 1 - i];
}

// The sum of each workgroup's elements.
KERNEL(group_sums) {
  const int32_t *a = (const int32_t *)buffers[0];
  int32_t *out = (int32_t *)buffers[1];
  for (i64 group = begin; group < end; ++group) {
    int32_t sum = 0;
    for (i64 i = group * 64; i < group * 64 + 64 && i < scalars[0]; ++i)
      sum += a[i];
    out[group] = sum;
  }
}

// The number of elements that are not zero, and where they are.
KERNEL(nonzero) {
  const float *a = (const float *)buffers[0];
  i64 *count = (i64 *)buffers[1], *indices = (i64 *)buffers[2], n = 0;
  for (i64 i = 0; i < scalars[0]; ++i)
    if (a[i] != 0)
      indices[n++] = i;
  *count = n;
}

// One step of a loop: doubles the value, and says whether it is below the limit.
KERNEL(double_step) {
  i64 *value = (i64 *)buffers[0];
  uint8_t *go_on = buffers[1];
  *value *= 2;
  *go_on = *value < scalars[0];
}
