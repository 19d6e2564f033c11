//===- Expressions.cpp - Scalar ops as CUDA C++ ---------------------------===//

#include "backends/CUDA/Emit/Expressions.h"

#include "backends/CUDA/Emit/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace hone;
using namespace hone::cuda;

std::optional<NumberKind> cuda::numberKind(Type type) {
  if (isa<IndexType>(type))
    return Index;
  if (type.isF16())
    return F16;
  if (type.isBF16())
    return BF16;
  if (type.isF32())
    return F32;
  if (type.isF64())
    return F64;
  if (type.isInteger(1))
    return Bool;
  if (type.isSignlessInteger() && llvm::is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth()))
    return Int;
  return std::nullopt;
}

std::string cuda::typeName(Type type, unsigned indexBits) {
  std::optional<NumberKind> kind = numberKind(type);
  if (!kind)
    return "";
  switch (*kind) {
  case Bool:
    return "bool";
  case Int:
    return "u" + std::to_string(type.getIntOrFloatBitWidth());
  case Index:
    return indexBits == 32 ? "i32" : "idx";
  case F16:
    return "f16";
  case BF16:
    return "bf16";
  case F32:
    return "float";
  case F64:
    return "double";
  }
  return "";
}

/// f16 and bf16, which are computed with as f32.
static bool isSmallFloat(Type type) { return type.isF16() || type.isBF16(); }

/// The signed or unsigned integer type of the width of `type`; a bool counts as 32 bits.
static std::string integerName(Type type, bool isSigned, unsigned indexBits) {
  unsigned width = isa<IndexType>(type) ? indexBits : type.getIntOrFloatBitWidth();
  return (isSigned ? "i" : "u") + std::to_string(width == 1 ? 32 : width);
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

static Expression intLiteral(const APInt &value, Type type, bool asSigned, bool typed, unsigned indexBits) {
  unsigned width = value.getBitWidth();
  if (width == 1)
    return {value.isOne() ? "true" : "false", Primary};
  bool isIndex = isa<IndexType>(type), negative = asSigned && value.isNegative();
  if (negative && value.isMinSignedValue() && width == 64)
    return {"(-9223372036854775807ll - 1)", Primary};
  SmallString<32> digits;
  (negative ? value.abs() : value).toString(digits, 10, /*Signed=*/false);
  std::string text = (negative ? "-" : "") + digits.str().str();
  if (isIndex ? typed && indexBits == 64 : width == 64)
    text += asSigned ? "ll" : "ull";
  else if (width == 32 && !asSigned)
    text += "u";
  else if (width < 32 && typed)
    return {"(" + integerName(type, asSigned, indexBits) + ")" + text, Unary};
  return {text, negative ? Unary : Primary};
}

static Expression floatLiteral(const APFloat &value, Type type) {
  bool wide = type.isF64();
  if (!value.isFinite()) {
    APInt bits = value.bitcastToAPInt();
    SmallString<24> digits;
    bits.toString(digits, 16, /*Signed=*/false, /*formatAsCLiteral=*/true);
    return {"of_bits<" + typeName(type, 64) + ">((u" + std::to_string(bits.getBitWidth()) + ")" + digits.str().str() +
                (wide ? "ull)" : "u)"),
            Primary};
  }
  APFloat number = value;
  bool lost;
  number.convert(wide ? APFloat::IEEEdouble() : APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  double exact = wide ? number.convertToDouble() : number.convertToFloat();
  // The shortest digits that give the number back.
  std::string text;
  for (int digits = wide ? 15 : 6; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, exact);
    double back = wide ? std::strtod(text.c_str(), nullptr) : std::strtof(text.c_str(), nullptr);
    if (back == exact)
      break;
  }
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  text += wide ? "" : "f";
  if (isSmallFloat(type))
    return {"(" + typeName(type, 64) + ")" + text, Unary};
  return {text, text[0] == '-' ? Unary : Primary};
}

Expression cuda::literal(Attribute value, Type type, bool asSigned, bool typed, unsigned indexBits) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return floatLiteral(number.getValue(), type);
  if (auto number = dyn_cast<IntegerAttr>(value))
    return intLiteral(number.getValue(), type, asSigned, typed, indexBits);
  return {typeName(type, indexBits) + "()", Primary};
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {

/// Ops of the gpu dialect that are a variable of CUDA.
struct BuiltinRow {
  StringLiteral op, base;
};

} // namespace

/// The name of a builtin variable, or nothing.
static std::string builtinVariable(Operation *op) {
  static const BuiltinRow rows[] = {{"gpu.thread_id", "threadIdx"},
                                    {"gpu.block_id", "blockIdx"},
                                    {"gpu.block_dim", "blockDim"},
                                    {"gpu.grid_dim", "gridDim"}};
  for (const BuiltinRow &row : rows)
    if (op->getName().getStringRef() == row.op)
      return row.base.str() + "." +
             gpu::stringifyDimension(op->getAttrOfType<gpu::DimensionAttr>("dimension").getValue()).str();
  if (isa<gpu::LaneIdOp>(op))
    return "(threadIdx.x % 32)";
  if (isa<gpu::SubgroupIdOp>(op))
    return "(threadIdx.x / 32)";
  return "";
}

static const OpRow *rowOf(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || op->getNumRegions() != 0)
    return nullptr;
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    return &comparisonRow(op);
  std::optional<NumberKind> kind = numberKind(op->getOperand(0).getType());
  return kind ? findRow(op->getName().getStringRef(), *kind) : nullptr;
}

