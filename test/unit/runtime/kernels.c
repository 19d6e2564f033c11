//===- kernels.c - What the tests launch -===//
//
// Compiled as the compiler's are: position-independent, linked with -shared, imports left undefined.
//
//===----------------------------------------------------------------------===//
#define GROUP 16
#include "test/cts/kernels.h"

float expf(float);
double log1p(double);
float roundevenf(float);
void *memset(void *, int, unsigned long);

KERNEL(math) {
  const float *a = (const float *)buffers[0];
  float *out = (float *)buffers[1];
  FOR_ELEMENTS(i) { out[i] = expf(a[i]) + (float)log1p(a[i]) + roundevenf(a[i]); }
}

// Through a table of pointers: needs relative relocations.
static const float kOne = 1.0f, kTwo = 2.0f;
static const float *const kTable[2] = {&kOne, &kTwo};
KERNEL(from_table) {
  float *out = (float *)buffers[0];
  FOR_ELEMENTS(i) out[i] = *kTable[scalars[1] & 1];
}

// Counts every workgroup; an empty range sets a mark that never goes away.
KERNEL(count_groups) {
  int32_t *out = (int32_t *)buffers[0];
  if (begin >= end)
    out[0] = -1000000;
  for (i64 i = begin; i < end; ++i)
    __atomic_fetch_add(&out[i], 1, __ATOMIC_RELAXED);
}

// Unequal work: group 0 is much longer than the others.
KERNEL(uneven) {
  float *out = (float *)buffers[0];
  for (i64 i = begin; i < end; ++i) {
    float sum = 0;
    for (i64 n = 0; n < (i ? 10 : 100000); ++n)
      sum = sum * 0.5f + 1.0f;
    out[i] = sum;
  }
}
