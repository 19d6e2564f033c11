//===- kernels.c - What the tests launch -===//
//
// Compiled as the compiler's are: position-independent, linked with -shared, imports left undefined.
//
//===----------------------------------------------------------------------===//
#include <stdint.h>

typedef int64_t i64;

float expf(float);
double log1p(double);
float roundevenf(float);
void *memset(void *, int, unsigned long);

#define KERNEL(name) void name(uint8_t *const *buffers, const i64 *scalars, i64 begin, i64 end)

// Workgroups of 16 floats; scalars[0] is the count of elements.
#define FOR_ELEMENTS(i) for (i64 i = begin * 16, stop = end * 16 < scalars[0] ? end * 16 : scalars[0]; i < stop; ++i)

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

// Writes the count of positive elements, then their indices.
KERNEL(nonzero) {
  const float *a = (const float *)buffers[0];
  i64 *count = (i64 *)buffers[1], *indices = (i64 *)buffers[2], n = 0;
  for (i64 i = 0; i < scalars[0]; ++i)
    if (a[i] != 0)
      indices[n++] = i;
  *count = n;
}

// One step of a loop: value = value * 2, go on while below the limit.
KERNEL(double_step) {
  i64 *value = (i64 *)buffers[0];
  uint8_t *go_on = buffers[1];
  *value *= 2;
  *go_on = *value < scalars[0];
}
