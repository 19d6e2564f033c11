//===- FloatBits.cpp - 16-bit floats as integers --------------------------===//

#include "passes/Conversion/LoopsToDevice/FloatBits.h"

#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

using namespace mlir;
using namespace hone;
using arith::CmpIPredicate;
using graph_to_linalg::ScalarBuilder;

Value loops_to_device::extendBF16(OpBuilder &builder, Location loc, Value bits) {
  ScalarBuilder s{builder, loc};
  return s.bitcast(s.shl(s.to<arith::ExtUIOp>(bits, builder.getI32Type()), 16), builder.getF32Type());
}

Value loops_to_device::extendF16(OpBuilder &builder, Location loc, Value bits) {
  ScalarBuilder s{builder, loc};
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Value code = s.to<arith::ExtUIOp>(bits, i32);
  Value magnitude = s.andi(code, 0x7fff), sign = s.shl(s.shru(code, 15), 31);
  Value wide = s.shl(magnitude, 13);
  Value normal = s.addi(wide, s.bits(wide, int64_t(127 - 15) << 23));
  Value steps = s.to<arith::UIToFPOp>(magnitude, f32);
  Value tiny = s.bitcast(s.mulf(steps, s.num(steps, 0x1p-24)), i32);
  Value special = s.ori(wide, s.bits(wide, 0x7f800000));
  Value isTiny = s.cmpi(CmpIPredicate::ult, magnitude, s.bits(magnitude, 0x400));
  Value isSpecial = s.cmpi(CmpIPredicate::uge, magnitude, s.bits(magnitude, 0x7c00));
  Value pattern = s.select(isTiny, tiny, s.select(isSpecial, special, normal));
  return s.bitcast(s.ori(pattern, sign), f32);
}

Value loops_to_device::truncateToBF16(OpBuilder &builder, Location loc, Value number) {
  ScalarBuilder s{builder, loc};
  Value pattern = s.bitcast(number, builder.getI32Type());
  Value odd = s.andi(s.shru(pattern, 16), 1);
  Value rounded = s.addi(pattern, s.addi(odd, s.bits(odd, 0x7fff)));
  Value quiet = s.ori(pattern, s.bits(pattern, 0x400000));
  return s.to<arith::TruncIOp>(s.shru(s.select(s.isNaN(number), quiet, rounded), 16), builder.getI16Type());
}

Value loops_to_device::truncateToF16(OpBuilder &builder, Location loc, Value number) {
  ScalarBuilder s{builder, loc};
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Value pattern = s.bitcast(number, i32);
  Value sign = s.andi(s.shru(pattern, 16), 0x8000), magnitude = s.andi(pattern, 0x7fffffff);
  Value shifted = s.subi(magnitude, s.bits(magnitude, int64_t(127 - 15) << 23));
  Value odd = s.andi(s.shru(shifted, 13), 1);
  Value normal = s.shru(s.addi(shifted, s.addi(odd, s.bits(odd, 0xfff))), 13);
  // The last bit of a sum of 1/2 and something small is worth 2^-24, as that of tiny halves.
  Value half = s.num(number, 0.5);
  Value tiny = s.subi(s.bitcast(s.addf(s.bitcast(magnitude, f32), half), i32), s.bitcast(half, i32));
  Value isTiny = s.cmpi(CmpIPredicate::ult, magnitude, s.bits(magnitude, 0x38800000));
  Value isLarge = s.cmpi(CmpIPredicate::uge, magnitude, s.bits(magnitude, 0x477ff000));
  Value isNaN = s.cmpi(CmpIPredicate::ugt, magnitude, s.bits(magnitude, 0x7f800000));
  Value code = s.select(isTiny, tiny, s.select(isLarge, s.bits(normal, 0x7c00), normal));
  code = s.ori(s.select(isNaN, s.bits(code, 0x7e00), code), sign);
  return s.to<arith::TruncIOp>(code, builder.getI16Type());
}
