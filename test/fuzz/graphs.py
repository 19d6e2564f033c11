"""Random ONNX graphs under construction: tensors with what is known of their values, and the model they make.

What is known keeps comparisons meaningful: `bound` is the largest magnitude an element can have, `exact` says that all
elements are integers that every evaluation computes alike. Operators that jump (Floor, ArgMax, comparisons) get exact
operands only, and operands grow no larger than a few dozen.
"""

import dataclasses
import random

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper

OPSET = 21
IR_VERSION = 10
# Beyond it, and not at all above these, operands are made smaller.
LARGE = 48
FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)
SIGNED = (TensorProto.INT64, TensorProto.INT32, TensorProto.INT16, TensorProto.INT8)
UNSIGNED = (TensorProto.UINT64, TensorProto.UINT32, TensorProto.UINT16, TensorProto.UINT8)
INTS = SIGNED + UNSIGNED
# The largest magnitude up to which every integer is a value of the type, or its range.
EXACT_UP_TO = {TensorProto.FLOAT: 2**24, TensorProto.DOUBLE: 2**50, TensorProto.FLOAT16: 2**11,
               TensorProto.BFLOAT16: 2**8, TensorProto.INT64: 2**40, TensorProto.INT32: 2**31 - 1,
               TensorProto.INT16: 2**15 - 1, TensorProto.INT8: 2**7 - 1, TensorProto.UINT64: 2**40,
               TensorProto.UINT32: 2**32 - 1, TensorProto.UINT16: 2**16 - 1, TensorProto.UINT8: 2**8 - 1}
# What tensors are made of, and how often.
INPUT_TYPES = {TensorProto.FLOAT: 60, TensorProto.INT64: 10, TensorProto.INT32: 8, TensorProto.BOOL: 6,
               TensorProto.DOUBLE: 4, TensorProto.FLOAT16: 3, TensorProto.INT8: 3, TensorProto.UINT8: 4,
               TensorProto.BFLOAT16: 2, TensorProto.INT16: 2, TensorProto.UINT16: 2, TensorProto.UINT32: 2,
               TensorProto.UINT64: 2}
# Error of one rounding, times what a few operators make of it, relative to the bound of the result.
TOLERANCE = {TensorProto.FLOAT: 1e-4, TensorProto.DOUBLE: 1e-4, TensorProto.FLOAT16: 3e-2, TensorProto.BFLOAT16: 0.1}


def numpy_type(dtype):
    return np.dtype(ml_dtypes.bfloat16) if dtype == TensorProto.BFLOAT16 else helper.tensor_dtype_to_np_dtype(dtype)


@dataclasses.dataclass
class Tensor:
    name: str
    dtype: int
    shape: tuple
    bound: float
    exact: bool
    value: np.ndarray | None = None
    coarse: bool = False  # computed in a narrow float type on the way

    @property
    def rank(self):
        return len(self.shape)

    @property
    def count(self):
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def is_float(self):
        return self.dtype in FLOATS

    @property
    def is_int(self):
        return self.dtype in INTS


