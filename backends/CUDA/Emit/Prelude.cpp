//===- Prelude.cpp - What printed kernels call ----------------------------===//
//
// Small functions, each under the name kernels call it by; a text gets those it mentions.
//
//===----------------------------------------------------------------------===//

#include "backends/CUDA/Emit/Prelude.h"

#include "llvm/ADT/StringSet.h"

using namespace hone;

namespace {

/// A definition: it may mention those before it.
struct PreludeRow {
  llvm::StringLiteral name, text;
};

} // namespace

static const PreludeRow kRows[] = {
    {"i8", "using i8 = signed char;\n"},
    {"i16", "using i16 = short;\n"},
    {"i32", "using i32 = int;\n"},
    {"i64", "using i64 = long long;\n"},
    {"u8", "using u8 = unsigned char;\n"},
    {"u16", "using u16 = unsigned short;\n"},
    {"u32", "using u32 = unsigned int;\n"},
    {"u64", "using u64 = unsigned long long;\n"},
    {"idx", "using idx = long long;\n"},
    {"f16", R"(
// IEEE binary16: storage, and conversions that round to nearest even.
struct f16 {
  u16 bits;
  f16() = default;
  __device__ explicit f16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  __device__ explicit f16(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
  template <typename T> __device__ explicit f16(T x) : f16((float)x) {}
  __device__ explicit operator float() const {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
  __device__ explicit operator double() const { return (float)*this; }
};
)"},
    {"bf16", R"(
// The upper half of a float: storage, and conversions that round to nearest even.
struct bf16 {
  u16 bits;
  bf16() = default;
  __device__ explicit bf16(float x) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  template <typename T> __device__ explicit bf16(T x) : bf16((float)x) {}
  __device__ explicit operator float() const { return __uint_as_float((u32)bits << 16); }
  __device__ explicit operator double() const { return (float)*this; }
};
)"},
    {"bits_of", R"(
__device__ inline u32 bits_of(float x) { return __float_as_uint(x); }
__device__ inline u64 bits_of(double x) { return (u64)__double_as_longlong(x); }
template <typename Small> __device__ inline u16 bits_of(Small x) { return x.bits; }
)"},
    {"of_bits", R"(
template <typename To, typename Bits> __device__ inline To of_bits(Bits bits) {
  static_assert(sizeof(To) == sizeof(Bits), "bits are kept");
  To x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}
)"},
    {"fma_small", R"(
__device__ inline f16 fma_small(f16 a, f16 b, f16 c) {
  f16 r;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return r;
}
__device__ inline bf16 fma_small(bf16 a, bf16 b, bf16 c) {
  bf16 r;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return r;
}
)"},
    {"maximum", R"(
// The larger one; NaN when one is NaN, and -0 < +0.
__device__ inline float maximum(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline double maximum(double a, double b) {
  return a != a || b != b ? a + b : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
)"},
    {"minimum", R"(
__device__ inline float minimum(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline double minimum(double a, double b) {
  return a != a || b != b ? a + b : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
)"},
    {"less_or_greater", R"(
template <typename T> __device__ inline bool less_or_greater(T a, T b) { return a < b || a > b; }
)"},
    {"is_unordered", R"(
template <typename T> __device__ inline bool is_unordered(T a, T b) { return a != a || b != b; }
)"},
    {"ceil_div", R"(
template <typename T> __device__ inline T ceil_div(T a, T b) {
  T q = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}
)"},
    {"floor_div", R"(
template <typename T> __device__ inline T floor_div(T a, T b) {
  T q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
)"},
    {"abs_of", R"(
__device__ inline i32 abs_of(i32 x) { return x < 0 ? (i32)(0u - (u32)x) : x; }
__device__ inline i64 abs_of(i64 x) { return x < 0 ? (i64)(0ull - (u64)x) : x; }
)"},
    {"int_power", R"(
// Powers wrap; a negative exponent leaves 1 / x rounded to zero.
__device__ inline i64 int_power(i64 x, i64 n) {
  if (n < 0)
    return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;
  u64 power = 1;
  for (u64 square = (u64)x; n > 0; n >>= 1, square *= square)
    if (n & 1)
      power *= square;
  return (i64)power;
}
)"},
    {"leading_zeros", R"(
__device__ inline u32 leading_zeros(u8 x) { return __clz(x) - 24; }
__device__ inline u32 leading_zeros(u16 x) { return __clz(x) - 16; }
__device__ inline u32 leading_zeros(u32 x) { return __clz((i32)x); }
__device__ inline u64 leading_zeros(u64 x) { return __clzll((i64)x); }
)"},
    {"trailing_zeros", R"(
__device__ inline u32 trailing_zeros(u8 x) { return __clz((i32)__brev(x | 0x100u)); }
__device__ inline u32 trailing_zeros(u16 x) { return __clz((i32)__brev(x | 0x10000u)); }
__device__ inline u32 trailing_zeros(u32 x) { return __clz((i32)__brev(x)); }
__device__ inline u64 trailing_zeros(u64 x) { return __clzll((i64)__brevll(x)); }
)"},
    {"count_ones", R"(
__device__ inline u32 count_ones(u32 x) { return __popc(x); }
__device__ inline u64 count_ones(u64 x) { return __popcll(x); }
)"},
    {"mul_high", R"(
// The upper half of a product.
__device__ inline u32 mul_high(u32 a, u32 b) { return __umulhi(a, b); }
__device__ inline i32 mul_high(i32 a, i32 b) { return __mulhi(a, b); }
__device__ inline u64 mul_high(u64 a, u64 b) { return __umul64hi(a, b); }
__device__ inline i64 mul_high(i64 a, i64 b) { return __mul64hi(a, b); }
__device__ inline u16 mul_high(u16 a, u16 b) { return (u16)(((u32)a * b) >> 16); }
__device__ inline i16 mul_high(i16 a, i16 b) { return (i16)(((i32)a * b) >> 16); }
__device__ inline u8 mul_high(u8 a, u8 b) { return (u8)(((u32)a * b) >> 8); }
__device__ inline i8 mul_high(i8 a, i8 b) { return (i8)(((i32)a * b) >> 8); }
)"},
    {"shuffle_xor", R"(
// A value of another lane of the warp, all of whose lanes are here.
template <typename T> __device__ inline T shuffle_xor(T x, i32 offset, i32 width = 32) {
  return __shfl_xor_sync(~0u, x, offset, width);
}
)"},
    {"shuffle_down", R"(
template <typename T> __device__ inline T shuffle_down(T x, i32 offset, i32 width = 32) {
  return __shfl_down_sync(~0u, x, offset, width);
}
)"},
    {"shuffle_up", R"(
template <typename T> __device__ inline T shuffle_up(T x, i32 offset, i32 width = 32) {
  return __shfl_up_sync(~0u, x, offset, width);
}
)"},
    {"shuffle_idx", R"(
template <typename T> __device__ inline T shuffle_idx(T x, i32 lane, i32 width = 32) {
  return __shfl_sync(~0u, x, lane, width);
}
)"},
    {"warp_reduce", R"(
// Combines the values of every group of `lanes` neighbouring lanes; all of them get the result.
template <i32 lanes, typename T, typename Combine> __device__ inline T warp_reduce(T x, Combine combine) {
#pragma unroll
  for (i32 offset = lanes / 2; offset > 0; offset /= 2)
    x = combine(x, shuffle_xor(x, offset));
  return x;
}
)"},
    {"Pack", R"(
// Elements that move as one: sixteen bytes where it does not say.
template <typename Element, i32 size = 16 / sizeof(Element)> struct alignas(size * sizeof(Element)) Pack {
  static constexpr i32 count = size;
  Element elements[size];
};
)"},

// Templates of kernel families, from files of their own.
#include "backends/CUDA/Emit/Library.inc"
};

std::string cuda::preludeOf(llvm::StringRef kernels) {
  llvm::StringSet<> mentioned;
  auto mention = [&](llvm::StringRef word) { mentioned.insert(word); };
  forEachIdentifier(kernels, mention);
  bool used[std::size(kRows)] = {};
  for (size_t i = std::size(kRows); i-- > 0;) {
    used[i] = mentioned.contains(kRows[i].name);
    if (used[i])
      forEachIdentifier(kRows[i].text, mention);
  }
  std::string text;
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (used[i])
      text += kRows[i].text.str();
  return text;
}
