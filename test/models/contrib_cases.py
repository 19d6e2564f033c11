"""Cases of Microsoft's operators: what goes in, which outputs are asked for, what must be refused."""

import dataclasses

import numpy as np

rng = np.random.default_rng(7)


@dataclasses.dataclass
class Case:
    operator: str
    name: str
    inputs: list  # arrays; None: absent
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: tuple = (True,)  # which are asked for
    constants: tuple = ()  # positions of inputs that are weights
    dynamic: bool = False  # extents are known at run time only, but the last of floats
    domain: str = "com.microsoft"
    limit: float = 1e-5
    refused: str = ""  # part of the message


CASES = []


def case(operator, name, inputs, attributes=None, **more):
    inputs = [None if array is None else np.asarray(array) for array in inputs]
    CASES.append(Case(operator, name, inputs, attributes or {}, **more))


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def u8(*shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


def i8(*shape):
    """Few enough bits that ONNX Runtime's sums of two products do not saturate on processors without dot products."""
    return rng.integers(-64, 64, shape).astype(np.int8)


def i32(*values):
    return np.array(values, np.int32)


def scale(value):
    return np.array(value, np.float32)


def below(high, *shape, dtype=np.int32):
    return rng.integers(0, high, shape).astype(dtype)


# Operators that ONNX has as well.
case("Gelu", "", [f32(3, 7)])
case("Trilu", "upper", [f32(4, 5)])
case("Trilu", "lower, offset", [f32(2, 4, 5), np.array(1, np.int64)], {"upper": 0}, constants=(1,))
case("Range", "", [np.array(v, np.int64) for v in (2, 11, 3)], constants=(0, 2))
case("GridSample", "", [f32(1, 2, 5, 6), np.clip(f32(1, 3, 4, 2), -1.2, 1.2)], {"mode": "bilinear"})
case("GridSample", "nearest", [f32(1, 2, 5, 6), np.clip(f32(1, 3, 4, 2), -1, 1)],
     {"mode": "nearest", "padding_mode": "border", "align_corners": 1})
case("ExpandDims", "", [f32(2, 3), i32(1).reshape(())], constants=(1,))
case("Pad", "", [f32(2, 3), np.array([0, 1, 1, 0], np.int64), scale(2.5)], {"mode": "constant"}, constants=(1,))
case("QuantizeLinear", "", [f32(4, 6), scale(0.03), np.uint8(100)])
case("QuantizeLinear", "per axis", [f32(4, 6), np.abs(f32(6)) * 0.02 + 0.01, i8(6) // 8], {"axis": 1})
case("DequantizeLinear", "", [u8(4, 6), scale(0.03), np.uint8(100)])
case("DequantizeLinear", "int8, no zero point", [i8(4, 6), scale(0.03)])

# Activations.
case("BiasGelu", "", [f32(2, 3, 8), f32(8)])
case("FastGelu", "", [f32(2, 3, 8)], limit=1e-4)
case("FastGelu", "bias, dynamic", [f32(2, 3, 8), f32(8)], dynamic=True, limit=1e-4)
case("QuickGelu", "", [f32(2, 9)])
case("QuickGelu", "alpha", [f32(2, 9)], {"alpha": 1.1})

# Products and convolutions.
case("FusedMatMul", "", [f32(3, 4), f32(4, 5)], {"alpha": 0.25})
case("FusedMatMul", "transposed", [f32(2, 4, 3), f32(2, 5, 4)], {"transA": 1, "transB": 1, "alpha": 2.0})
case("FusedMatMul", "batches moved", [f32(3, 2, 4), f32(4, 2, 5)], {"transBatchA": 1, "transBatchB": 1})
case("FusedMatMul", "dynamic", [f32(2, 3, 4), f32(2, 5, 4)], {"transB": 1}, dynamic=True)
case("FusedGemm", "Relu", [f32(3, 4), f32(4, 5), f32(5)], {"activation": "Relu"})
case("FusedGemm", "LeakyRelu", [f32(4, 3), f32(5, 4)],
     {"activation": "LeakyRelu", "activation_alpha": 0.3, "transA": 1, "transB": 1, "alpha": 0.5})
for activation, parameters in [("Relu", []), ("Sigmoid", []), ("Tanh", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.7]),
                               ("HardSigmoid", [0.3, 0.4])]:
    more = {"activation_params": parameters} if parameters else {}
    case("FusedConv", activation, [f32(1, 3, 6, 7), f32(4, 3, 3, 3), f32(4)],
         {"activation": activation, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]} | more)
case("FusedConv", "sum", [f32(1, 3, 6, 7), f32(4, 3, 3, 3), f32(4), f32(1, 4, 6, 7)],
     {"activation": "Relu", "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]})

# Normalizations.
case("SkipLayerNormalization", "", [f32(2, 3, 8), f32(2, 3, 8), f32(8)])
case("SkipLayerNormalization", "all", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8), f32(8)], {"epsilon": 1e-5},
     outputs=(True, False, False, True))
case("SkipLayerNormalization", "skip of one batch", [f32(2, 3, 8), f32(1, 3, 8), f32(8), f32(8)])
case("SkipLayerNormalization", "dynamic", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8)], constants=(2, 3), dynamic=True)
case("SkipSimplifiedLayerNormalization", "", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], {"epsilon": 1e-6},
     outputs=(True, False, False, True))
