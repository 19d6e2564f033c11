//===- Sampling.cpp - Samples at positions computed at run time -----------===//
//
// Positions are data. They are brought near the tensor while they are floats, so that conversions to
// integers are always in range, and neighbours are clamped, so that every read is inside.
//
//===----------------------------------------------------------------------===//

#include "passes/Conversion/GraphToLinalg/IndexMath.h"
#include "passes/Conversion/GraphToLinalg/ScalarBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone::graph;
using namespace hone::graph_to_linalg;
using arith::CmpFPredicate;

namespace {

/// Float and index arithmetic of one body.
struct SampleMath : ScalarBuilder {
  SampleMath(OpBuilder &builder, Location loc) : ScalarBuilder{builder, loc}, index(builder, loc) {}

  IndexMath index;

  Value constant(Type type, double value) const { return floatConstant(builder, loc, type, value); }
  Value floor(Value x) const { return make<math::FloorOp>(x); }
  Value fromIndex(Value position, Type type) const {
    return make<arith::SIToFPOp>(type, make<arith::IndexCastOp>(builder.getI32Type(), position));
  }
  Value toIndex(Value x) const {
    return make<arith::IndexCastOp>(builder.getIndexType(), make<arith::FPToSIOp>(builder.getI32Type(), x));
  }
  /// NaN becomes `low`.
  Value clamp(Value x, Value low, Value high) const {
    return make<arith::MinNumFOp>(make<arith::MaxNumFOp>(x, low), high);
  }
  Value less(Value a, Value b) const { return cmpf(CmpFPredicate::OLT, a, b); }
};

/// One spatial dimension of the sampled tensor; made once, outside of the body.
struct SampledDim {
  Value extent;           ///< index
  Value count, low, high; ///< the extent and the borders, as floats
};

/// A neighbour along one dimension.
struct Neighbour {
  Value place;  ///< index, inside
  Value weight; ///< null: 1
  Value inside; ///< whether it is one; null: always
};

/// What `x` is after mirroring at the borders.
Value reflect(const SampleMath &m, const SampledDim &dim, Value x) {
  Value range = m.subf(dim.high, dim.low), isBelow = m.less(x, dim.low);
  Value distance = m.select(isBelow, m.subf(dim.low, x), m.subf(x, dim.high));
  Value times = m.floor(m.divf(distance, range)), rest = m.subf(distance, m.mulf(times, range));
  Value half = m.mulf(times, m.num(times, 0.5)), isEven = m.cmpf(CmpFPredicate::OEQ, m.floor(half), half);
  Value fromLow = m.cmpi(arith::CmpIPredicate::eq, isBelow, isEven);
  Value mirrored = m.select(fromLow, m.addf(dim.low, rest), m.subf(dim.high, rest));
  // Without a range (one element between aligned corners) everything is NaN, which becomes the border.
  mirrored = m.clamp(mirrored, dim.low, dim.high);
  return m.select(m.cmpf(CmpFPredicate::OGT, distance, m.num(x, 0)), mirrored, m.clamp(x, dim.low, dim.high));
}

/// A sample position brought near the tensor.
Value place(const SampleMath &m, Outside outside, const SampledDim &dim, Value x) {
  switch (outside) {
  case Outside::Zeros:
    return m.clamp(x, m.num(x, -4), m.addf(dim.count, m.num(x, 4)));
  case Outside::Border: {
    Value isInside = m.andi(m.cmpf(CmpFPredicate::OGE, x, dim.low), m.cmpf(CmpFPredicate::OLE, x, dim.high));
    return m.select(isInside, x, m.clamp(x, m.num(x, 0), m.subf(dim.count, m.num(x, 1))));
  }
  case Outside::Reflection: {
    // What is not finite lies nowhere, by convention at -2; the other cases give the same element as that.
    Value isFinite = m.less(m.absf(x), m.num(x, INFINITY));
    return m.select(isFinite, reflect(m, dim, x), m.num(x, -2));
  }
  }
  return x;
}

/// The element that position `i` stands for.
Neighbour neighbour(const SampleMath &m, Outside outside, const SampledDim &dim, Value i, Value weight) {
  Value zero = m.index.constant(0);
  if (outside == Outside::Reflection) {
    Value mirrored = m.toIndex(reflect(m, dim, m.fromIndex(i, dim.low.getType())));
    Value isInside = m.andi(m.index.less(m.index.constant(-1), i), m.index.less(i, dim.extent));
    i = m.index.select(isInside, i, mirrored);
  }
  Value inside;
  if (outside == Outside::Zeros)
    inside = m.andi(m.index.less(m.index.sub(zero, m.index.constant(1)), i), m.index.less(i, dim.extent));
  return {m.index.clamp(i, dim.extent), weight, inside};
}

/// Keys' kernel with coefficient -0.75 at a distance in [0, 1] or [1, 2].
Value cubicWeight(const SampleMath &m, Value x, bool near) {
  const double a = -0.75;
  auto step = [&](Value sum, double coefficient) { return m.addf(m.mulf(sum, x), m.num(x, coefficient)); };
  if (near)
    return m.addf(m.mulf(m.mulf(step(m.num(x, a + 2), -(a + 3)), x), x), m.num(x, 1));
  return step(step(step(m.num(x, a), -5 * a), 8 * a), -4 * a);
}

SmallVector<Neighbour> neighbours(const SampleMath &m, GridSampleOp op, const SampledDim &dim, Value x) {
  Outside outside = op.getOutside();
  if (op.getMode() == Interpolation::Nearest)
    return {neighbour(m, outside, dim, m.toIndex(place(m, outside, dim, m.make<math::RoundEvenOp>(x))), {})};
  if (op.getMode() == Interpolation::Cubic && outside != Outside::Zeros) {
    // Only the neighbours are brought into the tensor.
    Value isFinite = m.less(m.absf(x), m.num(x, INFINITY));
    x = m.select(isFinite, m.clamp(x, m.num(x, -(1 << 29)), m.num(x, 1 << 29)), m.num(x, -2));
  } else {
    x = place(m, outside, dim, x);
  }
  Value base = m.floor(x), ratio = m.subf(x, base), rest = m.subf(m.num(x, 1), ratio), first = m.toIndex(base);
  auto at = [&](int64_t shift, Value weight) {
    return neighbour(m, outside, dim, m.index.add(first, m.index.constant(shift)), weight);
  };
  if (op.getMode() == Interpolation::Linear)
    return {at(0, rest), at(1, ratio)};
  Value one = m.num(x, 1);
  return {at(-1, cubicWeight(m, m.addf(ratio, one), false)), at(0, cubicWeight(m, ratio, true)),
          at(1, cubicWeight(m, rest, true)), at(2, cubicWeight(m, m.addf(rest, one), false))};
}

struct GridSamplePattern : GraphPattern<GridSampleOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(GridSampleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    SmallVector<Extent> read(context.extents.dims(op.getInput()));
    read.erase(read.begin(), read.begin() + 2);
    auto result = createUnlessEmpty(rewriter, loc, read, context, [&] { return sample(op, adaptor, *init, rewriter); });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  FailureOr<Value> sample(GridSampleOp op, OpAdaptor adaptor, Value init, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto from = op.getInput().getType(), grid = op.getGrid().getType(), to = op.getResult().getType();
    bool wide = from.getElementType().isF64() || grid.getElementType().isF64();
    Type number = wide ? Type(rewriter.getF64Type()) : Type(rewriter.getF32Type());
    SampleMath outer(rewriter, loc);
    SmallVector<SampledDim> dims;
    for (int64_t d = 2; d < from.getRank(); ++d) {
      auto extent = dimIndex(rewriter, loc, op.getInput(), d, context);
      if (failed(extent))
        return failure();
      Value count = outer.fromIndex(*extent, number);
      double shift = op.getAlignCorners() ? 1 : 0.5;
      dims.push_back(
          {*extent, count, outer.constant(number, shift - 1), outer.subf(count, outer.constant(number, shift))});
    }
    return createGather(rewriter, loc, to, init, [&](OpBuilder &b, Location at, ValueRange result) -> FailureOr<Value> {
      SampleMath m(b, at);
      SmallVector<Value> place{result[0]};
      place.append(result.begin() + 2, result.end());
      place.emplace_back();
      SmallVector<SmallVector<Neighbour>> near;
      for (auto [d, dim] : llvm::enumerate(dims)) {
        // The coordinate along the last dimension comes first.
        place.back() = m.index.constant(dims.size() - 1 - d);
        Value stored = extractElement(b, at, adaptor.getGrid(), grid, place);
        near.push_back(neighbours(m, op, dim, extendElement(b, at, stored, grid.getElementType(), number)));
      }
      SmallVector<Value> where{result[0], result[1]};
      if (op.getMode() == Interpolation::Nearest)
        return nearest(m, near, adaptor.getInput(), from, where);
      Value sum = weightedSum(m, near, adaptor.getInput(), from, number, where, {});
      return store(m, sum, to.getElementType());
    });
  }

  /// Copies storage, whatever the type.
  static Value nearest(const SampleMath &m, ArrayRef<SmallVector<Neighbour>> near, Value input, RankedTensorType type,
                       SmallVector<Value> where) {
    Value inside;
    for (const auto &along : near) {
      where.push_back(along[0].place);
      if (along[0].inside)
        inside = inside ? m.andi(inside, along[0].inside) : along[0].inside;
    }
    Value stored = extractElement(m.builder, m.loc, input, type, where);
    return inside ? m.select(inside, stored, m.num(stored, 0)) : stored;
  }

  static Value weightedSum(const SampleMath &m, ArrayRef<SmallVector<Neighbour>> near, Value input,
                           RankedTensorType type, Type number, SmallVector<Value> where, Value inside) {
    if (near.empty()) {
      Value stored = extractElement(m.builder, m.loc, input, type, where);
      Value value = extendElement(m.builder, m.loc, stored, type.getElementType(), number);
      return inside ? m.select(inside, value, m.num(value, 0)) : value;
    }
    Value sum;
    where.emplace_back();
    for (const Neighbour &n : near.front()) {
      where.back() = n.place;
      Value both = inside && n.inside ? m.andi(inside, n.inside) : inside ? inside : n.inside;
      Value part = m.mulf(weightedSum(m, near.drop_front(), input, type, number, where, both), n.weight);
      sum = sum ? m.addf(sum, part) : part;
    }
    return sum;
  }

  static Value store(const SampleMath &m, Value number, Type element) {
    if (!isa<FloatType>(element))
      number = floatToInt(m.builder, m.loc, number, storageType(element), isUnsigned(element));
    else
      number = m.resizeFloat(number, computeType(element));
    return storeElement(m.builder, m.loc, number, element);
  }
};

//===----------------------------------------------------------------------===//
// roi_align
//===----------------------------------------------------------------------===//

/// Samples of one bin of one region along one dimension.
struct BinSide {
  Value first, step; ///< positions: first + i * step
  Value count;       ///< samples, as index
  Value extent;      ///< of the image
};

/// Bilinear neighbours of a position.
struct Pair {
  Value low, high, lowWeight, highWeight, valid;
};

Pair pairAt(const SampleMath &m, const BinSide &side, Value i) {
  Value x = m.addf(side.first, m.mulf(m.fromIndex(i, side.step.getType()), side.step));
  Value zero = m.num(x, 0), last = m.fromIndex(m.index.sub(side.extent, m.index.constant(1)), x.getType());
  Value limit = m.fromIndex(side.extent, x.getType());
  Value valid = m.andi(m.cmpf(CmpFPredicate::OGE, x, m.num(x, -1)), m.cmpf(CmpFPredicate::OLE, x, limit));
  Value inside = m.clamp(x, zero, last), base = m.floor(inside), ratio = m.subf(inside, base), low = m.toIndex(base);
  return {m.index.clamp(low, side.extent), m.index.clamp(m.index.add(low, m.index.constant(1)), side.extent),
          m.subf(m.num(x, 1), ratio), ratio, valid};
}

struct RoiAlignPattern : GraphPattern<RoiAlignOp> {
  using GraphPattern::GraphPattern;

