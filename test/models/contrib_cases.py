"""Cases of Microsoft's operators: what goes in, which outputs are asked for, what must be refused."""

import math

import ml_dtypes
import numpy as np

import contrib_attention_cases  # noqa: F401  its cases join the others
from contrib_case import CASES, below, case, f16, f32, i8, i32, instead, rng, scale, u8  # noqa: F401

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
case("FusedMatMul", "everything transposed", [f32(4, 2, 3), f32(5, 2, 4)],
     {"transA": 1, "transBatchA": 1, "transB": 1, "transBatchB": 1, "alpha": 0.5})
case("FusedMatMul", "vectors", [f32(4), f32(5, 4)], {"transA": 1, "transB": 1})
case("FusedMatMul", "stretched, float64", [f32(2, 1, 3, 4).astype(np.float64), f32(6, 5, 4).astype(np.float64)],
     {"transB": 1})
case("FusedMatMul", "unknown option", [f32(3, 4), f32(4, 5)], {"transC": 1}, refused="'transC'", expected=lambda *_: [])
case("FusedGemm", "factors", [f32(3, 4), f32(4, 5), f32(3, 1)], {"activation": "Tanh", "alpha": 0.5, "beta": 2.0})
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
case("FusedConv", "strides, groups", [f32(1, 4, 7, 7), f32(6, 2, 3, 3)],
     {"activation": "Relu", "kernel_shape": [3, 3], "strides": [2, 1], "group": 2, "auto_pad": "SAME_UPPER"})
last, first = (0, 2, 3, 1), (0, 3, 1, 2)
x, w, b = f32(1, 4, 6, 7), f32(6, 2, 3, 3), f32(6)
window = {"kernel_shape": [3, 3], "pads": [1, 0, 1, 2], "strides": [2, 1], "group": 2}
case("NhwcConv", "", [x.transpose(last), w.transpose(last), b], window, constants=(1, 2),
     peer=instead("Conv", [x, w, b], window, domain=""), then=lambda y: y.transpose(last))
case("NhwcFusedConv", "", [x.transpose(last), w, b], window | {"activation": "Relu"}, constants=(1, 2),
     peer=instead("FusedConv", [x, w, b], window | {"activation": "Relu"}), then=lambda y: y.transpose(last))
z = f32(1, 6, 3, 7)
case("NhwcFusedConv", "sum", [x.transpose(last), w, b, z.transpose(last)], window | {"activation": "Relu"},
     peer=instead("FusedConv", [x, w, b, z], window | {"activation": "Relu"}), then=lambda y: y.transpose(last))
pool = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 0, 1]}
case("NhwcMaxPool", "", [u8(1, 7, 6, 3)], pool)
case("NhwcMaxPool", "int8, ceiling", [i8(2, 8, 6, 3)], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1})
case("BiasAdd", "", [f32(2, 6, 8), f32(8), f32(2, 6, 8)], expected=lambda x, bias, skip: [x + bias + skip])


def split_gelu(x, bias):
    left, right = np.split(x + bias, 2, -1)
    return [(left * right * 0.5 * (1 + np.vectorize(math.erf)(right / math.sqrt(2)))).astype(np.float32)]


case("BiasSplitGelu", "", [f32(2, 6, 16), f32(16)], expected=split_gelu)

# Normalizations.
case("SkipLayerNormalization", "", [f32(2, 3, 8), f32(2, 3, 8), f32(8)])
case("SkipLayerNormalization", "all", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8), f32(8)], {"epsilon": 1e-5},
     outputs=(True, False, False, True))
case("SkipLayerNormalization", "skip of one batch", [f32(2, 3, 8), f32(1, 3, 8), f32(8), f32(8)])
case("SkipLayerNormalization", "dynamic", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8)], constants=(2, 3), dynamic=True)
case("SkipLayerNormalization", "skip without batch", [f32(2, 3, 8), f32(3, 8), f32(8), f32(8)])
case("SkipLayerNormalization", "float16", [f16(2, 3, 8), f16(2, 3, 8), f16(8), f16(8), f16(8)], limit=2e-3)


def skip_statistics(kind, epsilon=1e-12):
    """ONNX Runtime leaves them out on processors."""
    def expected(x, skip, gamma):
        total = (x + skip).astype(np.float64)
        mean = total.mean(-1, keepdims=True) if kind == "layer" else np.float64(0)
        deviation = 1 / np.sqrt(((total - mean) ** 2).mean(-1, keepdims=True) + epsilon)
        normalized = ((total - mean) * deviation * gamma).astype(x.dtype)
        return [normalized, *([mean.astype(np.float32)] if kind == "layer" else []), deviation.astype(np.float32), x + skip]
    return expected


