"""Convolutional networks, and the vision transformer."""

import numpy as np
from onnx import helper

from .builder import I64, Graph


def classifier(name, seed, size, batch="N", channels=3):
    graph = Graph(name, seed)
    return graph, graph.input("input", [batch, channels, size, size])


def finish(graph, x, width, classes, batch="N"):
    pooled = graph.op("Flatten", graph.op("GlobalAveragePool", x), axis=1)
    graph.output("logits", graph.gemm(pooled, width, classes), [batch, classes])
    return graph.model()


def conv_bn(graph, x, channels, out, kernel, stride=1, groups=1, act="Relu", gain=1.0):
    y = graph.conv(x, channels, out, kernel, stride, groups, bias=False)
    y = graph.batch_norm(y, out, gain)
    return activation(graph, y, act)


def activation(graph, x, act):
    if act == "silu":
        return graph.silu(x)
    if act == "relu6":
        return graph.op("Clip", x, graph.const(0.0), graph.const(6.0))
    if act == "hard_swish_ops":
        # As exporters without HardSwish write it.
        inner = graph.op("Clip", graph.op("Add", x, graph.const(3.0)), graph.const(0.0), graph.const(6.0))
        return graph.op("Div", graph.op("Mul", x, inner), graph.const(6.0))
    return graph.op(act, x) if act else x


def resnet50(seed=0, size=224, width=64, blocks=(3, 4, 6, 3), classes=1000):
    graph, x = classifier("resnet50", seed, size)
    with graph.scope("stem"):
        x = conv_bn(graph, x, 3, width, 7, 2)
        x = graph.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = width
    for stage, count in enumerate(blocks):
        inner, out = width << stage, 4 * width << stage
        for block in range(count):
            stride = 2 if stage and not block else 1
            with graph.scope(f"layer{stage + 1}", block):
                y = conv_bn(graph, x, channels, inner, 1)
                y = conv_bn(graph, y, inner, inner, 3, stride)
                # Small last scales keep sixteen sums of residuals from growing.
                y = conv_bn(graph, y, inner, out, 1, act=None, gain=0.3)
                if not block:
                    with graph.scope("downsample"):
                        x = conv_bn(graph, x, channels, out, 1, stride, act=None)
                x = graph.op("Relu", graph.op("Add", y, x))
                channels = out
    return finish(graph, x, channels, classes)


def vgg16(seed=0, size=224, plan=(64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0),
          hidden=4096, classes=1000):
    graph, x = classifier("vgg16", seed, size)
    channels = 3
    for out in plan:
        if out:
            x = graph.op("Relu", graph.conv(x, channels, out, 3))
            channels = out
        else:
            x = graph.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
            size //= 2
    x = graph.op("Flatten", x, axis=1)
    x = graph.op("Relu", graph.gemm(x, channels * size * size, hidden, gain=2.0))
    x = graph.op("Relu", graph.gemm(x, hidden, hidden, gain=2.0))
    graph.output("logits", graph.gemm(x, hidden, classes), ["N", classes])
    return graph.model()


