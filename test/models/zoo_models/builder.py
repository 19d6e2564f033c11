"""Writes ONNX graphs the way exporters do: named nodes in scopes, weights as initializers, seeded."""

import contextlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
OPSET = 17


class Graph:
    """A graph under construction. Values are names; every method that adds a node returns its output's."""

    def __init__(self, name, seed=0, opset=OPSET):
        self.name, self.opset = name, opset
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.scopes, self.used = [], set()
        self.constants = {}

    # Names ----------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def scope(self, *names):
        self.scopes += map(str, names)
        yield
        del self.scopes[-len(names):]

    def unique(self, name):
        base = "/".join(["", *self.scopes, name])
        path, count = base, 0
        while path in self.used:
            count += 1
            path = f"{base}_{count}"
        self.used.add(path)
        return path

    # Inputs, outputs, constants -------------------------------------------------------------------

    def input(self, name, shape, dtype=F32):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, value, shape, dtype=F32):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=self.unique(f"output_{name}")))
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def weight(self, array, name="weight"):
        """An initializer of its own."""
        path = self.unique(name).lstrip("/").replace("/", ".")
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), path))
        return path

    def const(self, value, dtype=np.float32):
        """A small constant, shared by equal ones."""
        array = np.asarray(value, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.constants:
            name = f"onnx::constant_{len(self.constants)}"
            self.initializers.append(numpy_helper.from_array(array, name))
            self.constants[key] = name
        return self.constants[key]

    def ints(self, *values):
        return self.const(values, np.int64)

    def random(self, shape, deviation, name="weight"):
        return self.weight(self.rng.standard_normal(shape, np.float32) * np.float32(deviation), name)

    # Nodes ----------------------------------------------------------------------------------------

    def op(self, kind, *inputs, outputs=1, **attributes):
        """A node; an input of None is left out."""
        path = self.unique(kind)
        names = [f"{path}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, [i or "" for i in inputs], names, name=path, **attributes))
        return names[0] if outputs == 1 else names

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8,
                                  producer_name="hone-zoo")
        if model.ByteSize() < 1 << 31:
            onnx.checker.check_model(model)
        return model

    # Layers ---------------------------------------------------------------------------------------

    def conv(self, x, channels, out, kernel, stride=1, groups=1, bias=True, pad=None, dilation=1, gain=2.0):
        """A convolution with He-scaled weights; one spatial dimension for each entry of `kernel`."""
        kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
        pad = [dilation * (k - 1) // 2 for k in kernel] if pad is None else [pad] * len(kernel)
        fan_in = channels // groups * int(np.prod(kernel))
        weight = self.random((out, channels // groups, *kernel), (gain / fan_in) ** 0.5)
        shift = self.random((out,), 0.05, "bias") if bias else None
        return self.op("Conv", x, weight, *([shift] if bias else []), kernel_shape=list(kernel),
                       strides=[stride] * len(kernel), pads=pad * 2, dilations=[dilation] * len(kernel), group=groups)

    def batch_norm(self, x, channels, gain=1.0, epsilon=1e-5):
        """Statistics as after training: close to, but not, zero and one."""
        noise = lambda centre, spread: (centre + spread * self.rng.standard_normal(channels)).astype(np.float32)
        return self.op("BatchNormalization", x, self.weight(noise(1, 0.1) * np.float32(gain)),
                       self.weight(noise(0, 0.1), "bias"), self.weight(noise(0, 0.1), "running_mean"),
                       self.weight(np.abs(noise(1, 0.1)) + np.float32(0.1), "running_var"), epsilon=epsilon)

    def linear(self, x, inputs, outputs, bias=True, gain=1.0):
        """x @ W + b on the last dimension, as MatMul and Add."""
        with self.scope("linear"):
            y = self.op("MatMul", x, self.random((inputs, outputs), (gain / inputs) ** 0.5))
            return self.op("Add", self.random((outputs,), 0.02, "bias"), y) if bias else y

    def gemm(self, x, inputs, outputs, gain=1.0):
        """A classifier's last layer: weights [out, in]."""
        return self.op("Gemm", x, self.random((outputs, inputs), (gain / inputs) ** 0.5),
                       self.random((outputs,), 0.02, "bias"), transB=1)

    def layer_norm(self, x, width, decomposed=False, epsilon=1e-5):
        scale = self.weight((1 + 0.1 * self.rng.standard_normal(width)).astype(np.float32))
        shift = self.random((width,), 0.05, "bias")
        if not decomposed:
            return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)
        # As exporters wrote it before opset 17.
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        variance = self.op("ReduceMean", self.op("Pow", centred, self.const(2.0)), axes=[-1])
        deviation = self.op("Sqrt", self.op("Add", variance, self.const(epsilon)))
        return self.op("Add", self.op("Mul", self.op("Div", centred, deviation), scale), shift)

    def rms_norm(self, x, width, epsilon=1e-6):
        mean = self.op("ReduceMean", self.op("Pow", x, self.const(2.0)), axes=[-1])
        root = self.op("Sqrt", self.op("Add", mean, self.const(epsilon)))
        scale = self.weight((1 + 0.1 * self.rng.standard_normal(width)).astype(np.float32))
        return self.op("Mul", scale, self.op("Mul", x, self.op("Div", self.const(1.0), root)))

    def gelu(self, x):
        erf = self.op("Erf", self.op("Div", x, self.const(2 ** 0.5)))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, self.const(1.0))), self.const(0.5))

    def gelu_tanh(self, x):
        """GPT-2's approximation."""
        cubed = self.op("Mul", self.op("Pow", x, self.const(3.0)), self.const(0.044715))
        inner = self.op("Mul", self.op("Add", x, cubed), self.const((2 / np.pi) ** 0.5))
        return self.op("Mul", self.op("Mul", x, self.const(0.5)),
                       self.op("Add", self.op("Tanh", inner), self.const(1.0)))

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    # Shapes ---------------------------------------------------------------------------------------

    def extent(self, x, axis):
        """One extent as a vector of one element."""
        return self.op("Unsqueeze", self.op("Gather", self.op("Shape", x), self.const(axis, np.int64), axis=0),
                       self.ints(0))

    def reshape(self, x, *parts):
        """Numbers, and values that hold extents."""
        if all(isinstance(part, int) for part in parts):
            return self.op("Reshape", x, self.ints(*parts))
        shape = self.op("Concat", *(self.ints(part) if isinstance(part, int) else part for part in parts), axis=0)
        return self.op("Reshape", x, shape)

    def transpose(self, x, *perm):
        return self.op("Transpose", x, perm=list(perm))

    def slice(self, x, start, end, axis):
        as_vector = lambda value: self.ints(value) if isinstance(value, int) else value
        return self.op("Slice", x, as_vector(start), as_vector(end), self.ints(axis), self.ints(1))

    # Attention ------------------------------------------------------------------------------------

    def split_heads(self, x, heads, width):
        """[B, T, heads * width] to [B, heads, T, width]."""
        y = self.reshape(x, self.extent(x, 0), self.extent(x, 1), heads, width)
        return self.transpose(y, 0, 2, 1, 3)

    def merge_heads(self, x, size):
        y = self.transpose(x, 0, 2, 1, 3)
        return self.reshape(y, self.extent(y, 0), self.extent(y, 1), size)

    def attention(self, query, key, value, width, mask=None):
        """All [B, heads, T, width]; `mask` is added to the scores."""
        scores = self.op("MatMul", query, self.transpose(key, 0, 1, 3, 2))
        scores = self.op("Div", scores, self.const(width ** 0.5))
        if mask:
            scores = self.op("Add", scores, mask)
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), value)