case("SkipLayerNormalization", "statistics", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], outputs=(True, True, True, True),
     expected=skip_statistics("layer"))
case("SkipLayerNormalization", "statistics of float16", [f16(2, 3, 8), f16(2, 3, 8), f16(8)], {"epsilon": 0.1},
     outputs=(True, True, True, True), expected=skip_statistics("layer", 0.1), limit=2e-3)
case("LayerNormalization", "before ONNX had it", [f32(2, 3, 8), f32(8), f32(8)], {"epsilon": 1e-6, "axis": -1}, opset=12,
     domain="")
case("SkipSimplifiedLayerNormalization", "tokens", [f32(3, 8), f32(3, 8), f32(8)])
case("SkipSimplifiedLayerNormalization", "", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], {"epsilon": 1e-6},
     outputs=(True, False, False, True))
case("SkipSimplifiedLayerNormalization", "deviation", [f32(2, 3, 8), f32(2, 3, 8), f32(8)],
     outputs=(True, False, True, True), expected=skip_statistics("rms"))
case("SkipSimplifiedLayerNormalization", "mean", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], outputs=(True, True),
     refused="not supported", expected=lambda *_: [])
case("SkipSimplifiedLayerNormalization", "bias", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8)])
case("SimplifiedLayerNormalization", "", [f32(2, 3, 8), f32(8)], {"epsilon": 1e-6, "axis": -1}, domain="")
case("SimplifiedLayerNormalization", "deviation", [f32(2, 3, 8), f32(8)], outputs=(True, True), domain="")
ids, tables = below(20, 2, 5), [f32(20, 8), f32(9, 8)]
case("EmbedLayerNormalization", "", [ids, None, *tables, None, f32(8), f32(8)], outputs=(True, True))
case("EmbedLayerNormalization", "all", [ids, below(2, 2, 5), *tables, f32(2, 8), f32(8), f32(8),
                                        np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], np.int32), below(9, 2, 5)],
     {"epsilon": 1e-6}, outputs=(True, True, True))
case("EmbedLayerNormalization", "places of all", [ids, None, *tables, None, f32(8), f32(8), None, below(9, 1, 5)],
     {"mask_index_type": 0})
mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], np.int32)
steps = [scale(value) for value in (0.02, 0.03, 0.01, 0.04, 0.05)]
points = [np.uint8(value) for value in (120, 130, 100, 7, 140)]
case("QEmbedLayerNormalization", "", [ids, below(2, 2, 5), u8(20, 8), u8(9, 8), u8(2, 8), u8(8), u8(8), mask, *steps,
                                      *points], outputs=(True, True), constants=tuple(range(2, 7)))
case("QEmbedLayerNormalization", "no segments",
     [ids, None, u8(20, 8), u8(9, 8), None, u8(8), u8(8), None, *steps[:2], None, *steps[3:], *points[:2], None,
      *points[3:]], outputs=(True, True))


def group_norm(x, gamma, beta, groups, silu, first=False):
    """Of channels last, unless `first`."""
    channels = 1 if first else x.ndim - 1
    x = np.moveaxis(x, channels, 1).astype(np.float64)
    grouped = x.reshape(x.shape[0], groups, -1)
    grouped = (grouped - grouped.mean(-1, keepdims=True)) / np.sqrt(grouped.var(-1, keepdims=True) + 1e-5)
    shape = (-1,) + (1,) * (x.ndim - 2)
    y = grouped.reshape(x.shape) * gamma.reshape(shape) + beta.reshape(shape)
    return np.moveaxis(y / (1 + np.exp(-y)) if silu else y, 1, channels).astype(np.float32)


case("GroupNorm", "", [f32(2, 4, 5, 6), f32(6), f32(6)], {"groups": 3, "activation": 1},
     expected=lambda *x: [group_norm(*x, 3, True)])
case("GroupNorm", "channels first", [f32(2, 6, 4, 5), f32(6), f32(6)],
     {"groups": 2, "activation": 0, "channels_last": 0}, expected=lambda *x: [group_norm(*x, 2, False, True)])
case("SkipGroupNorm", "", [f32(2, 4, 5, 6), f32(6), f32(6), f32(2, 4, 5, 6), f32(6)], {"groups": 3, "activation": 1},
     outputs=(True, True),
     expected=lambda x, gamma, beta, skip, bias: [group_norm(x + skip + bias, gamma, beta, 3, True), x + skip + bias])
