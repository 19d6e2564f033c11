//===- OpTable.cpp - Scalar ops and their C++ -----------------------------===//

#include "backends/CUDA/Emit/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

static constexpr unsigned Integers = Int | Index, Any = Bool | Int | Index, Floats = F16 | BF16 | F32 | F64,
                          Small = F16 | BF16 | F32;

/// Rows of one op stand together; the first that fits counts.
static const OpRow kRows[] = {
    // Integers.
    {"arith.addi", Integers, Add, Yields::Same, "$0 + $1"},
    {"arith.addi", Bool, Equal, Yields::Truth, "$0 != $1"},
    {"arith.subi", Integers, Add, Yields::Same, "$0 - $1"},
    {"arith.subi", Bool, Equal, Yields::Truth, "$0 != $1"},
    {"arith.muli", Integers, Mul, Yields::Same, "$w0 * $1"},
    {"arith.muli", Bool, And, Yields::Truth, "$0 && $1"},
    {"arith.divsi", Any, Mul, Yields::Signed, "$s0 / $s1"},
    {"arith.divui", Any, Mul, Yields::Unsigned, "$u0 / $u1"},
    {"arith.remsi", Any, Mul, Yields::Signed, "$s0 % $s1"},
    {"arith.remui", Any, Mul, Yields::Unsigned, "$u0 % $u1"},
    {"arith.ceildivsi", Any, Primary, Yields::Signed, "ceil_div($s0, $s1)"},
    {"arith.ceildivui", Any, Primary, Yields::Unsigned, "ceil_div($u0, $u1)"},
    {"arith.floordivsi", Any, Primary, Yields::Signed, "floor_div($s0, $s1)"},
    {"arith.andi", Integers, BitAnd, Yields::Same, "$0 & $1"},
    {"arith.andi", Bool, And, Yields::Truth, "$0 && $1"},
    {"arith.ori", Integers, BitOr, Yields::Same, "$0 | $1"},
    {"arith.ori", Bool, Or, Yields::Truth, "$0 || $1"},
    {"arith.xori", Integers, BitXor, Yields::Same, "$0 ^ $1"},
    {"arith.xori", Bool, Equal, Yields::Truth, "$0 != $1"},
    {"arith.shli", Any, Shift, Yields::Same, "$w0 << $u1"},
    {"arith.shrui", Any, Shift, Yields::Unsigned, "$u0 >> $u1"},
    {"arith.shrsi", Any, Shift, Yields::Signed, "$s0 >> $u1"},
    {"arith.minsi", Any, Primary, Yields::Signed, "min($s0, $s1)"},
    {"arith.maxsi", Any, Primary, Yields::Signed, "max($s0, $s1)"},
    {"arith.minui", Any, Primary, Yields::Unsigned, "min($u0, $u1)"},
    {"arith.maxui", Any, Primary, Yields::Unsigned, "max($u0, $u1)"},
    {"math.absi", Any, Primary, Yields::Signed, "abs_of($s0)"},
    {"math.ipowi", Integers, Primary, Yields::Signed, "int_power($s0, $s1)"},
    {"math.ctlz", Integers, Primary, Yields::Unsigned, "leading_zeros($u0)"},
    {"math.cttz", Integers, Primary, Yields::Unsigned, "trailing_zeros($u0)"},
    {"math.ctpop", Integers, Primary, Yields::Unsigned, "count_ones($u0)"},

    // Floats. Arithmetic on f16 and bf16 is that of f32, rounded: 24 bits are enough for +, -, *, / and sqrt.
    {"arith.addf", Floats, Add, Yields::Same, "$f0 + $f1"},
    {"arith.subf", Floats, Add, Yields::Same, "$f0 - $f1"},
    {"arith.mulf", Floats, Mul, Yields::Same, "$f0 * $f1"},
    {"arith.divf", Floats, Mul, Yields::Same, "$f0 / $f1"},
    {"arith.negf", Floats, Unary, Yields::Same, "-$f0"},
    {"arith.remf", Small, Primary, Yields::Same, "fmodf($f0, $f1)"},
    {"arith.remf", F64, Primary, Yields::Same, "fmod($0, $1)"},
    {"arith.maximumf", Floats, Primary, Yields::Same, "maximum($f0, $f1)"},
    {"arith.minimumf", Floats, Primary, Yields::Same, "minimum($f0, $f1)"},
    {"arith.maxnumf", Small, Primary, Yields::Same, "fmaxf($f0, $f1)"},
    {"arith.maxnumf", F64, Primary, Yields::Same, "fmax($0, $1)"},
    {"arith.minnumf", Small, Primary, Yields::Same, "fminf($f0, $f1)"},
    {"arith.minnumf", F64, Primary, Yields::Same, "fmin($0, $1)"},
    {"math.absf", Small, Primary, Yields::Same, "fabsf($f0)"},
    {"math.absf", F64, Primary, Yields::Same, "fabs($0)"},
    {"math.acos", Small, Primary, Yields::Same, "acosf($f0)"},
    {"math.acos", F64, Primary, Yields::Same, "acos($0)"},
    {"math.acosh", Small, Primary, Yields::Same, "acoshf($f0)"},
    {"math.acosh", F64, Primary, Yields::Same, "acosh($0)"},
    {"math.asin", Small, Primary, Yields::Same, "asinf($f0)"},
    {"math.asin", F64, Primary, Yields::Same, "asin($0)"},
    {"math.asinh", Small, Primary, Yields::Same, "asinhf($f0)"},
    {"math.asinh", F64, Primary, Yields::Same, "asinh($0)"},
    {"math.atan", Small, Primary, Yields::Same, "atanf($f0)"},
    {"math.atan", F64, Primary, Yields::Same, "atan($0)"},
    {"math.atan2", Small, Primary, Yields::Same, "atan2f($f0, $f1)"},
    {"math.atan2", F64, Primary, Yields::Same, "atan2($0, $1)"},
    {"math.atanh", Small, Primary, Yields::Same, "atanhf($f0)"},
    {"math.atanh", F64, Primary, Yields::Same, "atanh($0)"},
    {"math.cbrt", Small, Primary, Yields::Same, "cbrtf($f0)"},
    {"math.cbrt", F64, Primary, Yields::Same, "cbrt($0)"},
    {"math.ceil", Small, Primary, Yields::Same, "ceilf($f0)"},
    {"math.ceil", F64, Primary, Yields::Same, "ceil($0)"},
    {"math.clampf", Small, Primary, Yields::Same, "fminf(fmaxf($f0, $f1), $f2)"},
    {"math.clampf", F64, Primary, Yields::Same, "fmin(fmax($0, $1), $2)"},
    {"math.copysign", Small, Primary, Yields::Same, "copysignf($f0, $f1)"},
    {"math.copysign", F64, Primary, Yields::Same, "copysign($0, $1)"},
    {"math.cos", Small, Primary, Yields::Same, "cosf($f0)"},
    {"math.cos", F64, Primary, Yields::Same, "cos($0)"},
    {"math.cosh", Small, Primary, Yields::Same, "coshf($f0)"},
    {"math.cosh", F64, Primary, Yields::Same, "cosh($0)"},
    {"math.erf", Small, Primary, Yields::Same, "erff($f0)"},
    {"math.erf", F64, Primary, Yields::Same, "erf($0)"},
    {"math.erfc", Small, Primary, Yields::Same, "erfcf($f0)"},
    {"math.erfc", F64, Primary, Yields::Same, "erfc($0)"},
    {"math.exp", Small, Primary, Yields::Same, "expf($f0)"},
    {"math.exp", F64, Primary, Yields::Same, "exp($0)"},
    {"math.exp2", Small, Primary, Yields::Same, "exp2f($f0)"},
    {"math.exp2", F64, Primary, Yields::Same, "exp2($0)"},
    {"math.expm1", Small, Primary, Yields::Same, "expm1f($f0)"},
    {"math.expm1", F64, Primary, Yields::Same, "expm1($0)"},
    {"math.floor", Small, Primary, Yields::Same, "floorf($f0)"},
    {"math.floor", F64, Primary, Yields::Same, "floor($0)"},
    {"math.fma", F16 | BF16, Primary, Yields::Exact, "fma_small($0, $1, $2)"},
    {"math.fma", F32, Primary, Yields::Same, "fmaf($0, $1, $2)"},
    {"math.fma", F64, Primary, Yields::Same, "fma($0, $1, $2)"},
    {"math.fpowi", Small, Primary, Yields::Same, "powf($f0, (float)$s1)"},
    {"math.fpowi", F64, Primary, Yields::Same, "pow($0, (double)$s1)"},
    {"math.isfinite", Floats, Primary, Yields::Truth, "isfinite($f0)"},
    {"math.isinf", Floats, Primary, Yields::Truth, "isinf($f0)"},
    {"math.isnan", Floats, Primary, Yields::Truth, "isnan($f0)"},
    {"math.isnormal", F32 | F64, Primary, Yields::Truth, "isnormal($0)"},
    {"math.log", Small, Primary, Yields::Same, "logf($f0)"},
    {"math.log", F64, Primary, Yields::Same, "log($0)"},
    {"math.log10", Small, Primary, Yields::Same, "log10f($f0)"},
    {"math.log10", F64, Primary, Yields::Same, "log10($0)"},
    {"math.log1p", Small, Primary, Yields::Same, "log1pf($f0)"},
    {"math.log1p", F64, Primary, Yields::Same, "log1p($0)"},
    {"math.log2", Small, Primary, Yields::Same, "log2f($f0)"},
    {"math.log2", F64, Primary, Yields::Same, "log2($0)"},
    {"math.powf", Small, Primary, Yields::Same, "powf($f0, $f1)"},
    {"math.powf", F64, Primary, Yields::Same, "pow($0, $1)"},
    {"math.round", Small, Primary, Yields::Same, "roundf($f0)"},
    {"math.round", F64, Primary, Yields::Same, "round($0)"},
    {"math.roundeven", Small, Primary, Yields::Same, "rintf($f0)"},
    {"math.roundeven", F64, Primary, Yields::Same, "rint($0)"},
    {"math.rsqrt", Small, Primary, Yields::Same, "rsqrtf($f0)"},
    {"math.rsqrt", F64, Primary, Yields::Same, "rsqrt($0)"},
    {"math.sin", Small, Primary, Yields::Same, "sinf($f0)"},
    {"math.sin", F64, Primary, Yields::Same, "sin($0)"},
    {"math.sinh", Small, Primary, Yields::Same, "sinhf($f0)"},
    {"math.sinh", F64, Primary, Yields::Same, "sinh($0)"},
    {"math.sqrt", Small, Primary, Yields::Same, "sqrtf($f0)"},
    {"math.sqrt", F64, Primary, Yields::Same, "sqrt($0)"},
    {"math.tan", Small, Primary, Yields::Same, "tanf($f0)"},
    {"math.tan", F64, Primary, Yields::Same, "tan($0)"},
    {"math.tanh", Small, Primary, Yields::Same, "tanhf($f0)"},
    {"math.tanh", F64, Primary, Yields::Same, "tanh($0)"},
    {"math.trunc", Small, Primary, Yields::Same, "truncf($f0)"},
    {"math.trunc", F64, Primary, Yields::Same, "trunc($0)"},

    // Conversions.
    {"arith.extsi", Any, Unary, Yields::Exact, "($T)$s0"},
    {"arith.extui", Any, Unary, Yields::Exact, "($T)$u0"},
    {"arith.trunci", Any, Unary, Yields::Low, "$0"},
    {"arith.index_cast", Any, Unary, Yields::Low, "$s0"},
    {"arith.index_castui", Any, Unary, Yields::Low, "$u0"},
    {"arith.sitofp", Any, Unary, Yields::Exact, "($T)$s0"},
    {"arith.uitofp", Any, Unary, Yields::Exact, "($T)$u0"},
    {"arith.fptosi", Floats, Unary, Yields::Signed, "($S)$f0"},
    {"arith.fptoui", Floats, Unary, Yields::Unsigned, "($U)$f0"},
    {"arith.extf", Floats, Unary, Yields::Exact, "($T)$0"},
    {"arith.truncf", Floats, Unary, Yields::Exact, "($T)$0"},
    {"arith.bitcast", Floats, Primary, Yields::Exact, "bits_of($0)"},
    {"arith.bitcast", Int, Primary, Yields::Exact, "of_bits<$T>($0)"},

    // The rest. Operand 0 of a select is its condition.
    {"arith.select", Bool, Select, Yields::Exact, "$0 ? $1 : $2"},
};

