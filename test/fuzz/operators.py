"""Operators for random graphs: each function takes its operands out of a graph and adds a node, or a few.

It returns false where the graph has nothing that fits. `TABLE` says how often each is tried.
"""

import math

import numpy as np
from onnx import TensorProto

import flow
import layers
import movement
from graphs import EXACT_UP_TO, FLOATS, INPUT_TYPES, INTS, LARGE, UNSIGNED

BOOL, INT64, FLOAT = TensorProto.BOOL, TensorProto.INT64, TensorProto.FLOAT

# ===-----------------------------------------------------------------------=== #
# Elementwise
# ===-----------------------------------------------------------------------=== #

# Bound of the result from that of the operand; integers stay integers only where the last entry says so.
SMOOTH = {
    "Abs": (lambda b: b, True), "Neg": (lambda b: b, True), "Relu": (lambda b: b, True),
    "Identity": (lambda b: b, True), "Sigmoid": (lambda b: 1, False), "Tanh": (lambda b: 1, False),
    "Erf": (lambda b: 1, False), "Softsign": (lambda b: 1, False), "Softplus": (lambda b: b + 1, False),
    "Elu": (lambda b: b, False), "Selu": (lambda b: 2 * b, False), "LeakyRelu": (lambda b: b, False),
    "Celu": (lambda b: b, False), "HardSigmoid": (lambda b: 1, False), "HardSwish": (lambda b: b, False),
    "Mish": (lambda b: b, False), "Gelu": (lambda b: b, False), "Sin": (lambda b: 1, False),
    "Cos": (lambda b: 1, False), "Atan": (lambda b: 1.6, False), "Asinh": (lambda b: b, False),
}
JUMPING = {"Floor": True, "Ceil": True, "Round": True, "Sign": True, "ThresholdedRelu": True, "Shrink": True}


def unary(g):
    x = g.pick(lambda t: t.is_float)
    if not x:
        return False
    op = g.random.choice(list(SMOOTH))
    bound, keeps = SMOOTH[op]
    x = g.small(x)
    g.same(op, [x], x, bound=bound(x.bound), exact=x.exact and keeps)
    return True


def jumping(g):
    x = g.pick(lambda t: t.is_float and t.exact)
    if not x:
        return False
    op = g.random.choice(list(JUMPING))
    g.same(op, [x], x, bound=1 if op == "Sign" else x.bound)
    return True


def growing(g):
    """Exp, and functions whose operand is kept away from their poles."""
    x = g.pick(lambda t: t.is_float)
    if not x:
        return False
    op = g.random.choice(("Exp", "Log", "Sqrt", "Reciprocal", "Sinh", "Cosh"))
    if op in ("Exp", "Sinh", "Cosh"):
        x = g.small(x, 4)
        g.same(op, [x], x, bound=math.exp(x.bound), exact=False)
        return True
    x = g.small(x)
    x = g.same("Abs", [x], x)
    x = g.same("Add", [x, g.scalar(1, x.dtype, True)], x, bound=x.bound + 1)
    g.same(op, [x], x, exact=False)
    return True


def integer_unary(g):
    x = g.pick(lambda t: t.is_int)
    if not x:
        return False
    if x.dtype in UNSIGNED or g.chance(0.3):
        g.same("BitwiseNot", [x], x, bound=EXACT_UP_TO[x.dtype])
    else:
        g.same(g.random.choice(("Abs", "Neg", "Sign", "Identity")), [x], x)
    return True


def arithmetic(g):
    x = g.pick(lambda t: t.is_float or t.is_int)
    if not x:
        return False
    y = g.broadcastable(x)
    op = g.random.choice(("Add", "Sub", "Mul", "Max", "Min", "Sum", "Mean"))
    if op in ("Sum", "Mean") and not x.is_float:
        op = "Add"
    if x.dtype in UNSIGNED and op == "Sub":
        op = "Add"
    limit = LARGE if x.is_float or EXACT_UP_TO[x.dtype] > 10000 else 7
    x, y = g.small(x, limit), g.small(y, limit)
    bound = {"Mul": x.bound * y.bound, "Max": max(x.bound, y.bound), "Min": max(x.bound, y.bound)}.get(
        op, x.bound + y.bound)
    operands = [x, y] if g.chance(0.5) else [y, x]
    if op in ("Max", "Min", "Sum", "Mean") and g.chance(0.3):
        operands.append(x)
        bound += x.bound
    exact = x.exact and y.exact and op != "Mean"
    g.node(op, operands, [(x.dtype, np.broadcast_shapes(x.shape, y.shape), bound, exact)])
    return True


