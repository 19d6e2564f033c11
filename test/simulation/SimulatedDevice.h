//===- SimulatedDevice.h - What CUDA C++ has without a header ---*- C++ -*-===//
//
// Included before kernels that are compiled for this processor. Workgroups run one after the other;
// threads that meet are fibers which take turns wherever they wait.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static
#define __launch_bounds__(...)

using std::isfinite;
using std::isinf;
using std::isnan;
using std::isnormal;
using std::signbit;

struct Dim3 {
  unsigned x = 0, y = 0, z = 0;
};
inline Dim3 threadIdx, blockIdx, blockDim{1, 1, 1}, gridDim{1, 1, 1};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace simulation {

constexpr unsigned kMaxThreads = 1024, kLanes = 32, kStackBytes = 64 << 10;

using Work = void (*)(void *);
template <typename T> void callWork(void *work) { (*static_cast<T *>(work))(); }

/// One meeting point: of all threads, or of one warp. Generation counts complete meetings.
struct Meeting {
  unsigned members = 0, arrived = 0, generation = 0;
};

struct Fiber {
  ucontext_t context;
  bool done = false;
  const Meeting *waiting = nullptr;
  unsigned generation = 0;
  unsigned char slot[64]; ///< what it shows to its warp
};

struct Workgroup {
  Fiber fibers[kMaxThreads];
  unsigned char *stacks = nullptr;
  ucontext_t scheduler;
  Meeting all, warps[kMaxThreads / kLanes];
  unsigned current = 0, threads = 0;
  Work work;
  void *argument;
};
inline Workgroup group;

inline void trampoline() {
  group.work(group.argument);
  group.fibers[group.current].done = true;
  swapcontext(&group.fibers[group.current].context, &group.scheduler);
}

/// Waits until all members of `meeting` have come.
inline void meet(Meeting &meeting) {
  Fiber &fiber = group.fibers[group.current];
  fiber.generation = meeting.generation;
  if (++meeting.arrived == meeting.members) {
    meeting.arrived = 0;
    ++meeting.generation;
    return;
  }
  fiber.waiting = &meeting;
  swapcontext(&fiber.context, &group.scheduler);
}

inline void runFibers(unsigned threads) {
  if (!group.stacks)
    group.stacks = static_cast<unsigned char *>(malloc(size_t(kMaxThreads) * kStackBytes));
  group.threads = threads;
  group.all = {threads, 0, 0};
  for (unsigned w = 0; w * kLanes < threads; ++w)
    group.warps[w] = {threads - w * kLanes < kLanes ? threads - w * kLanes : kLanes, 0, 0};
  for (unsigned t = 0; t < threads; ++t) {
    Fiber &fiber = group.fibers[t];
    fiber.done = false;
    fiber.waiting = nullptr;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = group.stacks + size_t(t) * kStackBytes;
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, trampoline, 0);
  }
  for (unsigned left = threads; left;) {
    bool progress = false;
    for (unsigned t = 0; t < threads; ++t) {
      Fiber &fiber = group.fibers[t];
      if (fiber.done || (fiber.waiting && fiber.waiting->generation == fiber.generation))
        continue;
      fiber.waiting = nullptr;
      group.current = t;
      threadIdx.x = t;
      swapcontext(&group.scheduler, &fiber.context);
      left -= fiber.done;
      progress = true;
    }
    if (!progress) {
      fprintf(stderr, "simulated device: threads wait for threads that have ended\n");
      abort();
    }
  }
}

inline void runGrid(unsigned threads, long long begin, long long end, bool meet, Work work, void *argument) {
  blockDim.x = threads;
  gridDim.x = static_cast<unsigned>(end);
  group.work = work;
  group.argument = argument;
  for (long long block = begin; block < end; ++block) {
    blockIdx.x = static_cast<unsigned>(block);
    if (meet) {
      runFibers(threads);
      continue;
    }
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
      work(argument);
  }
}

inline Meeting &warp() { return group.warps[group.current / kLanes]; }

/// Shows `mine` to the warp and returns what lane `lane` shows.
template <typename T> T exchange(const T &mine, unsigned lane) {
  static_assert(sizeof(T) <= sizeof(Fiber::slot), "slots are small");
  memcpy(group.fibers[group.current].slot, &mine, sizeof(T));
  meet(warp());
  T theirs;
  memcpy(&theirs, group.fibers[group.current / kLanes * kLanes + lane % kLanes].slot, sizeof(T));
  meet(warp());
  return theirs;
}

