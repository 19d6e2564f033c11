//===- Elementwise.cpp - Arithmetic, comparison, logic, casts -------------===//

#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/ActivationsDetail.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::BinaryKind;
using graph::FloatClass;
using graph::Predicate;
using graph::UnaryKind;

//===----------------------------------------------------------------------===//
// One op for one op
//===----------------------------------------------------------------------===//

template <UnaryKind kind> static LogicalResult importUnary(NodeBuilder &node) {
  node.setOutput(0, node.unary(kind, node.required(0)));
  return success(!node.failed());
}

template <BinaryKind kind> static LogicalResult importBinary(NodeBuilder &node) {
  node.setOutput(0, node.binary(kind, node.required(0), node.required(1)));
  return success(!node.failed());
}

template <Predicate predicate> static LogicalResult importCompare(NodeBuilder &node) {
  node.setOutput(0, node.compare(predicate, node.required(0), node.required(1)));
  return success(!node.failed());
}

/// What unsigned numbers are already.
static LogicalResult importAbs(NodeBuilder &node) {
  Value x = node.required(0);
  node.setOutput(0, node.isUnsigned(x) ? x : node.unary(UnaryKind::Abs, x));
  return success(!node.failed());
}

static LogicalResult importSign(NodeBuilder &node) {
  Value x = node.required(0);
  node.setOutput(0, node.isUnsigned(x) ? node.min(x, node.scalarLike(1, x)) : node.unary(UnaryKind::Sign, x));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Arithmetic with a word more
//===----------------------------------------------------------------------===//

static LogicalResult importMod(NodeBuilder &node) {
  BinaryKind kind = node.getInt("fmod", 0) ? BinaryKind::Rem : BinaryKind::Mod;
  node.setOutput(0, node.binary(kind, node.required(0), node.required(1)));
  return success(!node.failed());
}

static LogicalResult importBitShift(NodeBuilder &node) {
  std::string direction = node.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.fail("attribute 'direction' must be LEFT or RIGHT");
  BinaryKind kind = direction == "LEFT" ? BinaryKind::Shl : BinaryKind::Shr;
  node.setOutput(0, node.binary(kind, node.required(0), node.required(1)));
  return success(!node.failed());
}

/// Folds any number of operands. Narrow floats add up in f32 and are rounded once.
template <BinaryKind kind> static Value foldOperands(NodeBuilder &node) {
  Value result = node.required(0);
  bool widens = kind == BinaryKind::Add;
  if (widens && node.numInputs() > 2)
    result = node.widen(result);
  for (unsigned i = 1; i < node.numInputs(); ++i) {
    Value operand = node.required(i);
    result = node.binary(kind, result, operand && result ? node.cast(operand, node.elementOf(result)) : operand);
  }
  return result;
}

template <BinaryKind kind> static LogicalResult importVariadic(NodeBuilder &node) {
  Value result = foldOperands<kind>(node);
  node.setOutput(0, node.cast(result, node.elementOf(node.required(0))));
  return success(!node.failed());
}

static LogicalResult importMean(NodeBuilder &node) {
  Value sum = foldOperands<BinaryKind::Add>(node);
  Value mean = node.numInputs() > 1 ? node.div(sum, node.scalarLike(node.numInputs(), sum)) : sum;
  node.setOutput(0, node.cast(mean, node.elementOf(node.required(0))));
  return success(!node.failed());
}

static LogicalResult importClip(NodeBuilder &node) {
  Value x = node.required(0);
  if (Value low = node.input(1))
    x = node.max(x, node.scalarOf(low));
  if (Value high = node.input(2))
    x = node.min(x, node.scalarOf(high));
  node.setOutput(0, x);
  return success(!node.failed());
}

static LogicalResult importWhere(NodeBuilder &node) {
  node.setOutput(0, node.select(node.required(0), node.required(1), node.required(2)));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static LogicalResult castTo(NodeBuilder &node, Type to) {
  std::string mode = node.getString("round_mode", "up");
  graph::Rounding rounding = mode == "nearest" ? graph::Rounding::Nearest
                             : mode == "down"  ? graph::Rounding::Down
                                               : graph::Rounding::Up;
  if (mode != "up" && mode != "down" && mode != "nearest")
    return node.fail("attribute 'round_mode' must be up, down or nearest");
  Value x = node.required(0);
  if (!x || !to)
    return failure();
  // Rounding has a direction only towards powers of two.
  if (!isa<Float8E8M0FNUType>(to))
    rounding = graph::Rounding::Nearest;
  bool saturate = node.getInt("saturate", 1) != 0;
  node.setOutput(0, node.elementOf(x) == to ? x : node.make<graph::CastOp>(x, to, saturate, rounding));
  return success(!node.failed());
}

static LogicalResult importCast(NodeBuilder &node) { return castTo(node, node.elementType(node.getInt("to", 0))); }
static LogicalResult importCastLike(NodeBuilder &node) { return castTo(node, node.elementOf(node.required(1))); }

static LogicalResult importBitCast(NodeBuilder &node) {
  Value x = node.required(0);
  Type to = node.elementType(node.getInt("to", 0));
  if (!x || !to)
    return failure();
  // A bool is a byte that is 0 or 1.
  bool isByte = node.elementOf(x).getIntOrFloatBitWidth() == 8 || to.getIntOrFloatBitWidth() == 8;
  if (isByte && (node.isBool(x) || to.isInteger(1)) && isa<IntegerType>(to) && !node.isFloat(x)) {
    node.setOutput(0, node.cast(x, to));
    return success(!node.failed());
  }
  if (to.getIntOrFloatBitWidth() != node.elementOf(x).getIntOrFloatBitWidth())
    return node.fail("the types differ in width");
  node.setOutput(0, node.elementOf(x) == to ? x : node.make<graph::BitcastOp>(x, to));
  return success(!node.failed());
}

static LogicalResult importIsNaN(NodeBuilder &node) {
  node.setOutput(0, node.make<graph::ClassifyOp>(FloatClass::NaN, node.required(0)));
  return success(!node.failed());
}

static LogicalResult importIsInf(NodeBuilder &node) {
  Value x = node.required(0);
  bool negative = node.getInt("detect_negative", 1) != 0, positive = node.getInt("detect_positive", 1) != 0;
  if (!negative && !positive) {
    // Nothing is looked for; the shape is the input's.
    Value none = node.scalar(0, node.builder().getI1Type());
    node.setOutput(0, node.broadcastTo(none, node.shape(x)));
    return success(!node.failed());
  }
  FloatClass kind = negative && positive ? FloatClass::Inf : positive ? FloatClass::PosInf : FloatClass::NegInf;
  node.setOutput(0, node.make<graph::ClassifyOp>(kind, x));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static void registerUnary(OpRegistry &registry) {
  registry.add("", "Abs", importAbs);
  registry.add("", "Sign", importSign);
  registry.add("", "Neg", importUnary<UnaryKind::Neg>);
  registry.add("", "Not", importUnary<UnaryKind::Not>);
  registry.add("", "BitwiseNot", importUnary<UnaryKind::Not>);
  registry.add("", "Ceil", importUnary<UnaryKind::Ceil>);
  registry.add("", "Floor", importUnary<UnaryKind::Floor>);
  registry.add("", "Round", importUnary<UnaryKind::RoundEven>);
  registry.add("", "Sqrt", importUnary<UnaryKind::Sqrt>);
  registry.add("", "Reciprocal", importUnary<UnaryKind::Reciprocal>);
  registry.add("", "Exp", importUnary<UnaryKind::Exp>);
  registry.add("", "Log", importUnary<UnaryKind::Log>);
  registry.add("", "Sin", importUnary<UnaryKind::Sin>);
  registry.add("", "Cos", importUnary<UnaryKind::Cos>);
  registry.add("", "Tan", importUnary<UnaryKind::Tan>);
  registry.add("", "Asin", importUnary<UnaryKind::Asin>);
  registry.add("", "Acos", importUnary<UnaryKind::Acos>);
  registry.add("", "Atan", importUnary<UnaryKind::Atan>);
  registry.add("", "Sinh", importUnary<UnaryKind::Sinh>);
  registry.add("", "Cosh", importUnary<UnaryKind::Cosh>);
  registry.add("", "Tanh", importUnary<UnaryKind::Tanh>);
  registry.add("", "Asinh", importUnary<UnaryKind::Asinh>);
  registry.add("", "Acosh", importUnary<UnaryKind::Acosh>);
  registry.add("", "Atanh", importUnary<UnaryKind::Atanh>);
  registry.add("", "Erf", importUnary<UnaryKind::Erf>);
  registry.add("", "Sigmoid", importUnary<UnaryKind::Sigmoid>);
  registry.add("", "Softplus", importUnary<UnaryKind::Softplus>);
}

static void registerBinary(OpRegistry &registry) {
  registry.add("", "Add", importBinary<BinaryKind::Add>);
  registry.add("", "Sub", importBinary<BinaryKind::Sub>);
  registry.add("", "Mul", importBinary<BinaryKind::Mul>);
  registry.add("", "Div", importBinary<BinaryKind::Div>);
  registry.add("", "Pow", importBinary<BinaryKind::Pow>);
  registry.add("", "Mod", importMod);
  registry.add("", "And", importBinary<BinaryKind::And>);
  registry.add("", "Or", importBinary<BinaryKind::Or>);
  registry.add("", "Xor", importBinary<BinaryKind::Xor>);
  registry.add("", "BitwiseAnd", importBinary<BinaryKind::And>);
  registry.add("", "BitwiseOr", importBinary<BinaryKind::Or>);
  registry.add("", "BitwiseXor", importBinary<BinaryKind::Xor>);
  registry.add("", "BitShift", importBitShift);
  registry.add("", "Equal", importCompare<Predicate::Eq>);
  registry.add("", "Less", importCompare<Predicate::Lt>);
  registry.add("", "LessOrEqual", importCompare<Predicate::Le>);
  registry.add("", "Greater", importCompare<Predicate::Gt>);
  registry.add("", "GreaterOrEqual", importCompare<Predicate::Ge>);
}

void frontend::registerElementwise(OpRegistry &registry) {
  registerUnary(registry);
  registerBinary(registry);
  registerActivations(registry);
  registry.add("", "Sum", importVariadic<BinaryKind::Add>);
  registry.add("", "Min", importVariadic<BinaryKind::Min>);
  registry.add("", "Max", importVariadic<BinaryKind::Max>);
  registry.add("", "Mean", importMean);
  registry.add("", "Clip", importClip);
  registry.add("", "Where", importWhere);
  registry.add("", "Cast", importCast, "no strings");
  registry.add("", "CastLike", importCastLike, "no strings");
  registry.add("", "BitCast", importBitCast);
  registry.add("", "IsNaN", importIsNaN);
  registry.add("", "IsInf", importIsInf);
}
