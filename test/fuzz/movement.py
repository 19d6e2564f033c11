"""Operators that move elements: views, slices, concatenations, gathers, scatters."""

import math

import numpy as np
from onnx import TensorProto

INT64 = TensorProto.INT64


def any_of_rank(g, least=0, most=6):
    return g.pick(lambda t: least <= t.rank <= most)


def factors(g, count, rank):
    """A shape of `rank` dimensions with `count` elements."""
    shape = [1] * rank
    rest, divisor = count, 2
    while rest > 1 and rank:
        while rest % divisor:
            divisor += 1
        shape[g.random.randrange(rank)] *= divisor
        rest //= divisor
    return shape


def reshape(g):
    x = any_of_rank(g)
    if not x or not x.count:
        return False
    other = g.pick(lambda t: t.count == x.count and t.shape != x.shape)
    if other and g.chance(0.4):
        shape = g.node("Shape", [other], [(INT64, (other.rank,), 64, True)])
        g.node("Reshape", [x, shape], [(x.dtype, other.shape, x.bound, x.exact)])
        return True
    rank = g.random.randint(1 if x.count > 1 else 0, 5)
    target = factors(g, x.count, rank)
    wanted = list(target)
    if rank and g.chance(0.5):
        wanted[g.random.randrange(rank)] = -1
    for i in range(min(rank, x.rank)):
        if wanted[i] == x.shape[i] and g.chance(0.3):
            wanted[i] = 0
    g.node("Reshape", [x, g.integers(wanted)], [(x.dtype, target, x.bound, x.exact)])
    return True


def transpose(g):
    x = any_of_rank(g, 1)
    if not x:
        return False
    perm = list(range(x.rank))
    g.random.shuffle(perm)
    g.node("Transpose", [x], [(x.dtype, [x.shape[i] for i in perm], x.bound, x.exact)], perm=perm)
    return True


def slice_(g):
    x = any_of_rank(g, 1)
    if not x:
        return False
    axes = g.random.sample(range(x.rank), g.random.randint(1, x.rank))
    starts, ends, steps, shape = [], [], [], list(x.shape)
    for axis in axes:
        extent = x.shape[axis]
        step = g.random.choice((1, 1, 1, 2, 3, -1, -2))
        start = g.random.randint(-extent - 1, extent + 1)
        end = g.random.choice((2**31, -2**31, g.random.randint(-extent - 1, extent + 1)))
        if g.chance(0.6):
            start, end = (0, 2**31) if step > 0 else (-1, -2**31)
        shape[axis] = len(range(*slice(start, end, step).indices(extent)))
        if not shape[axis]:
            start, end, step, shape[axis] = 0, 1, 1, min(1, extent)
        starts.append(start)
        ends.append(end)
        steps.append(step)
    named = [axis - x.rank if g.chance(0.3) else axis for axis in axes]
    operands = [x, g.integers(starts), g.integers(ends), g.ints(named), g.ints(steps)]
    g.node("Slice", operands, [(x.dtype, shape, x.bound, x.exact)])
    return True


def concat(g):
    x = any_of_rank(g, 1)
    if not x:
        return False
    axis = g.random.randrange(x.rank)
    parts = [x]
    for _ in range(g.random.randint(1, 2)):
        other = g.pick(lambda t: t.dtype == x.dtype and t.rank == x.rank and
                       t.shape[:axis] + t.shape[axis + 1:] == x.shape[:axis] + x.shape[axis + 1:])
        parts.append(other if g.chance(0.7) else
                     g.fixed(x.dtype, (*x.shape[:axis], g.random.randint(1, 3), *x.shape[axis + 1:])))
    g.random.shuffle(parts)
    shape = (*x.shape[:axis], sum(t.shape[axis] for t in parts), *x.shape[axis + 1:])
    g.node("Concat", parts, [(x.dtype, shape, max(t.bound for t in parts), all(t.exact for t in parts))],
           axis=axis - x.rank if g.chance(0.3) else axis)
    return True