case("SkipGroupNorm", "skip of channels", [f32(2, 4, 5, 6), f32(6), f32(6), f32(2, 6)], {"groups": 2, "activation": 0},
     expected=lambda x, gamma, beta, skip: [group_norm(x + skip[:, None, None], gamma, beta, 2, False)])

# Quantized.
xq, wq = u8(3, 8), i8(8, 5)
case("DynamicQuantizeMatMul", "", [f32(3, 8), wq, scale(0.02)], limit=1e-2)
scales = np.abs(f32(5)) * 0.02 + 0.01
case("DynamicQuantizeMatMul", "per column", [f32(3, 8), u8(8, 5), scales, u8(5), f32(5)], limit=1e-2)
case("MatMulIntegerToFloat", "", [xq, wq, scale(0.05), scale(0.02)])
case("MatMulIntegerToFloat", "zero points, bias", [xq, wq, scale(0.05), scales, np.uint8(120), i8(5), f32(5)])
case("QGemm", "float", [u8(3, 8), scale(0.05), np.uint8(120), i8(5, 8), scale(0.02), np.int8(3), None],
     {"transB": 1, "alpha": 0.5}, constants=(1, 2, 3, 4, 5))
case("MatMulIntegerToFloat", "int8, batches", [i8(2, 3, 8), i8(8, 5), scale(0.05), scales, np.int8(-3), None, f32(5)])
case("DynamicQuantizeMatMul", "batches", [f32(2, 3, 8), i8(8, 5), scales, i8(5)], limit=1e-2)
case("QGemm", "both turned, int8", [i8(8, 3), scale(0.05), np.int8(12), i8(5, 8), scales, i8(5), below(500, 5),
                                    scale(0.7), np.int8(3)], {"transA": 1, "transB": 1}, constants=tuple(range(1, 9)))
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
case("QLinearAdd", "no zero point", [u8(4, 8), scale(0.04), np.uint8(3), u8(4, 8), scale(0.02), np.uint8(9), scale(0.06)],
     constants=(1, 2, 4, 5, 6))
case("QLinearConcat", "three, last axis", [scale(0.05), np.int8(3), *[value for count in (2, 3, 1) for value in
                                          (i8(2, 3, count), scale(0.01 * count), np.int8(count))]],
     {"axis": -1}, constants=(0, 1, 3, 4, 6, 7, 9, 10))
case("QLinearAveragePool", "", [*quantized(1, 3, 7, 6), *result], pool, constants=all_but(5, 0))
case("QLinearAveragePool", "channels last", [*quantized(1, 7, 6, 3), *result],
     pool | {"channels_last": 1, "count_include_pad": 1}, constants=all_but(5, 0))
case("QLinearGlobalAveragePool", "", [*quantized(1, 3, 7, 6), *result], constants=all_but(5, 0))
case("QLinearGlobalAveragePool", "channels last", [*quantized(1, 7, 6, 3), *result], {"channels_last": 1},
     constants=all_but(5, 0))