bool cuda::isExpression(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>))
    return false;
  return rowOf(op) || isa<arith::ConstantOp, ub::PoisonOp>(op) || !builtinVariable(op).empty();
}

/// Operand `index` with or without sign.
static Expression integerOperand(Operation *op, unsigned index, OperandPrinter &operands, bool isSigned, bool typed) {
  Type type = op->getOperand(index).getType();
  Expression natural = operands.operand(op, index, isSigned, typed);
  if (type.isInteger(1))
    return {(isSigned ? "-(i32)" : "(u32)") + natural.at(Unary), Unary};
  bool hasSign = isa<IndexType>(type);
  if (hasSign == isSigned || matchPattern(op->getOperand(index), m_Constant()))
    return natural;
  return {"(" + integerName(type, isSigned, operands.indexBits()) + ")" + natural.at(Unary), Unary};
}

/// The operand that `mode` ('s', 'u', 'w', 'f' or 0) asks for.
static Expression operandAs(char mode, Operation *op, unsigned index, OperandPrinter &operands, bool typed) {
  Value value = op->getOperand(index);
  Type type = value.getType();
  if (mode == 's' || mode == 'u')
    return integerOperand(op, index, operands, mode == 's', typed);
  FloatAttr number;
  if (mode == 'f' && isSmallFloat(type) && matchPattern(value, m_Constant(&number)))
    return floatLiteral(number.getValue(), Float32Type::get(type.getContext()));
  Expression natural = operands.operand(op, index, /*asSigned=*/isa<IndexType>(type), typed);
  if (mode == 'w' && (type.isInteger(1) || type.isInteger(8) || type.isInteger(16)))
    return {"(u32)" + natural.at(Unary), Unary};
  if (mode == 'f' && isSmallFloat(type))
    return {"(float)" + natural.at(Unary), Unary};
  return natural;
}

/// How strongly an operand of an operator must bind. Mixed operators get parentheses that C++ does not
/// need, but readers do.
static int leastOf(int binding, bool isLeft) {
  switch (binding) {
  case Select:
    return Or;
  case Or:
  case And:
    return isLeft ? binding : Equal;
  case BitOr:
  case BitXor:
  case BitAnd:
  case Shift:
    return isLeft ? binding : Unary;
  case Unary:
    return Primary;
  default:
    return isLeft ? binding : binding + 1;
  }
}

/// `computed`, which is what the row yields, as a value of the result's C++ type.
static Expression convert(Expression computed, Yields yields, Type result, unsigned indexBits) {
  if (yields == Yields::Truth || yields == Yields::Exact)
    return computed;
  Expression casted{"(" + typeName(result, indexBits) + ")" + computed.at(Unary), Unary};
  if (isa<FloatType>(result))
    return isSmallFloat(result) ? casted : computed;
  if (result.isInteger(1))
    return {"(" + computed.at(Add) + " & 1) != 0", Equal};
  bool isIndex = isa<IndexType>(result), isWide = isIndex || result.getIntOrFloatBitWidth() >= 32;
  bool fits = yields == Yields::Same     ? isWide
              : yields == Yields::Signed ? isIndex
                                         : yields == Yields::Unsigned && isWide && !isIndex;
  return fits ? computed : casted;
}

