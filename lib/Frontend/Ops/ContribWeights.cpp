//===- ContribWeights.cpp - Microsoft's operators on weights of few bits --===//
//
// Weights are a table of blocks: packed numbers, and for each block a scale and perhaps a zero point. They become real
// numbers here; constants are folded, and what is left of a gathered table is computed on the rows that are wanted.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/Ops/ContribDetail.h"

using namespace mlir;
using namespace hone;
using namespace hone::frontend;
using graph::BinaryKind;

namespace {

/// Numbers of `bits` bits in the bytes along the last dimension, lowest first, as 8 / bits times as many.
Value unpackBits(NodeBuilder &node, Value bytes, int64_t bits) {
  if (bits == 8 || !bytes)
    return bytes;
  int64_t rank = node.rankOf(bytes);
  Type element = node.elementOf(bytes);
  Value mask = node.scalarInt((1 << bits) - 1, element);
  SmallVector<Value> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    Value shifted = node.binary(BinaryKind::Shr, bytes, node.scalarInt(shift, element));
    parts.push_back(node.unsqueeze(node.binary(BinaryKind::And, shifted, mask), {rank}));
  }
  SmallVector<Piece> shape;
  for (int64_t d = 0; d + 1 < rank; ++d)
    shape.push_back(node.piece(bytes, d));
  int64_t last = node.shapeOf(bytes)[rank - 1];
  shape.push_back(ShapedType::isDynamic(last) ? Piece(-1) : Piece(last * (8 / bits)));
  return node.reshape(node.concat(parts, rank), shape);
}

int64_t elementsOf(NodeBuilder &node, Value v) {
  return node.typeOf(v).hasStaticShape() ? node.typeOf(v).getNumElements() : -1;
}

/// Whether the attributes that both operators on matrices have make sense; else a diagnostic.
bool areSizes(NodeBuilder &node, int64_t k, int64_t n, int64_t block) {
  if (k >= 1 && n >= 1 && k <= INT32_MAX && n <= INT32_MAX && block >= 16 && block <= (1 << 20))
    return true;
  (void)node.fail("attributes 'K', 'N' and 'block_size' are missing or out of range");
  return false;
}

//===----------------------------------------------------------------------===//
// MatMulNBits
//===----------------------------------------------------------------------===//