class Graph:
    """Grows by operators; what no operator uses becomes an output."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.name = f"seed_{seed}"
        self.nodes, self.inputs, self.initializers = [], [], []
        self.pool = []
        self.symbols = {}
        self.opset = OPSET
        self.outer = None  # the graph around that of a branch

    # Values

    def chance(self, probability):
        return self.random.random() < probability

    def fresh(self, prefix):
        root = self
        while root.outer:
            root = root.outer
        root.counter = getattr(root, "counter", 0) + 1
        return f"{prefix}{root.counter}"

    def extents(self, rank):
        choices = (1, 2, 3, 4, 5, 7) if rank < 4 else (1, 2, 3, 4)
        result = [self.random.choice(choices) for _ in range(rank)]
        # Around the lanes of vectors and the tiles of products.
        if rank and self.chance(0.3):
            result[self.random.randrange(rank)] = self.random.choice((8, 9, 15, 16, 17, 24, 31, 33))
        return tuple(result)

    def values(self, dtype, shape, bound=None, exact=None, low=None):
        """Random elements, their bound and whether they are exact."""
        if dtype == TensorProto.BOOL:
            return self.numpy.integers(0, 2, shape).astype(bool), 1, True
        exact = self.chance(0.5) if exact is None else exact
        bound = min(bound or 4, EXACT_UP_TO[dtype])
        low = (0 if dtype in UNSIGNED else -bound) if low is None else low
        if dtype in INTS or exact:
            data = self.numpy.integers(int(low), int(bound), shape, endpoint=True)
            return np.asarray(data).astype(numpy_type(dtype)), bound, True
        return np.asarray(self.numpy.uniform(low, bound, shape)).astype(numpy_type(dtype)), bound, False

    def constant(self, data, bound=None, exact=True):
        data = np.asarray(data)
        dtype = TensorProto.BFLOAT16 if data.dtype == numpy_type(TensorProto.BFLOAT16) else \
            helper.np_dtype_to_tensor_dtype(data.dtype)
        if bound is None:
            bound = float(np.max(np.abs(data.astype(np.float64)))) if data.size else 0
        tensor = Tensor(self.fresh("c"), dtype, tuple(data.shape), bound, exact, data)
        self.initializers.append(tensor)
        return tensor

    def ints(self, values):
        return self.constant(np.asarray(values, dtype=np.int64))

    def scalar(self, number, dtype, exact=False):
        return self.constant(np.asarray(number).astype(numpy_type(dtype)), exact=exact)

    def input(self, dtype, shape, data=None, bound=None, exact=None, static=False):
        """A model input; some of its dimensions are dynamic, and those of one name are equal."""
        root = self
        while root.outer:
            root = root.outer
        if data is None:
            data, bound, exact = self.values(dtype, shape, bound, exact)
        tensor = Tensor(self.fresh("x"), dtype, tuple(shape), bound, exact, data)
        declared = []
        for extent in shape:
            if static or not self.chance(0.4):
                declared.append(extent)
                continue
            symbol = f"n{extent}" if self.chance(0.5) else self.fresh("n_")
            declared.append(symbol)
        root.inputs.append((tensor, declared))
        root.pool.append(tensor)
        return tensor

    def fixed(self, dtype, shape, **kinds):
        """A tensor that operators ask for: an initializer, else an input."""
        data, bound, exact = self.values(dtype, shape, **kinds)
        if self.chance(0.6):
            return self.constant(data, bound, exact)
        return self.input(dtype, shape, data, bound, exact)

    def integers(self, values):
        """Integers that decide shapes or places: an initializer, else an input of static length."""
        if self.chance(0.75):
            return self.ints(values)
        data = np.asarray(values, dtype=np.int64)
        tensor = self.input(TensorProto.INT64, data.shape, data, float(np.max(np.abs(data), initial=0)), True,
                            static=True)
        # ONNX Runtime 1.31 does not clip integers of more than 32 bits.
        if tensor.bound > LARGE:
            (self.outer or self).pool.remove(tensor)
        return tensor

    # Nodes

    def node(self, op, inputs, outputs, **attributes):
        """Adds a node; `outputs` are (dtype, shape, bound, exact). Returns one tensor, or all of several."""
        results = [Tensor(self.fresh("t"), dtype, tuple(int(extent) for extent in shape), float(bound),
                          bool(exact) and bound <= EXACT_UP_TO.get(dtype, 1),
                          coarse=any(t.coarse or t.dtype in FLOATS[2:] for t in inputs if t))
                   for dtype, shape, bound, exact in outputs]
        self.nodes.append(helper.make_node(op, [t.name if t else "" for t in inputs], [t.name for t in results],
                                           name=f"{op}_{results[0].name}", **attributes))
        self.pool += results
        return results[0] if len(results) == 1 else results

    def needs(self, opset):
        """An operator is newer than most."""
        self.opset = max(self.opset, opset)

    def same(self, op, inputs, like, bound=None, exact=None, **attributes):
        """A node whose result has type and shape of `like`."""
        return self.node(op, inputs, [(like.dtype, like.shape, like.bound if bound is None else bound,
                                       like.exact if exact is None else exact)], **attributes)

    def pick(self, wanted=lambda tensor: True):
        """A tensor of the pool, rather a late one; null when none will do."""
        fitting = [t for t in self.pool if wanted(t) and t.count <= 4096]
        if not fitting:
            return None
        return self.random.choice(fitting[-6:] if self.chance(0.7) else fitting)

    def small(self, tensor, limit=LARGE):
        """The tensor, made smaller where it could hold numbers above `limit`."""
        if tensor.bound <= limit or tensor.dtype == TensorProto.BOOL:
            return tensor
        if tensor.is_float and not tensor.exact and self.chance(0.5):
            return self.same("Tanh", [tensor], tensor, bound=1, exact=False)
        low = 0 if tensor.dtype in UNSIGNED else -3
        top = int(max(1, min(limit, 3)))
        low = max(low, -top)
        return self.same("Clip", [tensor, self.scalar(low, tensor.dtype, True), self.scalar(top, tensor.dtype, True)],
                         tensor, bound=top)

    def broadcastable(self, tensor, **kinds):
        """Another operand of the type, of a shape that broadcasts with `tensor`'s."""
        def fits(other):
            if other.dtype != tensor.dtype or other is tensor:
                return False
            try:
                return np.prod(np.broadcast_shapes(other.shape, tensor.shape)) <= 2048
            except ValueError:
                return False
        other = self.pick(fits) if self.chance(0.6) and not kinds else None
        if other:
            return other
        shape = list(tensor.shape[self.random.randint(0, tensor.rank):])
        shape = [1 if self.chance(0.3) else extent for extent in shape]
        return self.fixed(tensor.dtype, tuple(shape), **kinds)

    # Graphs within nodes

    def inner(self, name, visible):
        """A graph within a node, which sees some tensors of this one."""
        graph = Graph.__new__(Graph)
        graph.__dict__.update(random=self.random, numpy=self.numpy, name=self.fresh(name), nodes=[], inputs=[],
                              initializers=self.initializers, pool=list(visible), outer=self, opset=self.opset)
        return graph

    def argument(self, dtype, shape, bound, exact):
        tensor = Tensor(self.fresh("a"), dtype, tuple(shape), bound, exact)
        self.pool.append(tensor)
        return tensor

    def body(self, arguments, results):
        def describe(t):
            return helper.make_tensor_value_info(t.name, t.dtype, [None] * t.rank)
        return helper.make_graph(self.nodes, self.name, [describe(t) for t in arguments],
                                 [describe(t) for t in results])

    # The model

    def leaves(self):
        used = {name for node in self.nodes for name in node.input}
        made = {name for node in self.nodes for name in node.output}
        return [t for t in self.pool if t.name in made and t.name not in used]

    def model(self, outputs):
        graph = helper.make_graph(
            self.nodes, self.name,
            [helper.make_tensor_value_info(t.name, t.dtype, declared) for t, declared in self.inputs],
            [helper.make_tensor_value_info(t.name, t.dtype, [None] * t.rank) for t in outputs],
            [to_proto(t.value, t.name) for t in self.initializers])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=IR_VERSION)

    def tolerance(self, outputs):
        """Absolute tolerance for the outputs together."""
        worst = 1e-6
        for t in outputs:
            if t.is_float and not t.exact:
                kind = max(TOLERANCE[t.dtype], TOLERANCE[TensorProto.BFLOAT16] if t.coarse else 0)
                worst = max(worst, kind * max(t.bound, 1))
        return worst


def to_proto(array, name):
    """A TensorProto of any of the types, raw."""
    array = np.asarray(array, order="C")
    proto = TensorProto(name=name, dims=array.shape, raw_data=array.tobytes())
    proto.data_type = TensorProto.BFLOAT16 if array.dtype == numpy_type(TensorProto.BFLOAT16) else \
        helper.np_dtype_to_tensor_dtype(array.dtype)
    return proto
