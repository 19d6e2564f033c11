"""Transformers for text and speech, a recurrent network, and the blocks of newer language models."""

import numpy as np

from .builder import F32, I64, Graph


def block(graph, x, width, heads, attend, activation, decomposed=False, prenorm=True):
    """A transformer layer around `attend`, which maps normalized input to merged heads."""
    norm = lambda value: graph.layer_norm(value, width, decomposed)
    with graph.scope("attention"):
        y = graph.linear(attend(norm(x) if prenorm else x), width, width, gain=0.3 if prenorm else 1.0)
        x = graph.op("Add", y, x) if prenorm else norm(graph.op("Add", y, x))
    with graph.scope("mlp"):
        y = activation(graph.linear(norm(x) if prenorm else x, width, 4 * width, gain=2.0))
        y = graph.linear(y, 4 * width, width, gain=0.3)
        return graph.op("Add", y, x) if prenorm else norm(graph.op("Add", y, x))


def projections(graph, query, memory, width, heads):
    """Three linear layers, as separate nodes, split into heads."""
    size = width // heads
    return [graph.split_heads(graph.linear(x, width, width), heads, size) for x in (query, memory, memory)]


def bert(seed=0, width=768, heads=12, layers=12, vocabulary=30522, positions=512):
    """As PyTorch exports it: normalization in small ops, a mask of large negative numbers, dynamic sizes."""
    graph = Graph("bert", seed, opset=14)
    ids = graph.input("input_ids", ["N", "S"], I64)
    mask = graph.input("attention_mask", ["N", "S"], I64)
    kinds = graph.input("token_type_ids", ["N", "S"], I64)
    with graph.scope("embeddings"):
        x = graph.op("Gather", graph.random((vocabulary, width), 0.5, "words"), ids, axis=0)
        x = graph.op("Add", x, graph.op("Gather", graph.random((2, width), 0.2, "types"), kinds, axis=0))
        places = graph.slice(graph.weight(np.arange(positions)[None], "position_ids"), 0, graph.extent(ids, 1), 1)
        x = graph.op("Add", x, graph.op("Gather", graph.random((positions, width), 0.2, "positions"), places, axis=0))
        x = graph.layer_norm(x, width, decomposed=True, epsilon=1e-12)
    hidden = graph.op("Unsqueeze", mask, graph.ints(1, 2))
    hidden = graph.op("Sub", graph.const(1.0), graph.op("Cast", hidden, to=F32))
    hidden = graph.op("Mul", hidden, graph.const(np.finfo(np.float32).min))
    for layer in range(layers):
        with graph.scope("encoder", layer):
            def attend(y):
                q, k, v = projections(graph, y, y, width, heads)
                return graph.merge_heads(graph.attention(q, k, v, width // heads, hidden), width)
            x = block(graph, x, width, heads, attend, graph.gelu, decomposed=True, prenorm=False)
    first = graph.op("Gather", x, graph.const(0, np.int64), axis=1)
    graph.output("last_hidden_state", x, ["N", "S", width])
    graph.output("pooled", graph.op("Tanh", graph.gemm(first, width, width)), ["N", width])
    return graph.model()


def causal_mask(graph, queries, keys):
    """0 where query i (the last ones of the keys) may see key j, else a large negative number: [T, S]."""
    total = graph.op("Squeeze", keys, graph.ints(0))
    count = graph.op("Squeeze", queries, graph.ints(0))
    zero, one = graph.const(0, np.int64), graph.const(1, np.int64)
    columns = graph.op("Range", zero, total, one)
    rows = graph.op("Range", graph.op("Sub", total, count), total, one)
    hidden = graph.op("Greater", graph.op("Unsqueeze", columns, graph.ints(0)),
                      graph.op("Unsqueeze", rows, graph.ints(1)))
    return graph.op("Where", hidden, graph.const(np.finfo(np.float32).min), graph.const(0.0))


def gpt2(seed=0, width=768, heads=12, layers=12, vocabulary=50257, positions=1024, cached=False):
    """The prompt (`cached` false), or the steps behind it on the keys and values of earlier ones."""
    graph = Graph("gpt2_step" if cached else "gpt2", seed)
    ids = graph.input("input_ids", ["N", "T"], I64)
    size = width // heads
    pasts = [[graph.input(f"past.{layer}.{part}", ["N", heads, "P", size]) for part in ("key", "value")]
             for layer in range(layers)] if cached else []
    words = graph.random((vocabulary, width), 0.5, "wte")
    start = graph.extent(pasts[0][0], 2) if cached else graph.ints(0)
    end = graph.op("Add", start, graph.extent(ids, 1))
    places = graph.op("Range", graph.op("Squeeze", start, graph.ints(0)), graph.op("Squeeze", end, graph.ints(0)),
                      graph.const(1, np.int64))
    x = graph.op("Add", graph.op("Gather", words, ids, axis=0),
                 graph.op("Gather", graph.random((positions, width), 0.2, "wpe"), places, axis=0))
    mask = causal_mask(graph, graph.extent(ids, 1), end)
    presents = []
    for layer in range(layers):
        with graph.scope("h", layer):
            def attend(y):
                parts = graph.op("Split", graph.linear(y, width, 3 * width), graph.ints(width, width, width), axis=2,
                                 outputs=3)
                q, k, v = (graph.split_heads(part, heads, size) for part in parts)
                if cached:
                    k, v = (graph.op("Concat", old, new, axis=2) for old, new in zip(pasts[layer], (k, v)))
                presents.append((k, v))
                return graph.merge_heads(graph.attention(q, k, v, size, mask), width)
            x = block(graph, x, width, heads, attend, graph.gelu_tanh)
    x = graph.layer_norm(x, width)
    graph.output("logits", graph.op("MatMul", x, graph.transpose(words, 1, 0)), ["N", "T", vocabulary])
    for layer, pair in enumerate(presents):
        for part, value in zip(("key", "value"), pair):
            graph.output(f"present.{layer}.{part}", value, ["N", heads, "S", size])
    return graph.model()


def whisper_encoder(seed=0, width=384, heads=6, layers=4, mels=80, frames=3000):
    graph = Graph("whisper_encoder", seed)
    x = graph.input("mel", ["N", mels, frames])
    x = graph.gelu(graph.conv(x, mels, width, (3,), 1))
    x = graph.gelu(graph.conv(x, width, width, (3,), 2))
    x = graph.transpose(x, 0, 2, 1)
    x = graph.op("Add", x, graph.random((frames // 2, width), 0.3, "positions"))
    for layer in range(layers):
        with graph.scope("layers", layer):
            def attend(y):
                q, k, v = projections(graph, y, y, width, heads)
                return graph.merge_heads(graph.attention(q, k, v, width // heads), width)
            x = block(graph, x, width, heads, attend, graph.gelu)
    graph.output("audio", graph.layer_norm(x, width), ["N", frames // 2, width])
    return graph.model()


def whisper_decoder(seed=0, width=384, heads=6, layers=4, vocabulary=51865, positions=448):
    graph = Graph("whisper_decoder", seed)
    ids = graph.input("tokens", ["N", "T"], I64)
    audio = graph.input("audio", ["N", "F", width])
    words = graph.random((vocabulary, width), 0.5, "words")
    count = graph.extent(ids, 1)
    places = graph.slice(graph.random((positions, width), 0.2, "positions"), 0, count, 0)
    x = graph.op("Add", graph.op("Gather", words, ids, axis=0), places)
    mask = causal_mask(graph, count, count)
    for layer in range(layers):
        with graph.scope("layers", layer):
            def attend(y, memory=None):
                q, k, v = projections(graph, y, memory or y, width, heads)
                return graph.merge_heads(graph.attention(q, k, v, width // heads, None if memory else mask), width)
            with graph.scope("self"):
                x = graph.op("Add", x, graph.linear(attend(graph.layer_norm(x, width)), width, width, gain=0.3))
            x = block(graph, x, width, heads, lambda y: attend(y, audio), graph.gelu)
    x = graph.layer_norm(x, width)
    graph.output("logits", graph.op("MatMul", x, graph.transpose(words, 1, 0)), ["N", "T", vocabulary])
    return graph.model()


def weather(seed=0, steps=24, side=32, channels=8, width=32, hidden=128, layers=2, horizon=12):
    """A convolution over every map of a series, two LSTMs over time, and a forecast."""
    graph = Graph("weather", seed)
    x = graph.input("maps", ["N", steps, channels, side, side])
    batch = graph.extent(x, 0)
    y = graph.reshape(x, -1, channels, side, side)
    for inside, out in ((channels, width), (width, 2 * width)):
        y = graph.op("Relu", graph.conv(y, inside, out, 3))
        y = graph.op("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = graph.op("GlobalAveragePool", y)
    y = graph.transpose(graph.reshape(y, batch, steps, 2 * width), 1, 0, 2)
    inside = 2 * width
    for layer in range(layers):
        directions = 2 if layer == 0 else 1
        with graph.scope("lstm", layer):
            bound = hidden ** -0.5
            uniform = lambda *shape: graph.rng.uniform(-bound, bound, shape).astype(np.float32)
            state = graph.op("Concat", graph.ints(directions), batch, graph.ints(hidden), axis=0)
            zeros = graph.op("ConstantOfShape", state)
            out, last, _ = graph.op(
                "LSTM", y, graph.weight(uniform(directions, 4 * hidden, inside), "W"),
                graph.weight(uniform(directions, 4 * hidden, hidden), "R"),
                graph.weight(uniform(directions, 8 * hidden), "B"), None, zeros, zeros, outputs=3,
                hidden_size=hidden, direction="bidirectional" if directions == 2 else "forward")
            y = graph.op("Transpose", out, perm=[0, 2, 1, 3])
            y = graph.op("Reshape", y, graph.ints(0, 0, -1))
            inside = directions * hidden
    last = graph.op("Squeeze", last, graph.ints(0))
    graph.output("forecast", graph.gemm(last, hidden, horizon * channels), ["N", horizon * channels])
    graph.output("states", y, [steps, "N", hidden])
    return graph.model()


def rotate(graph, x, cosine, sine, size):
    """Rotary embedding: halves are exchanged, one of them negated."""
    low, high = graph.slice(x, 0, size // 2, 3), graph.slice(x, size // 2, size, 3)
    turned = graph.op("Concat", graph.op("Neg", high), low, axis=3)
    return graph.op("Add", graph.op("Mul", x, cosine), graph.op("Mul", turned, sine))


def repeat_heads(graph, x, times, size):
    """Grouped-query attention: every key head serves `times` query heads."""
    batch, heads, length = (graph.extent(x, axis) for axis in range(3))
    shape = graph.op("Concat", batch, heads, graph.ints(times), length, graph.ints(size), axis=0)
    wide = graph.op("Expand", graph.op("Unsqueeze", x, graph.ints(2)), shape)
    return graph.reshape(wide, batch, graph.op("Mul", heads, graph.ints(times)), length, size)


def swiglu(graph, x, width, inner):
    gate = graph.silu(graph.linear(x, width, inner, bias=False))
    return graph.linear(graph.op("Mul", gate, graph.linear(x, width, inner, bias=False)), inner, width, bias=False)


def llama_block(seed=0, width=2048, heads=32, groups=8, inner=8192, positions=2048, layers=1):
    """Layers of a Llama: RMS norm, rotary embedding, grouped queries, SwiGLU, keys and values of the past."""
    graph = Graph("llama_block", seed)
    size = width // heads
    x = graph.input("hidden", ["N", "T", width])
    places = graph.input("position_ids", ["N", "T"], I64)
    angles = np.outer(np.arange(positions), 10000.0 ** (-np.arange(0, size, 2) / size))
    angles = np.concatenate([angles, angles], 1)
    table = lambda f, name: graph.op("Unsqueeze", graph.op("Gather", graph.weight(f(angles).astype(np.float32), name),
                                                           places, axis=0), graph.ints(1))
    cosine, sine = table(np.cos, "cosine"), table(np.sin, "sine")
    pasts = [[graph.input(f"past.{layer}.{part}", ["N", groups, "P", size]) for part in ("key", "value")]
             for layer in range(layers)]
    count = graph.extent(x, 1)
    mask = causal_mask(graph, count, graph.op("Add", count, graph.extent(pasts[0][0], 2)))
    for layer in range(layers):
        with graph.scope("layers", layer):
            y = graph.rms_norm(x, width)
            q = graph.split_heads(graph.linear(y, width, width, bias=False), heads, size)
            k, v = (graph.split_heads(graph.linear(y, width, groups * size, bias=False), groups, size)
                    for _ in range(2))
            q, k = rotate(graph, q, cosine, sine, size), rotate(graph, k, cosine, sine, size)
            k, v = (graph.op("Concat", old, new, axis=2) for old, new in zip(pasts[layer], (k, v)))
            for part, value in zip(("key", "value"), (k, v)):
                graph.output(f"present.{layer}.{part}", value, ["N", groups, "S", size])
            wide = [repeat_heads(graph, part, heads // groups, size) for part in (k, v)]
            y = graph.merge_heads(graph.attention(q, *wide, size, mask), width)
            x = graph.op("Add", x, graph.linear(y, width, width, bias=False, gain=0.3))
            x = graph.op("Add", x, swiglu(graph, graph.rms_norm(x, width), width, inner))
    graph.output("output", x, ["N", "T", width])
    return graph.model()


def mixture(seed=0, width=1024, inner=2048, experts=16, chosen=4):
    """A mixture of experts: sigmoid scores with a bias that only chooses, the best few of them normalized; each
    expert computes the tokens that chose it."""
    graph = Graph("mixture", seed, opset=18)
    x = graph.input("hidden", ["T", width])
    with graph.scope("router"):
        scores = graph.op("Sigmoid", graph.linear(x, width, experts, bias=False))
        biased = graph.op("Add", scores, graph.random((experts,), 0.1, "bias"))
        _, picks = graph.op("TopK", biased, graph.ints(chosen), axis=1, largest=1, sorted=1, outputs=2)
        weights = graph.op("GatherElements", scores, picks, axis=1)
        total = graph.op("Add", graph.op("ReduceSum", weights, graph.ints(1), keepdims=1), graph.const(1e-20))
        weights = graph.op("Mul", graph.op("Div", weights, total), graph.const(2.5))
    result = graph.op("ConstantOfShape", graph.op("Shape", x))
    for expert in range(experts):
        with graph.scope("experts", expert):
            hits = graph.op("NonZero", graph.op("Equal", picks, graph.const(expert, np.int64)))
            tokens = graph.op("Squeeze", graph.slice(hits, 0, 1, 0), graph.ints(0))
            y = swiglu(graph, graph.op("Gather", x, tokens, axis=0), width, inner)
            share = graph.op("GatherND", weights, graph.transpose(hits, 1, 0))
            y = graph.op("Mul", y, graph.op("Unsqueeze", share, graph.ints(1)))
            result = graph.op("ScatterND", result, graph.op("Unsqueeze", tokens, graph.ints(1)), y, reduction="add")
    with graph.scope("shared"):
        result = graph.op("Add", result, swiglu(graph, x, width, inner))
    graph.output("output", result, ["T", width])
    return graph.model()