/// Whether literals among the operands must say their type, because no other operand that decides it does.
static bool needsTypes(const OpRow &row, Operation *op) {
  if (row.binding == Primary)
    return true;
  OperandRange operands = op->getOperands();
  if (row.binding == Select)
    operands = operands.drop_front();
  else if (row.binding == Shift)
    operands = operands.take_front();
  return llvm::all_of(operands, [](Value value) { return matchPattern(value, m_Constant()); });
}

/// Expands the text of a row.
static std::string expand(const OpRow &row, Operation *op, OperandPrinter &operands) {
  bool isCall = row.binding == Primary, typed = needsTypes(row, op);
  Type result = op->getResult(0).getType();
  std::string text;
  bool isLeft = true;
  for (const char *at = row.text.begin(); at != row.text.end(); ++at) {
    if (*at != '$') {
      text += *at;
      continue;
    }
    char mode = *++at;
    if (mode == 'T') {
      text += typeName(result, operands.indexBits());
      continue;
    }
    if (mode == 'S' || mode == 'U') {
      text += integerName(result, mode == 'S', operands.indexBits());
      continue;
    }
    bool plain = llvm::isDigit(mode);
    unsigned index = (plain ? mode : *++at) - '0';
    bool isCast = StringRef(text).ends_with(")");
    int least = isCast ? Unary : isCall ? Lowest : leastOf(row.binding, isLeft);
    text += operandAs(plain ? 0 : mode, op, index, operands, typed).at(least);
    isLeft = false;
  }
  return text;
}

static bool mayContract(Operation *op) {
  auto number = dyn_cast<arith::ArithFastMathInterface>(op);
  return number && arith::bitEnumContainsAll(number.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::contract);
}

/// The product among the operands of the sum `op` that may be contracted with it; null when there is none.
static arith::MulFOp fusedProduct(Operation *op) {
  if (!isa<arith::AddFOp>(op) || !mayContract(op) || isSmallFloat(op->getResult(0).getType()))
    return nullptr;
  for (Value operand : op->getOperands())
    if (auto product = operand.getDefiningOp<arith::MulFOp>())
      if (product->hasOneUse() && product->getBlock() == op->getBlock() && mayContract(product))
        return product;
  return nullptr;
}

bool cuda::isFusedProduct(Operation *op) { return op->hasOneUse() && fusedProduct(*op->user_begin()) == op; }

static Expression fusedMultiplyAdd(Operation *sum, arith::MulFOp product, OperandPrinter &operands) {
  auto argument = [&](Operation *op, unsigned index) { return operands.operand(op, index, false, true).text; };
  unsigned other = sum->getOperand(0) == product.getResult() ? 1 : 0;
  const char *name = product.getType().isF64() ? "fma(" : "fmaf(";
  return {name + argument(product, 0) + ", " + argument(product, 1) + ", " + argument(sum, other) + ")", Primary};
}

std::optional<Expression> cuda::expression(Operation *op, OperandPrinter &operands) {
  Type type = op->getResult(0).getType();
  unsigned bits = operands.indexBits();
  if (!numberKind(type))
    return std::nullopt;
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return literal(constant, type, /*asSigned=*/isa<IndexType>(type), /*typed=*/false, bits);
  if (isa<ub::PoisonOp>(op))
    return Expression{typeName(type, bits) + "()", Primary};
  if (std::string variable = builtinVariable(op); !variable.empty())
    return Expression{"(" + typeName(type, bits) + ")" + variable, Unary};
  if (arith::MulFOp product = fusedProduct(op))
    return fusedMultiplyAdd(op, product, operands);
  const OpRow *row = rowOf(op);
  if (!row)
    return std::nullopt;
  return convert({expand(*row, op, operands), row->precedence}, row->yields, type, bits);
}