LogicalResult importMatMulNBits(NodeBuilder &node) {
  Value a = node.required(0), packed = node.required(1), scales = node.required(2), zeros = node.input(3);
  Value groups = node.input(4);
  int64_t k = node.getInt("K", 0), n = node.getInt("N", 0), bits = node.getInt("bits", 4);
  int64_t block = node.getInt("block_size", 0);
  if (failed(refuseAttributes(node, {"weight_prepacked"})) || !a || !packed || !scales)
    return failure();
  if (bits != 2 && bits != 4 && bits != 8)
    return node.fail("attribute 'bits' is " + Twine(bits) + ", not 2, 4 or 8");
  if (!areSizes(node, k, n, block))
    return failure();
  int64_t blocks = (k + block - 1) / block, bytes = block * bits / 8;
  if (elementsOf(node, packed) != n * blocks * bytes || elementsOf(node, scales) != n * blocks)
    return node.fail("operands 'B' and 'scales' need " + Twine(n * blocks * bytes) + " and " + Twine(n * blocks) +
                     " elements");
  if (groups && elementsOf(node, groups) != k)
    return node.fail("operand 'g_idx' needs " + Twine(k) + " elements");
  Type element = node.elementOf(scales);
  // One number for each block, or where columns have been reordered for each column.
  auto perBlock = [&](Value v) {
    return groups ? node.gather(node.reshapeTo(v, {n, blocks}), node.vectorOf(groups), 1)
                  : node.reshapeTo(v, {n, blocks, 1});
  };
  Value offset = node.scalar(1 << (bits - 1), element);
  if (zeros) {
    bool isPacked = !node.isFloat(zeros);
    int64_t row = isPacked ? (blocks * bits + 7) / 8 : blocks;
    if (elementsOf(node, zeros) != n * row)
      return node.fail("operand 'zero_points' needs " + Twine(n * row) + " elements");
    Value rows = node.reshapeTo(zeros, {n, row});
    offset = node.slice(isPacked ? unpackBits(node, rows, bits) : rows, 0, blocks, 1);
    offset = node.cast(perBlock(offset), element);
  }
  Value whole = node.cast(unpackBits(node, node.reshapeTo(packed, {n, blocks * bytes}), bits), element);
  Value weights = groups ? node.slice(whole, 0, k, 1) : node.reshapeTo(whole, {n, blocks, block});
  weights = node.mul(node.sub(weights, offset), perBlock(scales));
  if (!groups)
    weights = node.slice(node.reshapeTo(weights, {n, blocks * block}), 0, k, 1);
  Value y = node.matmul(a, node.cast(node.transpose(weights, {1, 0}), node.elementOf(a)));
  if (Value bias = node.input(5))
    y = node.add(y, bias);
  node.setOutput(0, y);
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// MatMulBnb4
//===----------------------------------------------------------------------===//

/// What the sixteen codes of bitsandbytes' types stand for, relative to the largest number of a block.
constexpr float kFloat4[] = {0.0f,  0.0052083333f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
                             -0.0f, -0.0052083333f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
/// Quantiles of the normal distribution, such that 0 is one of them.
constexpr float kNormal4[] = {-1.0f,
                              -0.6961928009986877f,
                              -0.5250730514526367f,
                              -0.39491748809814453f,
                              -0.28444138169288635f,
                              -0.18477343022823334f,
                              -0.09105003625154495f,
                              0.0f,
                              0.07958029955625534f,
                              0.16093020141124725f,
                              0.24611230194568634f,
                              0.33791524171829224f,
                              0.44070982933044434f,
                              0.5626170039176941f,
                              0.7229568362236023f,
                              1.0f};

LogicalResult importMatMulBnb4(NodeBuilder &node) {
  Value a = node.required(0), packed = node.required(1), largest = node.required(2);
  int64_t k = node.getInt("K", 0), n = node.getInt("N", 0), block = node.getInt("block_size", 0);
  int64_t type = node.getInt("quant_type", -1);
  if (!a || !packed || !largest)
    return failure();
  if (type != 0 && type != 1)
    return node.fail("attribute 'quant_type' is " + Twine(type) + ", not 0 or 1");
  if (node.getInt("transB", 1) != 1)
    return node.fail("attribute 'transB' is 0, which is not supported");
  if (!areSizes(node, k, n, block))
    return failure();
  // Blocks go through the matrix row by row.
  int64_t count = n * k, bytes = (count + 1) / 2, blocks = (count + block - 1) / block;
  if (elementsOf(node, packed) != bytes || elementsOf(node, largest) != blocks)
    return node.fail("operands 'B' and 'absmax' need " + Twine(bytes) + " and " + Twine(blocks) + " elements");
  Type element = node.elementOf(largest), byte = node.elementOf(packed);
  Value column = node.reshapeTo(packed, {bytes, 1});
  // The upper half of a byte comes first.
  Value upper = node.binary(BinaryKind::Shr, column, node.scalarInt(4, byte));
  Value codes = node.concat({upper, node.binary(BinaryKind::And, column, node.scalarInt(15, byte))}, 1);
  codes = node.slice(node.reshapeTo(codes, {2 * bytes}), 0, count, 0);
  codes = node.pad(codes, {0, blocks * block - count}, node.scalarInt(0, byte));
  Value table = node.cast(node.floats(type == 0 ? ArrayRef(kFloat4) : ArrayRef(kNormal4)), element);
  Value numbers = node.gather(table, node.cast(codes, node.builder().getI64Type()), 0);
  Value weights = node.mul(node.reshapeTo(numbers, {blocks, block}), node.reshapeTo(largest, {blocks, 1}));
  weights = node.reshapeTo(node.slice(node.reshapeTo(weights, {blocks * block}), 0, count, 0), {n, k});
  node.setOutput(0, node.matmul(a, node.cast(node.transpose(weights, {1, 0}), node.elementOf(a))));
  return success(!node.failed());
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

LogicalResult importGatherBlockQuantized(NodeBuilder &node) {
  Value data = node.required(0), indices = node.required(1), scales = node.required(2), zeros = node.input(3);
  if (!data || !indices || !scales)
    return failure();
  int64_t rank = node.rankOf(data), bits = node.getInt("bits", 4), block = node.getInt("block_size", 128);
  auto picked = node.normalizeAxis(node.getInt("gather_axis", 0), rank);
  auto blocked = node.normalizeAxis(node.getInt("quantize_axis", 1), rank);
  if (!picked || !blocked)
    return failure();
  auto integer = dyn_cast<IntegerType>(node.elementOf(data));
  if (!integer || node.rankOf(scales) != rank)
    return node.fail("needs data of integers, and scales of their rank");
  if (*picked == *blocked)
    return node.fail("attributes 'gather_axis' and 'quantize_axis' are the same, which is not supported");
  if (block < 16 || block > (1 << 20))
    return node.fail("attribute 'block_size' is " + Twine(block) + ", which is out of range");
  bool isPacked = integer.getWidth() == 8;
  if (isPacked && bits != 2 && bits != 4 && bits != 8)
    return node.fail("attribute 'bits' is " + Twine(bits) + ", not 2, 4 or 8");
  if (isPacked && bits < 8 && *picked == rank - 1)
    return node.fail("attribute 'gather_axis' is that of packed numbers, which is not supported");

  auto rows = [&](Value v) { return node.gather(v, indices, *picked); };
  auto unpacked = [&](Value v) { return isPacked ? unpackBits(node, v, bits) : v; };
  Value numbers = unpacked(rows(data)), factors = rows(scales);
  // Where the blocks are, when the indices' dimensions have taken the place of one before them.
  int64_t axis = *picked < *blocked ? *blocked + node.rankOf(indices) - 1 : *blocked;
  if (!numbers || !factors)
    return failure();
  int64_t extent = node.shapeOf(numbers)[axis], blocks = node.shapeOf(factors)[axis];
  if (ShapedType::isDynamic(extent) || blocks != (extent + block - 1) / block)
    return node.fail("scales do not fit blocks of " + Twine(block));
  Value points = zeros ? unpacked(rows(zeros)) : Value();
  if (points)
    points = node.slice(points, 0, blocks, axis);
  else if (isPacked)
    points = node.broadcastTo(node.scalarInt(int64_t(1) << (bits - 1), integer), node.shape(factors));
  node.setOutput(
      0, node.make<graph::DequantizeOp>(numbers, factors, Optional(points), node.elementOf(factors), axis, block));
  return success(!node.failed());
}

} // namespace

void frontend::registerContribWeights(OpRegistry &registry) {
  addContrib<importMatMulNBits>(registry, "MatMulNBits", "computes in the type of A");
  addContrib<importMatMulBnb4>(registry, "MatMulBnb4", "computes in the type of A; B is transposed");
  addContrib<importGatherBlockQuantized>(registry, "GatherBlockQuantized",
                                         "integers; gathers along another axis than that of the blocks");
}
