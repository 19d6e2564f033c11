"""Cases of Microsoft's attention operators."""

import numpy as np

from contrib_case import below, case, f16, f32, i8, i32, instead, scale, u8

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
case("Attention", "value of masks", [x, w, b, np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32)],
     heads | {"mask_filter_value": -3.0})
case("Attention", "mask and past", [x, w, b, below(2, 2, 8) | np.eye(8, dtype=np.int32)[:2], f32(2, 2, 2, 3, 4)], heads,
     outputs=(True, True))
case("Attention", "rotary", [x, w, b], heads | {"do_rotary": 1}, refused="'do_rotary'", expected=lambda *_: [])
case("Attention", "dynamic", [x, w, b, np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32)], heads, constants=(1, 2),
     dynamic=True)
case("QAttention", "", [u8(2, 5, 6), i8(6, 24), f32(24), scale(0.02), scale(0.01), None, np.uint8(128), np.int8(0)],
     heads, constants=(1, 2, 3, 4, 6, 7), limit=1e-4)
case("QAttention", "lengths, columns, past",
     [u8(2, 5, 6), i8(6, 24), f32(24), scale(0.02), np.abs(f32(24)) * 0.01 + 0.005, i32(6, 8), np.uint8(120), i8(24) // 8,
      f32(2, 2, 2, 3, 4)], heads | {"unidirectional": 1}, outputs=(True, True), constants=(1, 2, 3, 4, 6, 7), limit=1e-4)
q, k, v = f32(2, 4, 8), f32(2, 6, 8), f32(2, 6, 8)
case("MultiHeadAttention", "", [q, k, v], heads)
case("MultiHeadAttention", "bias, lengths", [q, k, v, f32(24), i32(4, 6)], heads)
case("MultiHeadAttention", "mask", [q, k, v, None, np.array([[1, 1, 0, 1, 0, 1], [1] * 6], np.int32)], heads)
case("MultiHeadAttention", "scores' bias", [q, k, v, None, None, f32(1, 2, 4, 6)], heads | {"scale": 0.2})
case("MultiHeadAttention", "keys of rank 4", [q, f32(2, 2, 6, 4), f32(2, 2, 6, 4)], heads)
case("MultiHeadAttention", "past", [q, f32(2, 4, 8), f32(2, 4, 8), None, None, None, f32(2, 2, 3, 4), f32(2, 2, 3, 4)],
     heads | {"unidirectional": 1}, outputs=(True, True, True))
case("MultiHeadAttention", "dynamic", [q, k, v], heads, outputs=(True, True, True), dynamic=True)
case("MultiHeadAttention", "mask of queries",
     [q, k, v, None, np.tril(np.ones((2, 4, 6), np.int32), 2)], heads | {"mask_filter_value": -1e4})
case("MultiHeadAttention", "other width of values", [q, k, f32(2, 6, 12), f32(28)], heads)
case("MultiHeadAttention", "scores", [q, k, v, None, None, f32(1, 2, 4, 6)], heads, outputs=(True, False, False, True),
     types={"y3": np.float32})
packed = lambda *parts: np.stack([part.reshape(2, -1, 2, 4) for part in parts], 3)
same = f32(2, 4, 8), f32(2, 4, 8), f32(2, 4, 8)
case("MultiHeadAttention", "packed", [packed(*same)], heads, peer=instead("MultiHeadAttention", same, heads))
case("MultiHeadAttention", "packed, bias, mask",
     [packed(*same), None, None, b, np.array([[1, 1, 0, 1], [1] * 4], np.int32)], heads,
     peer=instead("MultiHeadAttention", [*same, b, np.array([[1, 1, 0, 1], [1] * 4], np.int32)], heads))
case("MultiHeadAttention", "packed keys and values", [q, packed(k, v)], heads,
     peer=instead("MultiHeadAttention", [q, k, v], heads))
case("MultiHeadAttention", "packed, dynamic", [packed(*same)], heads, dynamic=True,
     peer=instead("MultiHeadAttention", same, heads))
case("MultiHeadAttention", "shared buffers", [q, k, v, *[None] * 3, f32(2, 2, 9, 4), f32(2, 2, 9, 4), i32(3)], heads,
     refused="input #8", expected=lambda *_: [])
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
case("RotaryEmbedding", "float16", [f16(2, 3, 8), np.array([[0, 1, 2], [4, 5, 6]], np.int64),
                                    *(table.astype(np.float16) for table in tables)], limit=2e-3)
groups = {"num_heads": 4, "kv_num_heads": 2}
angles = np.arange(16)[:, None] * 0.7 ** np.arange(8)
tables = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]