def mobilenet_v2(seed=0, size=224, scale=1.0, classes=1000, depth=1.0):
    graph, x = classifier("mobilenet_v2", seed, size)
    width = lambda channels: max(8, int(channels * scale + 4) // 8 * 8)
    channels = width(32)
    x = conv_bn(graph, x, 3, channels, 3, 2, act="relu6")
    plan = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for stage, (expand, out, count, stride) in enumerate(plan):
        for block in range(max(1, round(count * depth))):
            with graph.scope("features", stage, block):
                inner, step = channels * expand, 1 if block else stride
                y = conv_bn(graph, x, channels, inner, 1, act="relu6") if expand > 1 else x
                y = conv_bn(graph, y, inner, inner, 3, step, inner, act="relu6")
                y = conv_bn(graph, y, inner, width(out), 1, act=None)
                x = graph.op("Add", x, y) if step == 1 and channels == width(out) else y
                channels = width(out)
    last = width(1280)
    return finish(graph, conv_bn(graph, x, channels, last, 1, act="relu6"), last, classes)


def squeeze_excite(graph, x, channels, inner, act, gate):
    with graph.scope("se"):
        y = graph.op("GlobalAveragePool", x)
        y = activation(graph, graph.conv(y, channels, inner, 1), act)
        return graph.op("Mul", x, activation(graph, graph.conv(y, inner, channels, 1), gate))


# kernel, expanded, out, squeeze-excite, activation, stride: the large variant.
MOBILENET_V3 = [(3, 16, 16, 0, "Relu", 1), (3, 64, 24, 0, "Relu", 2), (3, 72, 24, 0, "Relu", 1), (5, 72, 40, 1, "Relu", 2),
                (5, 120, 40, 1, "Relu", 1), (5, 120, 40, 1, "Relu", 1), (3, 240, 80, 0, "HardSwish", 2),
                (3, 200, 80, 0, "HardSwish", 1), (3, 184, 80, 0, "HardSwish", 1), (3, 480, 112, 1, "HardSwish", 1),
                (3, 672, 112, 1, "hard_swish_ops", 1), (5, 672, 160, 1, "HardSwish", 2),
                (5, 960, 160, 1, "HardSwish", 1), (5, 960, 160, 1, "hard_swish_ops", 1)]


def mobilenet_v3(seed=0, size=224, scale=1.0, classes=1000, plan=MOBILENET_V3):
    graph, x = classifier("mobilenet_v3", seed, size)
    width = lambda channels: max(8, int(channels * scale + 4) // 8 * 8)
    channels = width(16)
    x = conv_bn(graph, x, 3, channels, 3, 2, act="HardSwish")
    for block, (kernel, inner, out, se, act, stride) in enumerate(plan):
        inner, out = width(inner), width(out)
        with graph.scope("features", block):
            y = conv_bn(graph, x, channels, inner, 1, act=act)
            y = conv_bn(graph, y, inner, inner, kernel, stride, inner, act=act)
            if se:
                y = squeeze_excite(graph, y, inner, max(8, inner // 4), "Relu", "HardSigmoid")
            y = conv_bn(graph, y, inner, out, 1, act=None)
            x = graph.op("Add", x, y) if stride == 1 and channels == out else y
            channels = out
    last, hidden = width(960), width(1280)
    x = conv_bn(graph, x, channels, last, 1, act="HardSwish")
    x = graph.op("Flatten", graph.op("GlobalAveragePool", x), axis=1)
    x = graph.op("HardSwish", graph.gemm(x, last, hidden, gain=2.0))
    graph.output("logits", graph.gemm(x, hidden, classes), ["N", classes])
    return graph.model()


def efficientnet_b0(seed=0, size=224, scale=1.0, classes=1000, depth=1.0):
    graph, x = classifier("efficientnet_b0", seed, size)
    width = lambda channels: max(8, int(channels * scale + 4) // 8 * 8)
    channels = width(32)
    x = conv_bn(graph, x, 3, channels, 3, 2, act="silu")
    plan = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
            (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]
    for stage, (expand, out, count, stride, kernel) in enumerate(plan):
        for block in range(max(1, round(count * depth))):
            with graph.scope("blocks", stage, block):
                inner, step = channels * expand, 1 if block else stride
                y = conv_bn(graph, x, channels, inner, 1, act="silu") if expand > 1 else x
                y = conv_bn(graph, y, inner, inner, kernel, step, inner, act="silu")
                y = squeeze_excite(graph, y, inner, max(4, channels // 4), "silu", "Sigmoid")
                y = conv_bn(graph, y, inner, width(out), 1, act=None)
                x = graph.op("Add", x, y) if step == 1 and channels == width(out) else y
                channels = width(out)
    last = width(1280)
    return finish(graph, conv_bn(graph, x, channels, last, 1, act="silu"), last, classes)


def densenet121(seed=0, size=224, growth=32, blocks=(6, 12, 24, 16), classes=1000):
    graph, x = classifier("densenet121", seed, size)
    channels = 2 * growth
    x = conv_bn(graph, x, 3, channels, 7, 2)
    x = graph.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for stage, count in enumerate(blocks):
        features = [x]
        for layer in range(count):
            with graph.scope(f"denseblock{stage + 1}", layer):
                y = graph.op("Concat", *features, axis=1) if len(features) > 1 else features[0]
                # Normalization comes first here: it cannot be folded into the convolution before it.
                y = graph.op("Relu", graph.batch_norm(y, channels))
                y = conv_bn(graph, y, channels, 4 * growth, 1)
                features.append(graph.conv(y, 4 * growth, growth, 3, bias=False))
                channels += growth
        x = graph.op("Concat", *features, axis=1)
        if stage + 1 < len(blocks):
            with graph.scope(f"transition{stage + 1}"):
                x = graph.op("Relu", graph.batch_norm(x, channels))
                x = graph.conv(x, channels, channels // 2, 1, bias=False)
                x = graph.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
                channels //= 2
    x = graph.op("Relu", graph.batch_norm(x, channels))
    return finish(graph, x, channels, classes)


def unet(seed=0, size=256, width=64, levels=4, classes=2, channels=3):
    """Sizes of images are dynamic; sides must be multiples of 2^levels."""
    graph = Graph("unet", seed)
    x = graph.input("input", ["N", channels, "H", "W"])
    skips, inside = [], channels
    double = lambda x, inside, out: conv_bn(graph, conv_bn(graph, x, inside, out, 3), out, out, 3)
    for level in range(levels):
        with graph.scope("down", level):
            x = double(x, inside, width << level)
            inside = width << level
            skips.append(x)
            x = graph.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = double(x, inside, width << levels)
    for level in reversed(range(levels)):
        out = width << level
        with graph.scope("up", level):
            weight = graph.random((2 * out, out, 2, 2), (1 / (2 * out)) ** 0.5)
            y = graph.op("ConvTranspose", x, weight, graph.random((out,), 0.05, "bias"), kernel_shape=[2, 2],
                         strides=[2, 2])
            x = double(graph.op("Concat", skips[level], y, axis=1), 2 * out, out)
    graph.output("mask", graph.op("Sigmoid", graph.conv(x, width, classes, 1)), ["N", classes, "H", "W"])
    return graph.model()


def yolo(seed=0, size=640, width=0.5, depth=0.33, classes=80):
    """YOLOv5's layers: focus by convolution, C3 blocks, SPPF, a pyramid both ways, three heads, decoded boxes."""
    graph = Graph("yolo", seed)
    x = graph.input("images", [1, 3, size, size])
    wide = lambda channels: max(8, int(channels * width) // 8 * 8)
    cbs = lambda x, inside, out, kernel=1, stride=1: conv_bn(graph, x, inside, out, kernel, stride, act="silu")

    def c3(x, inside, out, count, shortcut, name):
        with graph.scope(name):
            half = out // 2
            y = cbs(x, inside, half)
            for block in range(max(1, round(count * depth))):
                with graph.scope("m", block):
                    z = cbs(cbs(y, half, half), half, half, 3)
                    y = graph.op("Add", y, z) if shortcut else z
            return cbs(graph.op("Concat", y, cbs(x, inside, half), axis=1), out, out)

    def up(x):
        return graph.op("Resize", x, None, graph.const([1, 1, 2, 2]), mode="nearest",
                        coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    c = [wide(n) for n in (64, 128, 256, 512, 1024)]
    x = graph.silu(graph.batch_norm(graph.conv(x, 3, c[0], 6, 2, bias=False, pad=2), c[0]))
    x = c3(cbs(x, c[0], c[1], 3, 2), c[1], c[1], 3, True, "c3_1")
    p3 = c3(cbs(x, c[1], c[2], 3, 2), c[2], c[2], 6, True, "c3_2")
    p4 = c3(cbs(p3, c[2], c[3], 3, 2), c[3], c[3], 9, True, "c3_3")
    x = c3(cbs(p4, c[3], c[4], 3, 2), c[4], c[4], 3, True, "c3_4")
    with graph.scope("sppf"):
        pools = [cbs(x, c[4], c[4] // 2)]
        for _ in range(3):
            pools.append(graph.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2, 2, 2, 2]))
        x = cbs(graph.op("Concat", *pools, axis=1), 2 * c[4], c[4])
    n5 = cbs(x, c[4], c[3])
    x = c3(graph.op("Concat", up(n5), p4, axis=1), 2 * c[3], c[3], 3, False, "c3_5")
    n4 = cbs(x, c[3], c[2])
    n3 = c3(graph.op("Concat", up(n4), p3, axis=1), 2 * c[2], c[2], 3, False, "c3_6")
    m4 = c3(graph.op("Concat", cbs(n3, c[2], c[2], 3, 2), n4, axis=1), 2 * c[2], c[3], 3, False, "c3_7")
    m5 = c3(graph.op("Concat", cbs(m4, c[3], c[3], 3, 2), n5, axis=1), 2 * c[3], c[4], 3, False, "c3_8")
    boxes = []
    for level, (x, inside) in enumerate([(n3, c[2]), (m4, c[3]), (m5, c[4])]):
        with graph.scope("detect", level):
            boxes.append(decode(graph, graph.conv(x, inside, 3 * (classes + 5), 1), size >> (3 + level),
                                8 << level, classes))
    total = sum(3 * (size >> (3 + level)) ** 2 for level in range(3))
    graph.output("boxes", graph.op("Concat", *boxes, axis=1), [1, total, classes + 5])
    return graph.model()


def decode(graph, x, side, stride, classes):
    """One level's predictions as boxes in pixels."""
    y = graph.transpose(graph.reshape(x, 1, 3, classes + 5, side, side), 0, 1, 3, 4, 2)
    y = graph.op("Sigmoid", y)
    place, extent, rest = graph.op("Split", y, graph.ints(2, 2, classes + 1), axis=4, outputs=3)
    rows, columns = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    grid = np.stack([columns, rows], -1).astype(np.float32)[None, None] - 0.5
    anchors = np.array([[10, 13], [16, 30], [33, 23]], np.float32).reshape(1, 3, 1, 1, 2) * stride / 8
    place = graph.op("Mul", graph.op("Add", graph.op("Mul", place, graph.const(2.0)), graph.weight(grid, "grid")),
                     graph.const(float(stride)))
    extent = graph.op("Mul", graph.op("Pow", graph.op("Mul", extent, graph.const(2.0)), graph.const(2.0)),
                      graph.weight(anchors, "anchors"))
    return graph.reshape(graph.op("Concat", place, extent, rest, axis=4), 1, 3 * side * side, classes + 5)


def vit(seed=0, size=224, patch=16, width=768, heads=12, layers=12, classes=1000):
    graph, x = classifier("vit", seed, size)
    tokens = (size // patch) ** 2
    x = graph.op("Conv", x, graph.random((width, 3, patch, patch), (1 / (3 * patch * patch)) ** 0.5),
                 graph.random((width,), 0.02, "bias"), kernel_shape=[patch, patch], strides=[patch, patch])
    x = graph.transpose(graph.reshape(x, graph.extent(x, 0), width, tokens), 0, 2, 1)
    token = graph.random((1, 1, width), 0.5, "cls_token")
    shape = graph.op("Concat", graph.extent(x, 0), graph.ints(-1, -1), axis=0)
    ones = graph.op("ConstantOfShape", graph.ints(3), value=helper.make_tensor("one", I64, [1], [1]))
    shape = graph.op("Where", graph.op("Equal", shape, graph.ints(-1, -1, -1)), ones, shape)
    x = graph.op("Concat", graph.op("Expand", token, shape), x, axis=1)
    x = graph.op("Add", x, graph.random((1, tokens + 1, width), 0.1, "position"))
    for layer in range(layers):
        with graph.scope("blocks", layer):
            y = graph.layer_norm(x, width, epsilon=1e-6)
            qkv = graph.linear(y, width, 3 * width)
            qkv = graph.reshape(qkv, graph.extent(qkv, 0), tokens + 1, 3, heads, width // heads)
            qkv = graph.transpose(qkv, 2, 0, 3, 1, 4)
            q, k, v = (graph.op("Gather", qkv, graph.const(i, np.int64), axis=0) for i in range(3))
            y = graph.merge_heads(graph.attention(q, k, v, width // heads), width)
            x = graph.op("Add", x, graph.linear(y, width, width, gain=0.3))
            y = graph.layer_norm(x, width, epsilon=1e-6)
            y = graph.gelu(graph.linear(y, width, 4 * width))
            x = graph.op("Add", x, graph.linear(y, 4 * width, width, gain=0.3))
    x = graph.op("Gather", graph.layer_norm(x, width, epsilon=1e-6), graph.const(0, np.int64), axis=1)
    graph.output("logits", graph.gemm(x, width, classes), ["N", classes])
    return graph.model()

