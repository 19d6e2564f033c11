"""Operators with weights and windows: products, convolutions, pools, normalizations, quantization, resizing."""

import math

import numpy as np
from onnx import TensorProto

FLOAT = TensorProto.FLOAT
PRODUCTS = (FLOAT, FLOAT, TensorProto.DOUBLE)


def operand(g, rank, dtype=FLOAT, limit=8):
    """A float tensor of the rank with elements, made smaller; a new input when there is none."""
    x = g.pick(lambda t: t.dtype == dtype and t.rank == rank and t.count)
    if not x:
        x = g.input(dtype, g.extents(rank))
    return g.small(x, limit)


def matmul(g):
    dtype = g.random.choice(PRODUCTS)
    x = g.pick(lambda t: t.dtype == dtype and t.rank >= 1 and t.count)
    x = g.small(x, 8) if x else operand(g, g.random.randint(2, 3), dtype)
    k, n = x.shape[-1], g.random.choice((1, 2, 3, 5, 8, 17, 32, 40))
    batch = list(x.shape[:-2])
    choice = g.random.random()
    if choice < 0.15:
        shape = (k,)
    elif choice < 0.6:
        shape = (k, n)
    else:
        batch = [1 if g.chance(0.3) else extent for extent in batch[g.random.randint(0, len(batch)):]]
        shape = (*batch, k, n)
    y = g.fixed(dtype, shape, bound=3)
    result = np.matmul(np.zeros(x.shape, np.int8), np.zeros(shape, np.int8)).shape
    if math.prod(result) > 4096:
        return False
    g.node("MatMul", [x, y], [(dtype, result, k * x.bound * y.bound, x.exact and y.exact)])
    return True


def gemm(g):
    x = operand(g, 2)
    transposed = g.random.randint(0, 1)
    m, k = x.shape[::-1] if transposed else x.shape
    n, flip = g.random.choice((1, 3, 8, 16, 33)), g.random.randint(0, 1)
    y = g.fixed(FLOAT, (n, k) if flip else (k, n), bound=3)
    alpha, beta = g.random.choice(((1.0, 1.0), (2.0, 1.0), (0.5, 3.0)))
    operands, bound = [x, y], alpha * k * x.bound * y.bound
    if g.chance(0.7):
        c = g.fixed(FLOAT, g.random.choice(((n,), (1, n), (m, 1), (m, n), ())), bound=3)
        operands.append(c)
        bound += beta * 3
    exact = all(t.exact for t in operands) and alpha == int(alpha)
    g.node("Gemm", operands, [(FLOAT, (m, n), bound, exact)], transA=transposed, transB=flip, alpha=alpha, beta=beta)
    return True


def einsum(g):
    x = operand(g, 3)
    a, b, c = x.shape
    equation, shape, result, length = g.random.choice((
        ("abc,cd->abd", (c, 3), (a, b, 3), c), ("abc,adc->abd", (a, 4, c), (a, b, 4), c),
        ("abc->cb", None, (c, b), a), ("abc,bc->a", (b, c), (a,), b * c), ("abc,abc->ac", (a, b, c), (a, c), b),
        ("...c,cd->...d", (c, 2), (a, b, 2), c)))
    operands = [x] + ([g.fixed(FLOAT, shape, bound=3)] if shape else [])
    bound = length * x.bound * (operands[1].bound if shape else 1)
    g.node("Einsum", operands, [(FLOAT, result, bound, all(t.exact for t in operands))], equation=equation)
    return True