/// In the order of arith::CmpIPredicate.
static const OpRow kIntComparisons[] = {
    {"eq", Any, Equal, Yields::Truth, "$0 == $1"},        {"ne", Any, Equal, Yields::Truth, "$0 != $1"},
    {"slt", Any, Relational, Yields::Truth, "$s0 < $s1"}, {"sle", Any, Relational, Yields::Truth, "$s0 <= $s1"},
    {"sgt", Any, Relational, Yields::Truth, "$s0 > $s1"}, {"sge", Any, Relational, Yields::Truth, "$s0 >= $s1"},
    {"ult", Any, Relational, Yields::Truth, "$u0 < $u1"}, {"ule", Any, Relational, Yields::Truth, "$u0 <= $u1"},
    {"ugt", Any, Relational, Yields::Truth, "$u0 > $u1"}, {"uge", Any, Relational, Yields::Truth, "$u0 >= $u1"},
};

/// In the order of arith::CmpFPredicate. The operators of C++ are false for NaN, but for !=.
static const OpRow kFloatComparisons[] = {
    {"false", Floats, Primary, Yields::Truth, "false"},
    {"oeq", Floats, Equal, Yields::Truth, "$f0 == $f1"},
    {"ogt", Floats, Relational, Yields::Truth, "$f0 > $f1"},
    {"oge", Floats, Relational, Yields::Truth, "$f0 >= $f1"},
    {"olt", Floats, Relational, Yields::Truth, "$f0 < $f1"},
    {"ole", Floats, Relational, Yields::Truth, "$f0 <= $f1"},
    {"one", Floats, Primary, Yields::Truth, "less_or_greater($f0, $f1)"},
    {"ord", Floats, Unary, Yields::Truth, "!is_unordered($f0, $f1)", Primary},
    {"ueq", Floats, Unary, Yields::Truth, "!less_or_greater($f0, $f1)", Primary},
    {"ugt", Floats, Unary, Yields::Truth, "!($f0 <= $f1)", Relational},
    {"uge", Floats, Unary, Yields::Truth, "!($f0 < $f1)", Relational},
    {"ult", Floats, Unary, Yields::Truth, "!($f0 >= $f1)", Relational},
    {"ule", Floats, Unary, Yields::Truth, "!($f0 > $f1)", Relational},
    {"une", Floats, Equal, Yields::Truth, "$f0 != $f1"},
    {"uno", Floats, Primary, Yields::Truth, "is_unordered($f0, $f1)"},
    {"true", Floats, Primary, Yields::Truth, "true"},
};

const OpRow *cuda::findRow(StringRef op, NumberKind kind) {
  static const llvm::StringMap<const OpRow *> firstRows = [] {
    llvm::StringMap<const OpRow *> rows;
    for (const OpRow &row : kRows)
      rows.try_emplace(row.op, &row);
    return rows;
  }();
  for (const OpRow *row = firstRows.lookup(op); row && row != std::end(kRows) && row->op == op; ++row)
    if (row->kinds & kind)
      return row;
  return nullptr;
}

const OpRow &cuda::comparisonRow(Operation *op) {
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return kIntComparisons[static_cast<size_t>(cmp.getPredicate())];
  return kFloatComparisons[static_cast<size_t>(cast<arith::CmpFOp>(op).getPredicate())];
}