def split(g):
    x = g.pick(lambda t: t.rank and max(t.shape) > 1)
    if not x:
        return False
    axis = g.random.choice([i for i in range(x.rank) if x.shape[i] > 1])
    first = g.random.randint(1, x.shape[axis] - 1)
    sizes = [first, x.shape[axis] - first]
    g.node("Split", [x, g.integers(sizes)],
           [(x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1:]), x.bound, x.exact) for size in sizes], axis=axis)
    return True


def expand(g):
    x = any_of_rank(g, 0, 4)
    if not x:
        return False
    shape = [g.random.randint(2, 4) if extent == 1 and g.chance(0.7) else extent for extent in x.shape]
    shape = list(g.extents(g.random.randint(0, 1))) + shape
    if math.prod(shape) > 2048:
        return False
    wanted = [1 if i >= len(shape) - x.rank and shape[i] == x.shape[i - len(shape)] and g.chance(0.3) else shape[i]
              for i in range(len(shape))]
    g.node("Expand", [x, g.integers(wanted)], [(x.dtype, shape, x.bound, x.exact)])
    return True


def tile(g):
    x = any_of_rank(g, 1)
    if not x:
        return False
    repeats = [g.random.choice((1, 1, 2, 3)) for _ in x.shape]
    if x.count * math.prod(repeats) > 2048:
        return False
    g.node("Tile", [x, g.integers(repeats)],
           [(x.dtype, [a * b for a, b in zip(x.shape, repeats)], x.bound, x.exact)])
    return True


def pad(g):
    x = g.pick(lambda t: t.dtype in (TensorProto.FLOAT, INT64, TensorProto.INT32, TensorProto.DOUBLE) and t.rank and
               t.count)
    if not x:
        return False
    mode = g.random.choice(("constant", "constant", "edge", "reflect"))
    begins, ends, shape = [], [], []
    for extent in x.shape:
        most = extent - 1 if mode == "reflect" else 2
        begin, end = (g.random.randint(0, min(most, 2)) if g.chance(0.5) else 0 for _ in range(2))
        if mode == "constant" and extent > 2 and g.chance(0.15):
            begin = -1
        begins.append(begin)
        ends.append(end)
        shape.append(extent + begin + end)
    if math.prod(shape) > 4096:
        return False
    operands = [x, g.integers(begins + ends)]
    bound = x.bound
    if mode == "constant" and g.chance(0.5):
        operands.append(g.scalar(2, x.dtype, True))
        bound = max(bound, 2)
    g.node("Pad", operands, [(x.dtype, shape, bound, x.exact)], mode=mode)
    return True


def squeeze(g):
    x = g.pick(lambda t: 1 in t.shape)
    if not x:
        return False
    axes = [i for i, extent in enumerate(x.shape) if extent == 1 and g.chance(0.7)] or [x.shape.index(1)]
    g.node("Squeeze", [x, g.ints(axes)],
           [(x.dtype, [e for i, e in enumerate(x.shape) if i not in axes], x.bound, x.exact)])
    return True


def unsqueeze(g):
    x = any_of_rank(g, 0, 4)
    if not x:
        return False
    rank = x.rank + g.random.randint(1, 2)
    axes = sorted(g.random.sample(range(rank), rank - x.rank))
    rest = iter(x.shape)
    shape = [1 if i in axes else next(rest) for i in range(rank)]
    named = [axis - rank if g.chance(0.3) else axis for axis in axes]
    g.node("Unsqueeze", [x, g.ints(named)], [(x.dtype, shape, x.bound, x.exact)])
    return True


def flatten(g):
    x = any_of_rank(g)
    if not x:
        return False
    axis = g.random.randint(0, x.rank)
    g.node("Flatten", [x], [(x.dtype, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])), x.bound, x.exact)],
           axis=axis)
    return True


def places(g, shape, extent):
    """Indices into `extent` elements, some counted from the end."""
    data = g.numpy.integers(-extent, extent, shape).astype(np.int64)
    return g.constant(data) if g.chance(0.6) else g.input(INT64, shape, data, extent, True)


