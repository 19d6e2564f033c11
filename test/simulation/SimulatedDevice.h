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
inline void ptx_max_NaN_f32(float &d, float a, float b) {
  d = isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
inline void ptx_min_NaN_f32(float &d, float a, float b) {
  d = isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