def division(g):
    x = g.pick(lambda t: t.is_float or t.is_int)
    if not x:
        return False
    x = g.small(x)
    if x.is_int:
        y = g.broadcastable(x, low=1, bound=5)
        shape = np.broadcast_shapes(x.shape, y.shape)
        if g.chance(0.5):
            g.node("Div", [x, y], [(x.dtype, shape, x.bound, True)])
        else:
            g.node("Mod", [x, y], [(x.dtype, shape, x.bound + 5, True)], fmod=g.random.randint(0, 1))
        return True
    y = g.small(g.broadcastable(x))
    y = g.same("Abs", [y], y)
    y = g.same("Add", [y, g.scalar(1, y.dtype, True)], y, bound=y.bound + 1)
    g.node("Div", [x, y], [(x.dtype, np.broadcast_shapes(x.shape, y.shape), x.bound, False)])
    return True


def power(g):
    x = g.pick(lambda t: t.dtype in (TensorProto.FLOAT, TensorProto.DOUBLE))
    if not x:
        return False
    x = g.small(x, 8)
    exponent = g.random.choice((0, 1, 2, 3))
    if exponent < 2 and g.chance(0.5):
        x = g.same("Abs", [x], x)
        x = g.same("Add", [x, g.scalar(1, x.dtype, True)], x, bound=x.bound + 1)
        exponent += 0.5
    g.same("Pow", [x, g.scalar(exponent, x.dtype)], x, bound=max(x.bound, 1)**exponent,
           exact=x.exact and exponent == int(exponent))
    return True


def comparison(g):
    x = g.pick(lambda t: t.exact and t.dtype != BOOL)
    if not x:
        return False
    y = g.pick(lambda t: t.exact and t.dtype == x.dtype and t.shape == x.shape and t is not x)
    y = y or g.broadcastable(x, exact=True, bound=4)
    op = g.random.choice(("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"))
    g.node(op, [x, y], [(BOOL, np.broadcast_shapes(x.shape, y.shape), 1, True)])
    return True


def logic(g):
    x = g.pick(lambda t: t.dtype == BOOL)
    if not x:
        return False
    if g.chance(0.25):
        g.same("Not", [x], x)
        return True
    y = g.broadcastable(x)
    g.node(g.random.choice(("And", "Or", "Xor")), [x, y], [(BOOL, np.broadcast_shapes(x.shape, y.shape), 1, True)])
    return True