  LogicalResult matchAndRewrite(RoiAlignOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto init = createEmpty(rewriter, loc, op.getResult(), context);
    if (failed(init))
      return failure();
    SmallVector<Extent> read = context.extents.dims(op.getInput());
    auto result = createUnlessEmpty(rewriter, loc, read, context, [&] { return pool(op, adaptor, *init, rewriter); });
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  FailureOr<Value> pool(RoiAlignOp op, OpAdaptor adaptor, Value init, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto sizes = dimIndices(rewriter, loc, op.getInput(), context);
    if (failed(sizes))
      return failure();
    auto from = op.getInput().getType(), rois = op.getRois().getType(), to = op.getResult().getType();
    Type number = from.getElementType().isF64() ? Type(rewriter.getF64Type()) : Type(rewriter.getF32Type());
    return createGather(rewriter, loc, to, init, [&](OpBuilder &b, Location at, ValueRange result) -> FailureOr<Value> {
      SampleMath m(b, at);
      auto corner = [&](int64_t i) {
        Value stored = extractElement(b, at, adaptor.getRois(), rois, {result[0], m.index.constant(i)});
        return extendElement(b, at, stored, rois.getElementType(), number);
      };
      BinSide rows = side(m, op, corner(1), corner(3), result[2], op.getSize()[0], (*sizes)[2]);
      BinSide columns = side(m, op, corner(0), corner(2), result[3], op.getSize()[1], (*sizes)[3]);
      Value image = extractElement(b, at, adaptor.getBatch(), op.getBatch().getType(), result[0]);
      SmallVector<Value> where{m.index.position(image, (*sizes)[0]), result[1], {}, {}};
      Value pooled = poolBin(m, op, rows, columns, adaptor.getInput(), from, number, where);
      return storeElement(b, at, m.resizeFloat(pooled, computeType(to.getElementType())), to.getElementType());
    });
  }

  static BinSide side(const SampleMath &m, RoiAlignOp op, Value start, Value end, Value bin, int64_t bins,
                      Value extent) {
    Value scale = m.num(start, op.getScale().convertToDouble());
    start = m.mulf(start, scale);
    end = m.mulf(end, scale);
    if (op.getHalfPixel()) {
      start = m.subf(start, m.num(start, 0.5));
      end = m.subf(end, m.num(end, 0.5));
    }
    Value length = m.subf(end, start);
    if (!op.getHalfPixel())
      length = m.make<arith::MaximumFOp>(length, m.num(length, 1));
    Value binLength = m.divf(length, m.num(length, bins)), samples, count;
    if (op.getSampling() > 0) {
      samples = m.num(length, static_cast<double>(op.getSampling()));
      count = m.index.constant(op.getSampling());
    } else {
      samples = m.clamp(m.make<math::CeilOp>(binLength), m.num(length, 0), m.num(length, 1 << 20));
      count = m.toIndex(samples);
    }
    Value step = m.divf(binLength, samples), half = m.mulf(step, m.num(step, 0.5));
    Value first = m.addf(m.addf(start, m.mulf(m.fromIndex(bin, length.getType()), binLength)), half);
    return {first, step, count, extent};
  }

  /// One carried number: the sum, or the largest neighbour so far.
  static Value poolBin(const SampleMath &m, RoiAlignOp op, const BinSide &rows, const BinSide &columns, Value input,
                       RankedTensorType type, Type number, SmallVector<Value> where) {
    bool largest = op.getKind() == PoolKind::Max;
    Value zero = m.constant(number, 0), start = largest ? m.constant(number, -INFINITY) : zero;
    Value none = m.index.constant(0), one = m.index.constant(1);
    auto loop = scf::ForOp::create(
        m.builder, m.loc, none, rows.count, one, start, [&](OpBuilder &b, Location at, Value i, ValueRange carried) {
          Pair down = pairAt(SampleMath(b, at), rows, i);
          auto inner = scf::ForOp::create(
              b, at, none, columns.count, one, carried, [&](OpBuilder &nb, Location na, Value j, ValueRange now) {
                SampleMath n(nb, na);
                Value value = sampleAt(n, largest, down, pairAt(n, columns, j), input, type, number, where);
                value = largest ? n.make<arith::MaximumFOp>(now[0], value) : n.addf(now[0], value);
                scf::YieldOp::create(nb, na, value);
              });
          scf::YieldOp::create(b, at, inner.getResults());
        });
    Value result = loop.getResult(0), count = m.index.mul(rows.count, columns.count);
    if (largest)
      return m.select(m.index.less(none, count), result, zero);
    return m.divf(result, m.fromIndex(m.index.max(count, one), number));
  }

  static Value sampleAt(const SampleMath &m, bool largest, const Pair &down, const Pair &across, Value input,
                        RankedTensorType type, Type number, SmallVector<Value> where) {
    Value result;
    for (auto [y, wy] : {std::pair(down.low, down.lowWeight), std::pair(down.high, down.highWeight)})
      for (auto [x, wx] : {std::pair(across.low, across.lowWeight), std::pair(across.high, across.highWeight)}) {
        where[2] = y;
        where[3] = x;
        Value stored = extractElement(m.builder, m.loc, input, type, where);
        Value part = m.mulf(m.mulf(wy, wx), extendElement(m.builder, m.loc, stored, type.getElementType(), number));
        result = !result ? part : largest ? m.make<arith::MaximumFOp>(result, part) : m.addf(result, part);
      }
    return m.select(m.andi(down.valid, across.valid), result, m.num(result, 0));
  }
};

} // namespace

void hone::graph_to_linalg::populateSampling(RewritePatternSet &patterns, LoweringContext &context) {
  addPatterns<GridSamplePattern, RoiAlignPattern>(patterns, context);
}
