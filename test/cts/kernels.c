//===- kernels.c - The suite's kernels for processors -===//
//
// One workgroup computes 64 elements. Compiled as the compiler's kernels are.
//
//===----------------------------------------------------------------------===//
#define GROUP 64
#include "test/cts/kernels.h"

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