case("SkipSimplifiedLayerNormalization", "bias", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8)])
case("SimplifiedLayerNormalization", "", [f32(2, 3, 8), f32(8)], {"epsilon": 1e-6, "axis": -1}, domain="")
case("SimplifiedLayerNormalization", "deviation", [f32(2, 3, 8), f32(8)], outputs=(True, True), domain="")
ids, tables = below(20, 2, 5), [f32(20, 8), f32(9, 8)]
case("EmbedLayerNormalization", "", [ids, None, *tables, None, f32(8), f32(8)], outputs=(True, True))
case("EmbedLayerNormalization", "all", [ids, below(2, 2, 5), *tables, f32(2, 8), f32(8), f32(8),
                                        np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], np.int32), below(9, 2, 5)],
     {"epsilon": 1e-6}, outputs=(True, True, True))

# Attention: [batch, sequence, width] with two heads of four.
x, w, b = f32(2, 5, 6), f32(6, 24), f32(24)
heads = {"num_heads": 2}
case("Attention", "", [x, w, b], heads)
case("Attention", "scale", [x, w, b], heads | {"scale": 0.3})
case("Attention", "causal", [x, w, b], heads | {"unidirectional": 1})
case("Attention", "lengths", [x, w, b, i32(3, 5)], heads)
case("Attention", "ends and starts", [x, w, b, i32(4, 5, 1, 0)], heads)
case("Attention", "mask", [x, w, b, np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32)], heads)
case("Attention", "mask of queries", [x, w, b, below(2, 2, 5, 5) | np.eye(5, dtype=np.int32)], heads)
case("Attention", "past", [x, w, b, None, f32(2, 2, 2, 3, 4)], heads | {"unidirectional": 1}, outputs=(True, True))
case("Attention", "scores' bias", [x, w, b, None, None, f32(2, 2, 5, 5)], heads)
case("Attention", "other widths", [x, f32(6, 28), f32(28)], heads | {"qkv_hidden_sizes": [8, 8, 12]})
case("Attention", "dynamic", [x, w, b, np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32)], heads, constants=(1, 2),
     dynamic=True)
q, k, v = f32(2, 4, 8), f32(2, 6, 8), f32(2, 6, 8)
case("MultiHeadAttention", "", [q, k, v], heads)
case("MultiHeadAttention", "bias, lengths", [q, k, v, f32(24), i32(4, 6)], heads)
case("MultiHeadAttention", "mask", [q, k, v, None, np.array([[1, 1, 0, 1, 0, 1], [1] * 6], np.int32)], heads)
case("MultiHeadAttention", "scores' bias", [q, k, v, None, None, f32(1, 2, 4, 6)], heads | {"scale": 0.2})
case("MultiHeadAttention", "keys of rank 4", [q, f32(2, 2, 6, 4), f32(2, 2, 6, 4)], heads)
case("MultiHeadAttention", "past", [q, f32(2, 4, 8), f32(2, 4, 8), None, None, None, f32(2, 2, 3, 4), f32(2, 2, 3, 4)],
     heads | {"unidirectional": 1}, outputs=(True, True, True))