def gather(g):
    x = g.pick(lambda t: 1 <= t.rank <= 4 and t.count)
    if not x:
        return False
    axis = g.random.randrange(x.rank)
    shape = g.extents(g.random.randint(0, 2))
    result = (*x.shape[:axis], *shape, *x.shape[axis + 1:])
    if math.prod(result) > 2048:
        return False
    g.node("Gather", [x, places(g, shape, x.shape[axis])], [(x.dtype, result, x.bound, x.exact)], axis=axis)
    return True


def gather_elements(g):
    x = g.pick(lambda t: t.rank and t.count)
    if not x:
        return False
    axis = g.random.randrange(x.rank)
    shape = [g.random.randint(1, extent) for extent in x.shape]
    shape[axis] = g.random.randint(1, 4)
    g.node("GatherElements", [x, places(g, shape, x.shape[axis])], [(x.dtype, shape, x.bound, x.exact)], axis=axis)
    return True


def gather_nd(g):
    x = g.pick(lambda t: t.rank and t.count)
    if not x:
        return False
    length = g.random.randint(1, x.rank)
    outer = g.extents(g.random.randint(0, 2))
    data = np.stack([g.numpy.integers(-extent, extent, outer) for extent in x.shape[:length]], axis=-1)
    shape = (*outer, *x.shape[length:])
    if math.prod(shape) > 2048:
        return False
    g.node("GatherND", [x, g.constant(data.astype(np.int64))], [(x.dtype, shape, x.bound, x.exact)])
    return True


def scatter_elements(g):
    x = g.pick(lambda t: t.dtype in (TensorProto.FLOAT, INT64, TensorProto.INT32) and t.rank and t.count)
    if not x:
        return False
    axis = g.random.randrange(x.rank)
    reduction = g.random.choice(("none", "add", "max", "min", "mul"))
    shape = [g.random.randint(1, extent) for extent in x.shape]
    data = g.numpy.integers(0, x.shape[axis], shape).astype(np.int64)
    if reduction == "none":
        # No element is written twice: which value stays is nobody's promise.
        order = np.argsort(g.numpy.random(shape), axis=axis)
        data = order.astype(np.int64)
    x = g.small(x, 4)
    updates = g.fixed(x.dtype, tuple(shape), bound=3)
    most = shape[axis]
    bound = {"add": x.bound + 3 * most, "mul": max(x.bound, 1) * 3**most}.get(reduction, max(x.bound, 3))
    attributes = {} if reduction == "none" else {"reduction": reduction}
    g.same("ScatterElements", [x, g.constant(data), updates], x, bound=bound, exact=x.exact and updates.exact,
           axis=axis, **attributes)
    return True


def scatter_nd(g):
    x = g.pick(lambda t: t.dtype in (TensorProto.FLOAT, INT64) and t.rank and t.count)
    if not x:
        return False
    length = g.random.randint(1, x.rank)
    space = x.shape[:length]
    count = g.random.randint(1, min(math.prod(space), 5))
    flat = g.numpy.choice(math.prod(space), count, replace=False)
    data = np.stack(np.unravel_index(flat, space), axis=-1).astype(np.int64)
    updates = g.fixed(x.dtype, (count, *x.shape[length:]), bound=3)
    g.same("ScatterND", [x, g.constant(data), updates], x, bound=max(x.bound, 3), exact=x.exact and updates.exact)
    return True


def trilu(g):
    x = g.pick(lambda t: t.rank >= 2 and t.dtype in (TensorProto.FLOAT, INT64, TensorProto.BOOL))
    if not x:
        return False
    operands = [x] if g.chance(0.4) else [x, g.constant(np.int64(g.random.randint(-2, 2)))]
    g.same("Trilu", operands, x, upper=g.random.randint(0, 1))
    return True