def window(g, spatial, most=3):
    """Attributes of a window that fits, and the extents it leaves."""
    kernel = [g.random.randint(1, min(extent, most)) for extent in spatial]
    strides = [g.random.choice((1, 1, 2, 3)) for _ in spatial]
    dilations = [2 if (k - 1) * 2 < extent and g.chance(0.2) else 1 for k, extent in zip(kernel, spatial)]
    attributes = {"strides": strides, "dilations": dilations}
    mode = g.random.choice(("NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))
    pads = [0] * (2 * len(spatial))
    if mode == "NOTSET":
        pads = [g.random.randint(0, k - 1) if g.chance(0.5) else 0 for k in kernel + kernel]
        attributes["pads"] = pads
    else:
        attributes["auto_pad"] = mode
        if mode != "VALID":
            attributes["dilations"] = dilations = [1] * len(spatial)
            attributes["strides"] = strides = [min(pair) for pair in zip(strides, kernel)]
    result = []
    for i, extent in enumerate(spatial):
        reach = (kernel[i] - 1) * dilations[i] + 1
        room = extent + pads[i] + pads[i + len(spatial)] - reach
        result.append(-(-extent // strides[i]) if mode.startswith("SAME") else room // strides[i] + 1)
    return kernel, attributes, result


def image(g, limit=8):
    return operand(g, g.random.choice((3, 4, 4, 4, 5)), FLOAT, limit)


def conv(g):
    x = image(g)
    n, c, *spatial = x.shape
    group = g.random.choice([d for d in range(1, c + 1) if c % d == 0])
    outputs = group * g.random.choice((1, 2, 3, 8, 16) if group == 1 else (1, 2, 3))
    kernel, attributes, result = window(g, spatial)
    w = g.fixed(FLOAT, (outputs, c // group, *kernel), bound=2)
    operands, bound = [x, w], c // group * math.prod(kernel) * x.bound * w.bound
    if g.chance(0.5):
        operands.append(g.fixed(FLOAT, (outputs,), bound=3))
        bound += 3
    if g.chance(0.5):
        attributes["kernel_shape"] = kernel
    g.node("Conv", operands, [(FLOAT, (n, outputs, *result), bound, all(t.exact for t in operands))], group=group,
           **attributes)
    return True


def conv_transpose(g):
    x = image(g)
    n, c, *spatial = x.shape
    group = g.random.choice([d for d in range(1, c + 1) if c % d == 0])
    outputs = g.random.randint(1, 2)
    kernel = [g.random.randint(1, 3) for _ in spatial]
    strides = [g.random.randint(1, 2) for _ in spatial]
    extra = [g.random.randint(0, s - 1) for s in strides]
    pads = [g.random.randint(0, k // 2) for k in kernel] * 2
    result = [(e - 1) * s + k - 2 * p + o for e, s, k, p, o in zip(spatial, strides, kernel, pads, extra)]
    if min(result) < 1:
        return False
    w = g.fixed(FLOAT, (c, outputs, *kernel), bound=2)
    bound = c // group * math.prod(kernel) * x.bound * w.bound
    g.node("ConvTranspose", [x, w], [(FLOAT, (n, outputs * group, *result), bound, x.exact and w.exact)], group=group,
           strides=strides, pads=pads, output_padding=extra)
    return True


def pool(g):
    x = image(g, 64)
    n, c, *spatial = x.shape
    op = g.random.choice(("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool"))
    if op.startswith("Global"):
        g.node(op, [x], [(FLOAT, (n, c, *[1] * len(spatial)), x.bound, x.exact and op == "GlobalMaxPool")])
        return True
    kernel, attributes, result = window(g, spatial)
    if op == "LpPool":
        attributes.pop("dilations")
        kernel, attributes = kernel, {k: v for k, v in attributes.items() if k != "auto_pad"}
        if "pads" not in attributes:
            result = [(e - k) // s + 1 for e, k, s in zip(spatial, kernel, attributes["strides"])]
        else:
            pads = attributes["pads"]
            result = [(e + pads[i] + pads[i + len(spatial)] - k) // s + 1
                      for i, (e, k, s) in enumerate(zip(spatial, kernel, attributes["strides"]))]
        attributes["p"] = g.random.randint(1, 2)
    if op == "AveragePool":
        attributes["count_include_pad"] = g.random.randint(0, 1)
    g.node(op, [x], [(FLOAT, (n, c, *result), x.bound * (math.prod(kernel) if op == "LpPool" else 1),
                      x.exact and op == "MaxPool")], kernel_shape=kernel, **attributes)
    return True


def normalization(g):
    op = g.random.choice(("LayerNormalization", "BatchNormalization", "InstanceNormalization", "GroupNormalization",
                          "LRN", "LpNormalization", "RMSNormalization"))
    x = image(g, 16)
    n, c, *spatial = x.shape
    big = 4 * math.sqrt(x.count) + 3
    if op == "LayerNormalization":
        axis = g.random.randrange(1, x.rank)
        shape = x.shape[axis:]
        operands = [x, g.fixed(FLOAT, shape, bound=2)]
        if g.chance(0.6):
            operands.append(g.fixed(FLOAT, shape, bound=2))
        g.same(op, operands, x, bound=2 * big, exact=False, axis=axis, epsilon=0.125)
    elif op == "RMSNormalization":
        g.needs(23)
        axis = g.random.randrange(1, x.rank)
        g.same(op, [x, g.fixed(FLOAT, x.shape[axis:], bound=2)], x, bound=2 * big, exact=False, axis=axis, epsilon=0.125)
    elif op == "BatchNormalization":
        scale, bias, mean = (g.fixed(FLOAT, (c,), bound=2) for _ in range(3))
        variance = g.fixed(FLOAT, (c,), low=0.5, bound=4, exact=False)
        g.same(op, [x, scale, bias, mean, variance], x, bound=4 * (x.bound + 2) + 2, exact=False)
    elif op == "InstanceNormalization":
        g.same(op, [x, g.fixed(FLOAT, (c,), bound=2), g.fixed(FLOAT, (c,), bound=2)], x, bound=2 * big, exact=False,
               epsilon=0.125)
    elif op == "GroupNormalization":
        groups = g.random.choice([d for d in range(1, c + 1) if c % d == 0])
        g.same(op, [x, g.fixed(FLOAT, (c,), bound=2), g.fixed(FLOAT, (c,), bound=2)], x, bound=2 * big, exact=False,
               epsilon=0.125, num_groups=groups)
    elif op == "LRN":
        if x.rank != 4:
            return False
        g.same(op, [x], x, exact=False, size=g.random.choice((1, 3)), alpha=0.01, beta=0.75, bias=1.0)
    else:
        x = g.same("Abs", [x], x)
        x = g.same("Add", [x, g.scalar(1, FLOAT, True)], x, bound=x.bound + 1)
        g.same(op, [x], x, bound=1, exact=False, axis=g.random.randrange(x.rank), p=g.random.randint(1, 2))
    return True


def quantization(g):
    """A scale of a power of two and integers: nothing lies near a rounding boundary but on it."""
    x = g.pick(lambda t: t.dtype == FLOAT and t.exact and t.count)
    if not x:
        return False
    x = g.small(x, 24)
    to = g.random.choice((TensorProto.INT8, TensorProto.UINT8))
    axis = g.random.randrange(x.rank) if x.rank and g.chance(0.5) else None
    shape = () if axis is None else (x.shape[axis],)
    scale = g.constant(np.asarray(2.0**g.numpy.integers(0, 3, shape), np.float32))
    zero = g.constant(g.numpy.integers(0, 9, shape).astype(np.int8 if to == TensorProto.INT8 else np.uint8))
    attributes = {} if axis is None else {"axis": axis}
    q = g.node("QuantizeLinear", [x, scale, zero], [(to, x.shape, 255 if to == TensorProto.UINT8 else 127, True)],
               **attributes)
    if g.chance(0.7):
        g.node("DequantizeLinear", [q, scale, zero], [(FLOAT, x.shape, 4 * 255, True)], **attributes)
    return True


def integer_product(g):
    a = g.pick(lambda t: t.dtype in (TensorProto.UINT8, TensorProto.INT8) and t.rank >= 2 and t.count)
    a = a or g.input(g.random.choice((TensorProto.UINT8, TensorProto.INT8)), g.extents(2))
    k = a.shape[-1]
    b = g.fixed(TensorProto.INT8, (k, g.random.randint(1, 9)), bound=100)
    operands = [a, b]
    if g.chance(0.5):
        operands.append(g.scalar(3, a.dtype, True))
    g.node("MatMulInteger", operands, [(TensorProto.INT32, (*a.shape[:-1], b.shape[1]), k * 258 * 100, True)])
    return True


BYTES = (TensorProto.UINT8, TensorProto.INT8)
# Two products of it and any byte fit 16 bits, in which ONNX Runtime adds them on some processors.
SMALL_BYTE = 60


def scaled_product(g):
    """QLinearMatMul with scales that are powers of two: what is rounded is computed exactly."""
    a = g.pick(lambda t: t.dtype in BYTES and t.rank >= 2 and t.count) or g.input(g.random.choice(BYTES), g.extents(2))
    k, n = a.shape[-1], g.random.randint(1, 9)
    b = g.fixed(TensorProto.INT8, (k, n), bound=SMALL_BYTE)
    columns = (n,) if g.chance(0.3) else ()

    def power(shape=(), least=-2, most=2):
        return g.constant(np.asarray(2.0**g.numpy.integers(least, most, shape), np.float32))
    operands = [a, power(), g.scalar(g.random.randint(0, 5), a.dtype, True), b, power(columns),
                g.constant(np.zeros(columns, np.int8)), power(least=2, most=9), g.scalar(7, a.dtype, True)]
    g.node("QLinearMatMul", operands, [(a.dtype, (*a.shape[:-1], n), 255, True)])
    return True


def integer_conv(g):
    x = g.pick(lambda t: t.dtype in BYTES and t.rank in (3, 4) and t.count)
    x = x or g.input(g.random.choice(BYTES), g.extents(g.random.choice((3, 4))))
    n, c, *spatial = x.shape
    group = g.random.choice([d for d in range(1, c + 1) if c % d == 0])
    outputs = group * g.random.randint(1, 3)
    kernel, attributes, result = window(g, spatial)
    w = g.fixed(g.random.choice(BYTES), (outputs, c // group, *kernel), bound=SMALL_BYTE)
    operands = [x, w]
    if g.chance(0.6):
        operands.append(g.scalar(3, x.dtype, True))
        if g.chance(0.5):
            operands.append(g.scalar(2, w.dtype, True))
    bound = c // group * math.prod(kernel) * 258 * (SMALL_BYTE + 2)
    g.node("ConvInteger", operands, [(TensorProto.INT32, (n, outputs, *result), bound, True)], group=group, **attributes)
    return True


def grid_sample(g):
    """Not of the nearest element, which a rounding error would decide."""
    x = g.pick(lambda t: t.dtype == FLOAT and t.rank in (4, 5) and t.count and t.count <= 512) or operand(g, 4)
    x = g.small(x)
    spatial = x.shape[2:]
    positions = [g.random.randint(1, 4) for _ in spatial]
    grid = g.fixed(FLOAT, (x.shape[0], *positions, len(spatial)), bound=1.5, exact=False)
    mode = g.random.choice(("linear", "cubic")) if x.rank == 4 else "linear"
    # Reflection needs two borders.
    padding = g.random.choice(("zeros", "border", "reflection") if min(spatial) > 1 else ("zeros", "border"))
    g.node("GridSample", [x, grid], [(FLOAT, (*x.shape[:2], *positions), 4 * x.bound, False)], mode=mode,
           padding_mode=padding, align_corners=g.random.randint(0, 1))
    return True


def resize(g):
    x = g.pick(lambda t: t.dtype == FLOAT and t.rank == 4 and t.count and t.count <= 512) or operand(g, 4)
    factors = [1, 1, g.random.choice((1, 2, 3)), g.random.choice((1, 2))]
    if g.chance(0.5):
        sizes = [e * f for e, f in zip(x.shape, factors)]
        operands = [x, None, None, g.integers(sizes)]
    else:
        operands = [x, None, g.constant(np.asarray(factors, np.float32))]
    if g.chance(0.5):
        attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    else:
        attributes = {"mode": "linear", "coordinate_transformation_mode":
                      g.random.choice(("half_pixel", "asymmetric", "align_corners"))}
    g.node("Resize", operands, [(FLOAT, [e * f for e, f in zip(x.shape, factors)], x.bound,
                                 x.exact and attributes["mode"] == "nearest")], **attributes)
    return True


def recurrent(g):
    """RNN, GRU and LSTM over sequences of one length, or of one a row."""
    x = operand(g, 3, limit=4)
    length, batch, size = x.shape
    op, gates = g.random.choice((("RNN", 1), ("GRU", 3), ("LSTM", 4)))
    direction = g.random.choice(("forward", "reverse", "bidirectional"))
    ways = 2 if direction == "bidirectional" else 1
    hidden = g.random.choice((1, 3, 4, 8, 17))
    operands = [x, g.fixed(FLOAT, (ways, gates * hidden, size), bound=1),
                g.fixed(FLOAT, (ways, gates * hidden, hidden), bound=1)]
    operands.append(g.fixed(FLOAT, (ways, 2 * gates * hidden), bound=1) if g.chance(0.5) else None)
    lengths = np.asarray([g.random.randint(1, length) for _ in range(batch)], np.int32)
    operands.append(g.constant(lengths) if g.chance(0.4) else None)
    operands += [g.fixed(FLOAT, (ways, batch, hidden), bound=1) if g.chance(0.4) else None
                 for _ in range(2 if op == "LSTM" else 1)]
    attributes = {"linear_before_reset": g.random.randint(0, 1)} if op == "GRU" else {}
    results = [(FLOAT, (length, ways, batch, hidden), 1, False), (FLOAT, (ways, batch, hidden), 1, False)]
    if op == "LSTM":
        results.append((FLOAT, (ways, batch, hidden), length + 1, False))
    g.node(op, operands, results, direction=direction, hidden_size=hidden, **attributes)
    return True


def reverse_sequence(g):
    x = g.pick(lambda t: t.rank >= 2 and t.count)
    if not x:
        return False
    time = g.random.randint(0, 1)
    lengths = [g.random.randint(1, x.shape[time]) for _ in range(x.shape[1 - time])]
    g.same("ReverseSequence", [x, g.integers(lengths)], x, time_axis=time, batch_axis=1 - time)
    return True


TABLE = {
    matmul: 6, gemm: 3, einsum: 1, conv: 5, conv_transpose: 2, pool: 3, normalization: 3, quantization: 2,
    integer_product: 1, scaled_product: 1, integer_conv: 1, grid_sample: 1, resize: 1, recurrent: 1, reverse_sequence: 1,
}
