//===- kernels.h - Kernels that several tests launch -===//
//
// Compiled as the compiler's kernels are. A test defines GROUP first, the elements of a workgroup.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_CTS_KERNELS_H
#define TEST_CTS_KERNELS_H

#include <stdint.h>

typedef int64_t i64;

#define KERNEL(name) void name(uint8_t *const *buffers, const i64 *scalars, i64 begin, i64 end)

// scalars[0] is the count of elements.
#define FOR_ELEMENTS(i)                                                                                                \
  for (i64 i = begin * GROUP, stop = end * GROUP < scalars[0] ? end * GROUP : scalars[0]; i < stop; ++i)

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

#endif // TEST_CTS_KERNELS_H