/// What all lanes of the warp show.
template <typename T> void exchangeAll(const T &mine, T *all) {
  memcpy(group.fibers[group.current].slot, &mine, sizeof(T));
  meet(warp());
  for (unsigned lane = 0; lane < kLanes; ++lane)
    memcpy(&all[lane], group.fibers[group.current / kLanes * kLanes + lane].slot, sizeof(T));
  meet(warp());
}

inline unsigned laneOf(unsigned thread) { return thread % kLanes; }

} // namespace simulation

inline void __syncthreads() { simulation::meet(simulation::group.all); }
inline void __syncwarp(unsigned = ~0u) { simulation::meet(simulation::warp()); }

template <typename T> T __shfl_sync(unsigned, T x, int lane, int width = 32) {
  unsigned own = simulation::laneOf(threadIdx.x);
  return simulation::exchange(x, own / width * width + lane % width);
}
template <typename T> T __shfl_xor_sync(unsigned, T x, int offset, int width = 32) {
  unsigned own = simulation::laneOf(threadIdx.x), other = own ^ offset;
  return simulation::exchange(x, other / width == own / width ? other : own);
}
template <typename T> T __shfl_down_sync(unsigned, T x, int offset, int width = 32) {
  unsigned own = simulation::laneOf(threadIdx.x), other = own + offset;
  return simulation::exchange(x, other / width == own / width ? other : own);
}
template <typename T> T __shfl_up_sync(unsigned, T x, int offset, int width = 32) {
  unsigned own = simulation::laneOf(threadIdx.x);
  return simulation::exchange(x, own % width >= unsigned(offset) ? own - offset : own);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

inline int min(int a, int b) { return a < b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline float min(float a, float b) { return fminf(a, b); }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
inline float max(float a, float b) { return fmaxf(a, b); }

inline float rsqrtf(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline unsigned __float_as_uint(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}
inline long long __double_as_longlong(double x) {
  long long bits;
  memcpy(&bits, &x, 8);
  return bits;
}
inline double __longlong_as_double(long long bits) {
  double x;
  memcpy(&x, &bits, 8);
  return x;
}
inline float __double2float_rz(double x) {
  float y = static_cast<float>(x);
  return std::fabs(static_cast<double>(y)) > std::fabs(x) && !isinf(x) ? std::nextafterf(y, 0) : y;
}
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
inline unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (static_cast<unsigned long long>(a) * b) >> 32; }
inline int __mulhi(int a, int b) { return (static_cast<long long>(a) * b) >> 32; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (static_cast<unsigned __int128>(a) * b) >> 64;
}
inline long long __mul64hi(long long a, long long b) { return (static_cast<__int128>(a) * b) >> 64; }

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

inline unsigned short ptx_half(double x) {
  _Float16 h = static_cast<_Float16>(x);
  unsigned short bits;
  memcpy(&bits, &h, 2);
  return bits;
}
inline float ptx_float(unsigned short bits) {
  _Float16 h;
  memcpy(&h, &bits, 2);
  return h;
}
inline unsigned short ptx_bfloat(float x) {
  unsigned bits = __float_as_uint(x);
  if (isnan(x))
    return 0x7fff;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}
inline void ptx_cvt_rn_f16_f32(unsigned short &d, float a) {
  _Float16 h = static_cast<_Float16>(a);
  memcpy(&d, &h, 2);
}
inline void ptx_cvt_rn_f16_f64(unsigned short &d, double a) { d = ptx_half(a); }
inline void ptx_cvt_f32_f16(float &d, unsigned short a) { d = ptx_float(a); }
inline void ptx_cvt_rn_bf16_f32(unsigned short &d, float a) { d = ptx_bfloat(a); }
inline void ptx_fma_rn_f16(unsigned short &d, unsigned short a, unsigned short b, unsigned short c) {
  d = ptx_half(std::fma(double(ptx_float(a)), double(ptx_float(b)), double(ptx_float(c))));
}
inline void ptx_cvt_rna_tf32_f32(unsigned &d, float a) {
  // To nearest, ties away from zero.
  unsigned bits = __float_as_uint(a);
  d = isnan(a) || isinf(a) ? bits : (bits + 0x1000) & ~0x1fffu;
}
inline void ptx_max_NaN_f32(float &d, float a, float b) {
  d = isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
inline void ptx_min_NaN_f32(float &d, float a, float b) {
  d = isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

//===----------------------------------------------------------------------===//
// Copies and tensor cores. Addresses in shared memory are distances from an anchor.
//===----------------------------------------------------------------------===//

namespace simulation {
inline unsigned char anchor;
inline unsigned char *shared(unsigned address) { return &anchor + static_cast<int>(address); }
} // namespace simulation

inline size_t __cvta_generic_to_shared(const void *p) {
  return static_cast<unsigned>(static_cast<const unsigned char *>(p) - &simulation::anchor);
}
inline void ptx_cp_async_cg_shared_global(unsigned to, const void *from, unsigned bytes) {
  if (reinterpret_cast<uintptr_t>(from) % 16 || reinterpret_cast<uintptr_t>(simulation::shared(to)) % 16) {
    fprintf(stderr, "simulated device: a copy of 16 bytes is not aligned\n");
    abort();
  }
  memset(simulation::shared(to), 0, 16);
  memcpy(simulation::shared(to), from, bytes);
}
inline void ptx_cp_async_commit_group() {}
inline void ptx_cp_async_wait_group(int) {}

namespace simulation {
/// Register `r` of each lane from four matrices of eight rows, whose addresses the lanes give.
inline void loadMatrices(unsigned *r, unsigned address, bool transposed) {
  unsigned addresses[kLanes], lane = laneOf(threadIdx.x);
  exchangeAll(address, addresses);
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    unsigned short pair[2];
    for (unsigned i = 0; i < 2; ++i) {
      unsigned row = lane / 4, column = lane % 4 * 2 + i;
      if (transposed)
        std::swap(row, column);
      memcpy(&pair[i], shared(addresses[matrix * 8 + row]) + column * 2, 2);
    }
    memcpy(&r[matrix], pair, 4);
  }
  // Nobody overwrites what another lane still reads.
  meet(warp());
}

struct Fragment {
  unsigned a[4], b[2];
};
/// c += a * b, 16 x 8, over terms of which a register holds `per`.
template <typename Get> void multiply(float *c, const Fragment &mine, unsigned per, Get get) {
  Fragment all[kLanes];
  exchangeAll(mine, all);
  unsigned lane = laneOf(threadIdx.x);
  for (unsigned q = 0; q < 4; ++q) {
    unsigned row = lane / 4 + q / 2 * 8, column = lane % 4 * 2 + q % 2;
    float sum = c[q];
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned t = 0; t < 4; ++t)
        for (unsigned e = 0; e < per; ++e)
          sum += get(all[row % 8 * 4 + t].a[half * 2 + row / 8], e) * get(all[column * 4 + t].b[half], e);
    c[q] = sum;
  }
}
inline float halfOf(unsigned bits, unsigned e) { return ptx_float(bits >> (16 * e)); }
inline float bfloatOf(unsigned bits, unsigned e) { return __uint_as_float(bits >> (16 * e) << 16); }
inline float floatOf(unsigned bits, unsigned) { return __uint_as_float(bits); }
} // namespace simulation

#define HONE_MULTIPLY(name, per, get)                                                                                  \
  inline void name(float &c0, float &c1, float &c2, float &c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3,     \
                   unsigned b0, unsigned b1) {                                                                         \
    float c[4] = {c0, c1, c2, c3};                                                                                     \
    simulation::multiply(c, {{a0, a1, a2, a3}, {b0, b1}}, per, get);                                                   \
    c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];                                                                        \
  }
HONE_MULTIPLY(ptx_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32, 2, simulation::halfOf)
HONE_MULTIPLY(ptx_mma_sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32, 2, simulation::bfloatOf)
HONE_MULTIPLY(ptx_mma_sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32, 1, simulation::floatOf)

inline void ptx_ldmatrix_sync_aligned_m8n8_x4_shared_b16(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3,
                                                         unsigned address) {
  unsigned r[4];
  simulation::loadMatrices(r, address, false);
  r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
}
inline void ptx_ldmatrix_sync_aligned_m8n8_x4_trans_shared_b16(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3,
                                                               unsigned address) {
  unsigned r[4];
  simulation::loadMatrices(r, address, true);
  r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
}
