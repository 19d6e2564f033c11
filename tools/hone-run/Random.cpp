//===- Random.cpp - Seeded values for inputs ------------------------------===//
//
// SplitMix64; small float formats get codes of values up to one.
//
//===----------------------------------------------------------------------===//

#include "tools/hone-run/Random.h"

#include <cstring>
#include <unistd.h>

using namespace hone::tools;

namespace {
class SplitMix {
public:
  explicit SplitMix(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  /// In [-1, 1), a multiple of 2^-23: exact in a float.
  double unit() { return static_cast<double>(next() >> 40) * 0x1p-23 - 1.0; }

private:
  uint64_t state;
};
} // namespace

/// The nearest half of a value in [-1, 1], ties away from zero: good enough for inputs.
static uint16_t halfOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  float magnitude = value < 0 ? -value : value;
  if (magnitude < 0x1p-14f)
    return sign | static_cast<uint16_t>(magnitude * 0x1p24f);
  memcpy(&bits, &magnitude, 4);
  return sign | static_cast<uint16_t>(((bits + 0x1000) >> 13) - (112u << 10));
}

static uint64_t randomElement(SplitMix &random, hone_dtype_t dtype) {
  uint64_t bits = 0;
  double value;
  float single;
  switch (dtype) {
  case HONE_DTYPE_F64:
    value = random.unit();
    memcpy(&bits, &value, 8);
    return bits;
  case HONE_DTYPE_F32:
  case HONE_DTYPE_F16:
  case HONE_DTYPE_BF16:
    single = static_cast<float>(random.unit());
    memcpy(&bits, &single, 4);
    return dtype == HONE_DTYPE_F32 ? bits : dtype == HONE_DTYPE_F16 ? halfOf(single) : bits >> 16;
  case HONE_DTYPE_F8E4M3FN:
  case HONE_DTYPE_F8E4M3FNUZ:
  case HONE_DTYPE_F8E5M2:
  case HONE_DTYPE_F8E5M2FNUZ: {
    // Codes up to 0x38 are at most 1 in all four; 0x80 would be NaN in two.
    uint64_t code = random.next() % 0x39;
    return code ? code | (random.next() & 0x80) : 0;
  }
  case HONE_DTYPE_F8E8M0:
    return 124 + random.next() % 4;
  case HONE_DTYPE_I8:
  case HONE_DTYPE_U8:
    return random.next() & 0xff;
  case HONE_DTYPE_U4:
  case HONE_DTYPE_F4E2M1:
    return random.next() & 15;
  case HONE_DTYPE_I4:
    return (random.next() & 15) - 8;
  case HONE_DTYPE_U2:
    return random.next() & 3;
  case HONE_DTYPE_I2:
    return (random.next() & 3) - 2;
  default: // wide integers, bool
    return random.next() & 1;
  }
}

/// Whether the machine could hold so many bytes at all.
static bool fitsMemory(uint64_t bytes) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages <= 0 || page <= 0 || bytes / static_cast<uint64_t>(page) < static_cast<uint64_t>(pages);
}

bool hone::tools::fillRandom(HostTensor &tensor, uint64_t seed) {
  const TypeInfo *type = findType(tensor.dtype);
  uint64_t count;
  if (!type || !countElements(tensor.shape, count) || !fitsMemory(count * type->size))
    return false;
  tensor.data.resize(count * type->size);
  SplitMix random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = randomElement(random, tensor.dtype);
    memcpy(&tensor.data[i * type->size], &bits, type->size);
  }
  return true;
}
