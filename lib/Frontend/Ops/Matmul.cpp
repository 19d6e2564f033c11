//===- Matmul.cpp - MatMul, Gemm, MatMulInteger ---------------------------===//

#include "lib/Frontend/NodeBuilder.h"
#include "lib/Frontend/Ops/QuantizedDetail.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;

static LogicalResult importMatMul(NodeBuilder &node) {
  node.setOutput(0, node.matmul(node.required(0), node.required(1)));
  return success(!node.failed());
}

/// `x` times a factor that integers take as well.
static Value scaleBy(NodeBuilder &node, Value x, double factor) {
  if (factor == 1.0 || !x)
    return x;
  if (node.isFloat(x))
    return node.mul(x, node.scalarLike(factor, x));
  Type element = node.elementOf(x), wide = node.builder().getF64Type();
  return node.cast(node.mul(node.cast(x, wide), node.scalar(factor, wide)), element);
}

static LogicalResult importGemm(NodeBuilder &node) {
  Value a = node.required(0), b = node.required(1), c = node.input(2);
  if (!a || !b)
    return failure();
  if (node.rankOf(a) != 2 || node.rankOf(b) != 2)
    return node.fail("operands A and B need rank 2");
  SmallVector<int64_t> dimsA{0, 2}, dimsB{2, 1}, dims{0, 1};
  if (node.getInt("transA", 0))
    std::swap(dimsA[0], dimsA[1]);
  if (node.getInt("transB", 0))
    std::swap(dimsB[0], dimsB[1]);
  double alpha = node.getFloat("alpha", 1.0f), beta = node.getFloat("beta", 1.0f);
  Value y = node.make<graph::ContractOp>(a, b, dimsA, dimsB, dims, node.elementOf(a));
  y = scaleBy(node, y, alpha);
  if (c && beta != 0.0)
    y = node.add(y, scaleBy(node, c, beta));
  node.setOutput(0, y);
  return success(!node.failed());
}

/// A zero point that is one number per row of a matrix, as a column.
static Value rowwise(NodeBuilder &node, Value parameter) {
  return parameter && node.rankOf(parameter) == 1 && node.shapeOf(parameter)[0] != 1 ? node.unsqueeze(parameter, {1})
                                                                                     : parameter;
}

static LogicalResult importMatMulInteger(NodeBuilder &node) {
  Value a = withoutZeroPoint(node, node.required(0), rowwise(node, node.input(2)));
  Value b = withoutZeroPoint(node, node.required(1), node.input(3));
  node.setOutput(0, node.matmul(a, b, node.builder().getI32Type()));
  return success(!node.failed());
}

static LogicalResult importQLinearMatMul(NodeBuilder &node) {
  Value a = withoutZeroPoint(node, node.required(0), rowwise(node, node.required(2)));
  Value b = withoutZeroPoint(node, node.required(3), node.required(5));
  Value product = node.matmul(a, b, node.builder().getI32Type());
  Type wide = node.builder().getF32Type();
  Value scale = node.mul(node.cast(rowwise(node, node.required(1)), wide), node.cast(node.required(4), wide));
  Value real = node.mul(node.cast(product, wide), scale);
  node.setOutput(0, requantize(node, real, node.required(6), node.required(7)));
  return success(!node.failed());
}

void frontend::registerMatmul(OpRegistry &registry) {
  registry.add("", "MatMul", importMatMul);
  registry.add("", "Gemm", importGemm);
  registry.add("", "MatMulInteger", importMatMulInteger);
  registry.add("", "QLinearMatMul", importQLinearMatMul);
  registerEinsum(registry);
}