case("QLinearConv", "channels last", [*quantized(1, 6, 7, 3), i8(4, 3, 3, 3), scale(0.02), np.int8(0), *result],
     {"channels_last": 1, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, constants=all_but(8, 0))
case("QLinearConv", "channels last, groups, bias",
     [*quantized(1, 6, 7, 4), i8(6, 2, 3, 3), np.abs(f32(6)) * 0.02 + 0.01, np.zeros(6, np.int8), *result,
      below(500, 6)], {"channels_last": 1, "kernel_shape": [3, 3], "group": 2, "strides": [2, 2]},
     constants=all_but(9, 0))
def lstm(name, directions, attributes=None, more=(), per_gate=False, **rest):
    """ONNX Runtime rounds inputs and states to 8 bits as well."""
    scales = lambda: np.abs(f32(directions, 32 if per_gate else 1)).reshape(directions, -1) * 0.004 + 0.004
    zeros = lambda: np.zeros_like(scales(), np.int8)
    shape = (lambda v: v) if per_gate else (lambda v: v[:, 0])
    case("DynamicQuantizeLSTM", name,
         [f32(6, 2, 5), i8(directions, 5, 32), i8(directions, 8, 32), f32(directions, 64) * 0.2, None,
          *(more or [None, None]), None, shape(scales()), shape(zeros()), shape(scales()), shape(zeros())],
         {"hidden_size": 8} | (attributes or {}), outputs=(True, True, True), constants=(1, 2, 3, 8, 9, 10, 11),
         limit=2e-2, **rest)


lstm("", 1)
lstm("both directions, gates", 2, {"direction": "bidirectional"}, per_gate=True)
lstm("states", 1, {"direction": "reverse"}, [f32(1, 2, 8), f32(1, 2, 8)])


def few_bits(name, k, n, bits, block, zeros="", dynamic=False, floats=f32, groups=None, bias=None, limit=1e-4,
             constants=(1, 2, 3, 4), **more):
    blocks = -(-k // block)
    points = {"": None, "packed": u8(n * -(-blocks * bits // 8)), "real": floats(n * blocks) + 8}[zeros]
    steps = np.abs(floats(n * blocks)) * floats().dtype.type(0.1) + floats().dtype.type(0.02)
    case("MatMulNBits", name, [floats(3, k), u8(n, blocks, block * bits // 8), steps, points, groups, bias],
         {"K": k, "N": n, "bits": bits, "block_size": block}, constants=constants, limit=limit, dynamic=dynamic,
         **more)


few_bits("", 64, 5, 4, 32)
few_bits("zero points", 96, 4, 4, 32, "packed")
few_bits("rest of a block", 40, 4, 4, 16, "packed", dynamic=True)
few_bits("real zero points", 64, 4, 4, 32, "real")
few_bits("8 bits", 64, 4, 8, 32, "packed")
few_bits("8 bits, no zero points", 64, 4, 8, 64)
few_bits("2 bits", 128, 5, 2, 32)
few_bits("2 bits, zero points", 256, 4, 2, 64, "packed")
few_bits("2 bits, rest of a block", 80, 4, 2, 32, "packed")
few_bits("bias", 64, 5, 4, 32, bias=f32(5))


def reordered(a, packed, steps, points, groups):
    """ONNX Runtime forgets the zero points."""
    halves = lambda v, rows: np.stack([v & 15, v >> 4], -1).reshape(rows, -1).astype(np.int32)
    n = packed.shape[0]
    weights = (halves(packed, n) - halves(points, n)[:, groups]) * steps.reshape(n, -1)[:, groups]
    return [(a @ weights.T.astype(np.float64)).astype(np.float32)]


groups = rng.permutation(np.repeat(np.arange(4), 16)).astype(np.int32)
few_bits("reordered", 64, 5, 4, 16, groups=groups)
few_bits("reordered, zero points", 64, 5, 4, 16, "packed", groups=groups, constants=(), expected=reordered)
few_bits("float16", 64, 5, 4, 32, "packed", floats=f16, limit=2e-3)

for kind in (0, 1):
    case("MatMulBnb4", ["FP4", "NF4"][kind], [f32(3, 64), u8(5 * 32), np.abs(f32(10))],
         {"K": 64, "N": 5, "block_size": 32, "quant_type": kind}, constants=(1, 2))
case("MatMulBnb4", "blocks across rows", [f32(2, 3, 40), u8(5 * 20), np.abs(f32(4))],
     {"K": 40, "N": 5, "block_size": 64, "quant_type": 1}, constants=(1, 2))

rows = np.array([[3, 0, 9], [1, 1, 7]], np.int64)
table = {"block_size": 16, "quantize_axis": 1}
case("GatherBlockQuantized", "4 bits", [u8(10, 24), rows, np.abs(f32(10, 3)), u8(10, 2)], table | {"bits": 4},
     constants=(0, 2, 3))
case("GatherBlockQuantized", "4 bits, no zero points", [u8(10, 16), rows[0].astype(np.int32), np.abs(f32(10, 2))],
     table | {"bits": 4}, constants=(0, 2))
case("GatherBlockQuantized", "8 bits", [u8(10, 40), rows, np.abs(f32(10, 3)), u8(10, 3)], table | {"bits": 8},
     constants=(0, 2, 3))
case("GatherBlockQuantized", "uint4", [below(16, 10, 32).astype(ml_dtypes.uint4), rows, np.abs(f32(10, 2)),
                                       below(16, 10, 2).astype(ml_dtypes.uint4)], table, constants=(0, 2, 3))
case("GatherBlockQuantized", "int4, other axes", [(below(16, 32, 10) - 8).astype(ml_dtypes.int4), rows, np.abs(f32(2, 10))],
     {"block_size": 16, "quantize_axis": 0, "gather_axis": 1}, constants=(0, 2))