def bits(g):
    x = g.pick(lambda t: t.is_int)
    if not x:
        return False
    y = g.broadcastable(x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    if x.dtype in UNSIGNED and g.chance(0.4):
        y = g.broadcastable(x, low=0, bound=3)
        g.node("BitShift", [x, y], [(x.dtype, np.broadcast_shapes(x.shape, y.shape), EXACT_UP_TO[x.dtype], True)],
               direction=g.random.choice(("LEFT", "RIGHT")))
        return True
    bound = max(EXACT_UP_TO[x.dtype] if x.dtype in (TensorProto.INT8, TensorProto.UINT8) else 0,
                2**math.ceil(math.log2(max(x.bound, y.bound, 1) + 1)))
    g.node(g.random.choice(("BitwiseAnd", "BitwiseOr", "BitwiseXor")), [x, y], [(x.dtype, shape, bound, True)])
    return True


def where(g):
    x = g.pick()
    if not x:
        return False
    y = g.broadcastable(x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    def fits(t):
        try:
            return t.dtype == BOOL and np.prod(np.broadcast_shapes(t.shape, shape)) <= 2048
        except ValueError:
            return False
    condition = g.pick(fits) or g.fixed(BOOL, tuple(1 if g.chance(0.3) else extent for extent in shape))
    g.node("Where", [condition, x, y], [(x.dtype, np.broadcast_shapes(condition.shape, shape), max(x.bound, y.bound),
                                         x.exact and y.exact)])
    return True


def clip(g):
    x = g.pick(lambda t: t.is_float or t.is_int)
    if not x:
        return False
    low = None if g.chance(0.3) else g.scalar(0 if x.dtype in UNSIGNED else -2, x.dtype, True)
    high = None if g.chance(0.3) else g.scalar(3, x.dtype, True)
    g.same("Clip", [x, low, high], x)
    return True


def cast(g):
    x = g.pick(lambda t: t.exact or t.is_float)
    if not x:
        return False
    if not x.exact:
        targets = [t for t in FLOATS if t != x.dtype]
    else:
        targets = [t for t in FLOATS + INTS + (BOOL,) if t != x.dtype]
    to = g.random.choice(targets)
    if to in UNSIGNED and x.dtype != BOOL and x.dtype not in UNSIGNED:
        x = g.same("Abs", [x], x)
    if to != BOOL:
        x = g.small(x, min(LARGE, EXACT_UP_TO[to]))
    g.node("Cast", [x], [(to, x.shape, 1 if to == BOOL else x.bound, x.exact)], to=to)
    return True


def prelu(g):
    x = g.pick(lambda t: t.is_float)
    if not x:
        return False
    x = g.small(x)
    shape = [1 if g.chance(0.4) else extent for extent in x.shape[g.random.randint(0, x.rank):]]
    slope = g.fixed(x.dtype, tuple(shape), bound=2)
    g.same("PRelu", [x, slope], x, bound=x.bound * 2, exact=x.exact and slope.exact)
    return True


# ===-----------------------------------------------------------------------=== #
# Reductions
# ===-----------------------------------------------------------------------=== #


def reduced_shape(shape, axes, keeps):
    return tuple(1 if i in axes else extent for i, extent in enumerate(shape) if keeps or i not in axes)


def reduction(g):
    x = g.pick(lambda t: (t.is_float or t.dtype in (INT64, TensorProto.INT32)) and t.rank and t.count)
    if not x:
        return False
    op = g.random.choice(("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSumExp", "LogSum"))
    if not x.is_float and op in ("L2", "LogSumExp", "LogSum", "Mean"):
        op = "Sum"
    axes = sorted(g.random.sample(range(x.rank), g.random.randint(1, x.rank)))
    count = int(np.prod([x.shape[axis] for axis in axes]))
    x = g.small(x, {"Prod": 2, "LogSumExp": 8, "SumSquare": 8}.get(op, 16))
    if op == "Prod" and count > 8:
        op = "Sum"
    if op == "LogSum":
        x = g.same("Abs", [x], x)
        x = g.same("Add", [x, g.scalar(1, x.dtype, True)], x, bound=x.bound + 1)
    # Of a product only where it is one: of many factors it is no float.
    bound = {"Sum": count * x.bound, "L1": count * x.bound, "Prod": max(1, x.bound)**(count if op == "Prod" else 1),
             "L2": count * x.bound, "SumSquare": count * x.bound**2, "LogSumExp": x.bound + math.log(count + 1),
             "LogSum": math.log(count * x.bound + 1)}.get(op, x.bound)
    keeps = g.random.randint(0, 1)
    named = [axis - x.rank if g.chance(0.3) else axis for axis in axes]
    operands = [x, g.ints(named)]
    if len(axes) == x.rank and g.chance(0.5):
        operands = [x]
    exact = x.exact and op in ("Sum", "Max", "Min", "Prod", "L1", "SumSquare")
    g.node(f"Reduce{op}", operands, [(x.dtype, reduced_shape(x.shape, axes, keeps), bound, exact)], keepdims=keeps)
    return True


def arg(g):
    x = g.pick(lambda t: t.exact and t.dtype in (FLOAT, TensorProto.INT32, TensorProto.INT8) and t.rank and t.count)
    if not x:
        return False
    axis, keeps = g.random.randrange(x.rank), g.random.randint(0, 1)
    g.node(g.random.choice(("ArgMax", "ArgMin")), [x],
           [(INT64, reduced_shape(x.shape, [axis], keeps), x.shape[axis], True)], axis=axis, keepdims=keeps,
           select_last_index=g.random.randint(0, 1))
    return True


def topk(g):
    x = g.pick(lambda t: t.exact and t.dtype in (FLOAT, INT64) and t.rank and t.count)
    if not x:
        return False
    axis = g.random.randrange(x.rank)
    k = g.random.randint(1, x.shape[axis])
    shape = x.shape[:axis] + (k,) + x.shape[axis + 1:]
    g.node("TopK", [x, g.integers([k])], [(x.dtype, shape, x.bound, True), (INT64, shape, x.shape[axis], True)],
           axis=axis, largest=g.random.randint(0, 1))
    return True


def softmax(g):
    x = g.pick(lambda t: t.is_float and t.rank and t.count)
    if not x:
        return False
    op = g.random.choice(("Softmax", "LogSoftmax", "Hardmax") if x.exact else ("Softmax", "LogSoftmax"))
    x = g.small(x, 16)
    g.same(op, [x], x, bound=2 * x.bound + 8 if op == "LogSoftmax" else 1, exact=op == "Hardmax",
           axis=g.random.randrange(-x.rank, x.rank))
    return True


def running(g):
    x = g.pick(lambda t: t.dtype in (FLOAT, INT64, TensorProto.INT32) and t.rank)
    if not x:
        return False
    axis = g.random.randrange(x.rank)
    x = g.small(x)
    g.same("CumSum", [x, g.constant(np.int64(axis))], x, bound=x.bound * max(x.shape[axis], 1),
           exclusive=g.random.randint(0, 1), reverse=g.random.randint(0, 1))
    return True


def running_product(g):
    x = g.pick(lambda t: t.dtype in (FLOAT, INT64, TensorProto.INT32) and t.rank and min(t.shape) <= 8)
    if not x:
        return False
    axis = g.random.choice([i for i in range(x.rank) if x.shape[i] <= 8])
    g.needs(26)
    x = g.small(x, 2)
    g.same("CumProd", [x, g.constant(np.int64(axis))], x, bound=max(1, x.bound)**x.shape[axis],
           exclusive=g.random.randint(0, 1), reverse=g.random.randint(0, 1))
    return True


def unique(g):
    """Of an input, whose values say how many there are."""
    dtype = g.random.choice((FLOAT, INT64, TensorProto.INT8))
    data, bound, _ = g.values(dtype, g.extents(g.random.randint(1, 3)), bound=3, exact=True)
    x = g.input(dtype, data.shape, data, bound, True)
    attributes = {"sorted": g.random.randint(0, 1)}
    axis = g.random.randrange(x.rank) if g.chance(0.5) else None
    if axis is not None:
        attributes["axis"] = axis - x.rank if g.chance(0.3) else axis
    shape = np.unique(data, axis=axis).shape
    count = shape[axis or 0]
    along = x.count if axis is None else x.shape[axis]
    g.node("Unique", [x], [(dtype, shape, bound, True), (INT64, (count,), x.count, True),
                           (INT64, (along,), x.count, True), (INT64, (count,), x.count, True)], **attributes)
    return True


TABLE = {
    unary: 8, jumping: 3, growing: 4, integer_unary: 2, arithmetic: 12, division: 4, power: 2, comparison: 3, logic: 3,
    bits: 2, where: 3, clip: 2, cast: 5, prelu: 1, reduction: 6, arg: 2, topk: 1, softmax: 3, running: 1, running_product: 1,
    unique: 1, **flow.TABLE, **movement.TABLE, **layers.TABLE,
}


def build(graph, count):
    """Fills an empty graph with about `count` nodes; returns its outputs."""
    for _ in range(graph.random.randint(1, 3)):
        dtype = graph.random.choices(list(INPUT_TYPES), list(INPUT_TYPES.values()))[0]
        graph.input(dtype, graph.extents(graph.random.choice((0, 1, 2, 2, 3, 3, 4, 4, 5))))
    operators, weights = list(TABLE), list(TABLE.values())
    for _ in range(20 * count):
        if len(graph.nodes) >= count:
            break
        graph.random.choices(operators, weights)[0](graph)
    # NumPy has no bfloat16: such results are looked at as floats.
    for t in [t for t in graph.leaves() if t.dtype == TensorProto.BFLOAT16]:
        graph.node("Cast", [t], [(FLOAT, t.shape, t.bound, t.exact)], to=FLOAT)
    return graph.leaves()[-8:]