case("MultiHeadAttention", "dynamic", [q, k, v], heads, outputs=(True, True, True), dynamic=True)
angles = np.arange(16)[:, None] * np.array([1.0, 0.2])
tables = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
case("RotaryEmbedding", "", [f32(2, 3, 8), np.array([[0, 1, 2], [4, 5, 6]], np.int64), *tables])
case("RotaryEmbedding", "interleaved", [f32(2, 3, 8), np.array([[0, 1, 2], [4, 5, 6]], np.int64), *tables],
     {"interleaved": 1})
case("RotaryEmbedding", "offset, rank 4", [f32(2, 2, 3, 4), np.array([5], np.int64), *tables])
case("RotaryEmbedding", "part of a head", [f32(2, 3, 12), np.array([[0, 1, 2], [4, 5, 6]], np.int64), *tables],
     {"num_heads": 2, "rotary_embedding_dim": 4})
case("RotaryEmbedding", "scale", [f32(2, 3, 8), np.array([[0, 1, 2], [4, 5, 6]], np.int64), *tables], {"scale": 2.0},
     refused="scale")
groups = {"num_heads": 4, "kv_num_heads": 2}
angles = np.arange(16)[:, None] * 0.7 ** np.arange(8)
tables = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]


def grouped(name, length, held, total, attributes=None, more=(), packed=False, **rest):
    """Queries of width 64, keys and values of width 32; `held` is the cache's capacity, `total` what it ends with."""
    fresh = [f32(2, length, 64), f32(2, length, 32), f32(2, length, 32)]
    if packed:
        fresh = [np.concatenate(fresh, 2), None, None]
    past = [f32(2, 2, held, 16), f32(2, 2, held, 16)] if held else [None, None]
    case("GroupQueryAttention", name,
         [*fresh, *past, np.full(2, total - 1, np.int32), np.array(total, np.int32), *more],
         groups | (attributes or {}), outputs=(True, True, True), constants=(6,), **rest)


grouped("prompt", 5, 0, 5)
grouped("step", 1, 6, 7)
grouped("step, packed", 1, 6, 7, packed=True)
grouped("step, rotary", 1, 6, 7, {"do_rotary": 1}, tables)
grouped("prompt, rotary", 5, 0, 5, {"do_rotary": 1, "rotary_interleaved": 1}, tables)
grouped("window", 6, 0, 6, {"local_window_size": 2})
grouped("softcap, scale", 5, 0, 5, {"softcap": 2.0, "scale": 0.4})
grouped("smooth softmax", 5, 0, 5, {"smooth_softmax": 1}, refused="smooth_softmax")

# Quantized.
xq, wq = u8(3, 8), i8(8, 5)
case("DynamicQuantizeMatMul", "", [f32(3, 8), wq, scale(0.02)], limit=1e-2)
scales = np.abs(f32(5)) * 0.02 + 0.01
case("DynamicQuantizeMatMul", "per column", [f32(3, 8), u8(8, 5), scales, u8(5), f32(5)], limit=1e-2)
case("MatMulIntegerToFloat", "", [xq, wq, scale(0.05), scale(0.02)])
case("MatMulIntegerToFloat", "zero points, bias", [xq, wq, scale(0.05), scales, np.uint8(120), i8(5), f32(5)])
case("QGemm", "float", [u8(3, 8), scale(0.05), np.uint8(120), i8(5, 8), scale(0.02), np.int8(3), None],
     {"transB": 1, "alpha": 0.5}, constants=(1, 2, 3, 4, 5))