def grouped(name, length, held, total, attributes=None, more=(), packed=False, batch=2, scores=False, lengths=None,
            floats=f32, constants=(6,), **rest):
    """Queries of width 64, keys and values of width 32; `held` is the cache's capacity, `total` what it ends with."""
    fresh = [floats(batch, length, 64), floats(batch, length, 32), floats(batch, length, 32)]
    if packed:
        fresh = [np.concatenate(fresh, 2), None, None]
    past = [floats(batch, 2, held, 16), floats(batch, 2, held, 16)] if held else [None, None]
    lengths = np.full(batch, total - 1, np.int32) if lengths is None else i32(*lengths)
    case("GroupQueryAttention", name, [*fresh, *past, lengths, np.array(total, np.int32), *more],
         groups | (attributes or {}), outputs=(True, True, True, scores), constants=constants, **rest)


grouped("prompt", 5, 0, 5)
grouped("step", 1, 6, 7)
grouped("step, packed", 1, 6, 7, packed=True)
grouped("step, rotary", 1, 6, 7, {"do_rotary": 1}, tables)
grouped("prompt, rotary", 5, 0, 5, {"do_rotary": 1, "rotary_interleaved": 1}, tables)
grouped("window", 6, 0, 6, {"local_window_size": 2})
grouped("softcap, scale", 5, 0, 5, {"softcap": 2.0, "scale": 0.4})
grouped("smooth softmax", 5, 0, 5, {"smooth_softmax": 1})
grouped("sinks", 5, 0, 5, {"local_window_size": 3, "smooth_softmax": -1}, [*[None] * 4, f32(4) * 2])
grouped("sinks, step", 1, 6, 7, {}, [*[None] * 4, f32(4) * 2])
grouped("defaults", 5, 0, 5, {"k_quant_type": "NONE", "v_quant_type": "NONE", "qk_output": 0, "causal": 1,
                              "local_window_size": -1, "softcap": 0.0, "smooth_softmax": 0})
grouped("both directions", 5, 0, 5, {"causal": 0})
grouped("scores' bias", 5, 0, 5, {}, [None, None, None, f32(1, 4, 5, 5)])
grouped("scores' bias, step", 1, 6, 7, {}, [None, None, None, f32(2, 1, 1, 7)])
written = lambda count: lambda y: y[:, :, :count] if y.ndim == 4 else y
grouped("spare capacity", 1, 16, 7, seen=written(7))
grouped("spare capacity, bias", 1, 16, 7, {}, [None, None, None, f32(2, 4, 1, 7)], constants=(), seen=written(7))
grouped("several steps", 3, 6, 9, {"do_rotary": 1}, tables, batch=1)
grouped("lengths", 1, 8, 8, {"do_rotary": 1}, tables, lengths=(4, 7), seen=written(5))
grouped("places", 1, 8, 8, {"do_rotary": 1}, [*tables, np.array([[9], [3]], np.int64)])
grouped("scores", 5, 0, 5, {"qk_output": 1, "scale": 0.2}, scores=True)
grouped("scores, window", 5, 0, 5, {"qk_output": 1, "local_window_size": 2}, scores=True)
grouped("weights", 1, 6, 7, {"qk_output": 2}, scores=True)
grouped("float16", 5, 0, 5, {"do_rotary": 1}, [table.astype(np.float16) for table in tables], floats=f16, limit=3e-3)
grouped("dynamic", 1, 6, 7, {"do_rotary": 1}, tables, dynamic=True, constants=(6, 7, 8))
grouped("quantized cache", 5, 0, 5, {"k_quant_type": "PER_TENSOR"}, refused="'k_quant_type'", expected=lambda *_: [])


def normalized_heads(x, weight, heads):
    split = x.reshape(2, -1, heads, 16).astype(np.float64)
    split = split / np.sqrt((split * split).mean(-1, keepdims=True) + 1e-6) * weight
    return split.reshape(x.shape).astype(np.float32)


q, k, v, weights = f32(2, 5, 64), f32(2, 5, 32), f32(2, 5, 32), [f32(16), f32(16)]
rest = [None, None, np.full(2, 4, np.int32), np.array(5, np.int32), *tables]
case("GroupQueryAttention", "normalized heads", [q, k, v, *rest, *[None] * 5, *weights], groups | {"do_rotary": 1},
     outputs=(True, True, True), constants=(6,),
     peer=instead("GroupQueryAttention", [normalized_heads(q, weights[0], 4), normalized_heads(k, weights[1], 2), v,
                                          *rest], groups | {"do_rotary": 1}, outputs=(True, True, True)))
