//===- Features.cpp - What this processor can do --------------------------===//
//
// x86: cpuid, and xgetbv for what the operating system saves. AArch64: the
// kernel's hardware capabilities. A feature the system does not support counts
// as missing.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cpu/Features.h"

#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

using namespace hone::cpu;

#if defined(__x86_64__)

namespace {
enum Register : uint8_t { EAX, EBX, ECX, EDX };
/// What the operating system must save for a feature to be usable.
enum State : uint8_t { None, Ymm, Zmm, Tile };
struct FeatureRow {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  State state;
};
} // namespace

static constexpr FeatureRow kFeatures[] = {
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"adx", 7, 0, EBX, 19, None},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"amx-fp16", 7, 1, EAX, 21, Tile},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    // What every x86-64 of today has; last, because nobody wants to read it.
    {"x87", 1, 0, EDX, 0, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"cmov", 1, 0, EDX, 15, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"sse", 1, 0, EDX, 25, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"xsave", 1, 0, ECX, 26, None},
    {"rdrnd", 1, 0, ECX, 30, None},
    {"fsgsbase", 7, 0, EBX, 0, None},
    {"rdseed", 7, 0, EBX, 18, None},
    {"sha", 7, 0, EBX, 29, None},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"prfchw", 0x80000001, 0, ECX, 8, None},
};
static_assert(sizeof(kFeatures) / sizeof(kFeatures[0]) <= 64);

const char *hone::cpu::architecture() { return "x86-64"; }

static uint64_t savedState() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

/// Linux hands tile registers out on request only, once for the process.
static bool requestTiles() {
#if defined(__linux__) && defined(SYS_arch_prctl)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

Features Features::detect() {
  constexpr uint64_t kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;
  uint64_t saved = savedState();
  bool usable[4] = {true, (saved & kYmm) == kYmm, (saved & kZmm) == kZmm, false};
  bool tilesAsked = false;
  Features features;
  for (size_t i = 0; i < sizeof(kFeatures) / sizeof(kFeatures[0]); ++i) {
    const FeatureRow &row = kFeatures[i];
    unsigned regs[4];
    if (!__get_cpuid_count(row.leaf, row.subleaf, &regs[0], &regs[1], &regs[2], &regs[3]) ||
        !(regs[row.reg] >> row.bit & 1))
      continue;
    if (row.state == Tile && !tilesAsked) {
      tilesAsked = true;
      usable[Tile] = (saved & kTiles) == kTiles && requestTiles();
    }
    if (usable[row.state])
      features.bits |= uint64_t(1) << i;
  }
  return features;
}

#elif defined(__aarch64__)

namespace {
struct FeatureRow {
  const char *name;
  uint8_t word; // AT_HWCAP or AT_HWCAP2
  uint8_t bit;
};
} // namespace

static constexpr FeatureRow kFeatures[] = {
    {"fp-armv8", 0, 0}, {"neon", 0, 1},      {"aes", 0, 3},      {"sha2", 0, 6},    {"crc", 0, 7},
    {"lse", 0, 8},      {"fullfp16", 0, 10}, {"rdm", 0, 12},     {"jsconv", 0, 13}, {"complxnum", 0, 14},
    {"rcpc", 0, 15},    {"sha3", 0, 17},     {"dotprod", 0, 20}, {"sve", 0, 22},    {"fp16fml", 0, 23},
    {"sve2", 1, 1},     {"i8mm", 1, 13},     {"bf16", 1, 14},    {"sme", 1, 23},
};

const char *hone::cpu::architecture() { return "aarch64"; }

Features Features::detect() {
  Features features;
#if defined(__linux__)
  unsigned long words[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
#else
  unsigned long words[2] = {3, 0}; // every AArch64 has NEON
#endif
  for (size_t i = 0; i < sizeof(kFeatures) / sizeof(kFeatures[0]); ++i)
    if (words[kFeatures[i].word] >> kFeatures[i].bit & 1)
      features.bits |= uint64_t(1) << i;
  return features;
}

#else
#error "the CPU driver knows x86-64 and AArch64"
#endif

bool Features::has(const char *name) const {
  for (size_t i = 0; i < sizeof(kFeatures) / sizeof(kFeatures[0]); ++i)
    if (!strcmp(kFeatures[i].name, name))
      return bits >> i & 1;
  return false;
}

void Features::print(char *text, size_t size) const {
  size_t used = 0;
  if (size)
    *text = 0;
  for (size_t i = 0; i < sizeof(kFeatures) / sizeof(kFeatures[0]); ++i)
    if (bits >> i & 1 && used < size)
      used += snprintf(text + used, size - used, "%s%s", used ? " " : "", kFeatures[i].name);
}