case("QGemm", "quantized", [u8(3, 8), scale(0.05), np.uint8(120), u8(8, 5), scales, u8(5),
                            below(500, 5), scale(0.7), np.uint8(128)], constants=(1, 2, 3, 4, 5, 6, 7, 8))
quantized = lambda *shape: [u8(*shape), scale(0.04), np.uint8(110)]
result = [scale(0.05), np.uint8(128)]
all_but = lambda count, *data: tuple(i for i in range(count) if i not in data)
for operator in ("QLinearAdd", "QLinearMul"):
    case(operator, "", [*quantized(2, 3, 8), *quantized(2, 3, 8), *result], constants=all_but(8, 0, 3))
    case(operator, "stretched", [*quantized(2, 3, 8), *quantized(8), *result], constants=all_but(8, 0, 3))
    case(operator, "int8", [i8(4, 8), scale(0.04), np.int8(-3), i8(4, 8), scale(0.02), np.int8(7), scale(0.05),
                            np.int8(1)], constants=all_but(8, 0, 3))
case("QLinearSigmoid", "", [*quantized(2, 9), scale(1 / 256), np.uint8(0)], constants=all_but(5, 0))
case("QLinearLeakyRelu", "", [*quantized(2, 9), *result], {"alpha": 0.2}, constants=all_but(5, 0))
case("QLinearSoftmax", "", [*quantized(2, 3, 5), scale(1 / 256), np.uint8(0)], {"axis": -1, "opset": 13},
     constants=all_but(5, 0))
case("QLinearSoftmax", "of a flat rest", [*quantized(2, 3, 5), scale(1 / 256), np.uint8(0)], {"axis": 1, "opset": 12},
     constants=all_but(5, 0))
case("QLinearConcat", "", [*result, *quantized(2, 3), u8(2, 4), scale(0.02), np.uint8(7)], {"axis": 1},
     constants=(0, 1, 3, 4, 6, 7))
case("QLinearWhere", "", [rng.integers(0, 2, (2, 5)).astype(bool), *quantized(2, 5), *quantized(2, 5), *result],
     constants=(2, 3, 5, 6, 7, 8))
pool = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 0, 1]}
case("QLinearAveragePool", "", [*quantized(1, 3, 7, 6), *result], pool, constants=all_but(5, 0))
case("QLinearAveragePool", "channels last", [*quantized(1, 7, 6, 3), *result],
     pool | {"channels_last": 1, "count_include_pad": 1}, constants=all_but(5, 0))
case("QLinearGlobalAveragePool", "", [*quantized(1, 3, 7, 6), *result], constants=all_but(5, 0))
case("QLinearGlobalAveragePool", "channels last", [*quantized(1, 7, 6, 3), *result], {"channels_last": 1},
     constants=all_but(5, 0))
case("QLinearConv", "channels last", [*quantized(1, 6, 7, 3), i8(4, 3, 3, 3), scale(0.02), np.int8(0), *result],
     {"channels_last": 1, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, constants=all_but(8, 0))
case("QAttention", "", [u8(2, 5, 6), i8(6, 24), f32(24), scale(0.02), scale(0.01), None, np.uint8(128), np.int8(0)],
     heads, constants=all_but(8, 0), limit=1e-4)


def few_bits(name, k, n, bits, block, zeros="", dynamic=False, **more):
    blocks = -(-k // block)
    points = {"": None, "packed": u8(n * -(-blocks * bits // 8)), "real": f32(n * blocks) + 8}[zeros]
    steps = np.abs(f32(n * blocks)) * 0.1 + 0.02
    case("MatMulNBits", name, [f32(3, k), u8(n, blocks, block * bits // 8), steps, points],
         {"K": k, "N": n, "bits": bits, "block_size": block}, constants=(1, 2, 3), limit=1e-4, dynamic=dynamic, **more)


few_bits("", 64, 5, 4, 32)
few_bits("zero points", 96, 4, 4, 32, "packed")
few_bits("rest of a block", 40, 4, 4, 16, "packed", dynamic=True)
few_bits("real zero points", 64, 4, 4, 32, "real")
few_bits("8 bits", 64, 4, 8, 32, "packed")