def depth_space(g):
    x = g.pick(lambda t: t.rank == 4 and t.dtype in (TensorProto.FLOAT, TensorProto.DOUBLE) and t.count)
    if not x:
        return False
    n, c, h, w = x.shape
    if c % 4 == 0:
        g.node("DepthToSpace", [x], [(x.dtype, (n, c // 4, h * 2, w * 2), x.bound, x.exact)], blocksize=2,
               mode=g.random.choice(("DCR", "CRD")))
        return True
    if h % 2 == 0 and w % 2 == 0:
        g.node("SpaceToDepth", [x], [(x.dtype, (n, c * 4, h // 2, w // 2), x.bound, x.exact)], blocksize=2)
        return True
    return False


def shape_arithmetic(g):
    """What exporters write: a shape taken apart and put together again for a Reshape or an Expand."""
    x = any_of_rank(g, 2, 4)
    if not x or not x.count:
        return False
    shape = g.node("Shape", [x], [(INT64, (x.rank,), 64, True)])
    keep = g.random.randint(0, x.rank - 1)
    picked = g.node("Gather", [shape, g.ints([keep])], [(INT64, (1,), 64, True)], axis=0)
    if g.chance(0.5):
        target = g.node("Concat", [picked, g.ints([-1])], [(INT64, (2,), 64, True)], axis=0)
        g.node("Reshape", [x, target],
               [(x.dtype, (x.shape[keep], x.count // x.shape[keep]), x.bound, x.exact)])
        return True
    doubled = g.node("Mul", [picked, g.ints([2])], [(INT64, (1,), 64, True)])
    target = g.node("Concat", [g.ints([3]), doubled], [(INT64, (2,), 64, True)], axis=0)
    value = g.constant(np.asarray([g.random.randint(-3, 3)], np.float32))
    g.node("ConstantOfShape", [target], [(TensorProto.FLOAT, (3, 2 * x.shape[keep]), 3, True)],
           value=_attribute(value))
    g.initializers.remove(value)
    return True


def _attribute(tensor):
    from graphs import to_proto
    return to_proto(tensor.value, "")


def counting(g):
    """Range up to an extent, and Size."""
    x = any_of_rank(g, 1)
    if not x:
        return False
    size = g.node("Size", [x], [(INT64, (), 4096, True)])
    if x.count > 64 or g.chance(0.3):
        return True
    zero, one = g.constant(np.int64(0)), g.constant(np.int64(g.random.randint(1, 3)))
    g.node("Range", [zero, size, one], [(INT64, (len(range(0, x.count, int(one.value))),), x.count, True)])
    return True


def one_hot(g):
    x = g.pick(lambda t: t.dtype == INT64 and 1 <= t.rank < 3)
    if not x:
        return False
    depth = g.random.randint(1, 5)
    axis = g.random.randint(0, x.rank)
    g.node("OneHot", [x, g.constant(np.int64(depth)), g.constant(np.asarray([0, 2], np.float32))],
           [(TensorProto.FLOAT, (*x.shape[:axis], depth, *x.shape[axis:]), 2, True)], axis=axis)
    return True


def compress(g):
    x = g.pick(lambda t: t.rank and t.count)
    if not x:
        return False
    axis = g.random.randrange(x.rank)
    mask = g.numpy.integers(0, 2, (x.shape[axis],)).astype(bool)
    mask[g.random.randrange(len(mask))] = True
    condition = g.constant(mask) if g.chance(0.5) else g.input(TensorProto.BOOL, mask.shape, mask, 1, True)
    g.node("Compress", [x, condition],
           [(x.dtype, (*x.shape[:axis], int(mask.sum()), *x.shape[axis + 1:]), x.bound, x.exact)], axis=axis)
    return True


def nonzero(g):
    data = g.numpy.integers(0, 2, g.extents(g.random.randint(1, 3))).astype(bool)
    x = g.input(TensorProto.BOOL, data.shape, data, 1, True)
    g.node("NonZero", [x], [(INT64, (data.ndim, int(data.sum())), 8, True)])
    return True


TABLE = {
    reshape: 6, transpose: 5, slice_: 5, concat: 4, split: 3, expand: 2, tile: 2, pad: 3, squeeze: 2, unsqueeze: 3,
    flatten: 2, gather: 3, gather_elements: 1, gather_nd: 1, scatter_elements: 1, scatter_nd: 1, trilu: 1,
    depth_space: 2, shape_arithmetic: 3, counting: 1, one_hot: 1, compress: 1, nonzero: 1,
}
