"""Models with several nodes at fault, all of which are to be named: kinds of bad_input.py."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from models import model, value


def many_faults(path):
    """Unknown operators among bad attributes, types, shapes and inputs: all are to be named, in order."""
    nodes = [helper.make_node("Custom", ["x"], ["custom"], name="unknown", domain="com.example"),
             helper.make_node("Relu", ["custom"], ["behind"], name="behind"),
             helper.make_node("Transpose", ["m"], ["t"], name="attribute", perm=[0, 0]),
             helper.make_node("Concat", ["m", "m"], ["c"], name="axis", axis=77),
             helper.make_node("Add", ["m", "i"], ["a"], name="types"),
             helper.make_node("MatMul", ["m", "m"], ["mm"], name="shapes"),
             helper.make_node("Identity", ["s"], ["s2"], name="string"),
             helper.make_node("Cast", ["m"], ["to"], name="schema"),
             helper.make_node("Relu", ["m", "m"], ["two"], name="arity"),
             helper.make_node("Relu", ["m"], ["fine"], name="fine"),
             helper.make_node("StringNormalizer", ["s"], ["s3"], name="unsupported")]
    return model(nodes, [value("x", [4]), value("m", [2, 3]), value("i", [2, 3], TensorProto.INT32),
                         value("s", [2], TensorProto.STRING), value("z", [2], TensorProto.COMPLEX64)],
                 [value(name, None) for name in ("behind", "t", "c", "a", "mm", "to", "two", "fine")])


def old_faults(path):
    """An unknown operator and a bad axis in a model of opset 12, which is converted."""
    nodes = [helper.make_node("Custom", ["x"], ["c"], name="unknown", domain="com.example"),
             helper.make_node("Softmax", ["c"], ["s"], name="behind"),
             helper.make_node("Concat", ["m", "m"], ["y"], name="axis", axis=77)]
    return model(nodes, [value("x", [4]), value("m", [2, 3])], [value("s", None), value("y", None)], opset=12)


def nested_fault(path):
    """Unknown operators in a branch and behind it."""
    then = helper.make_graph([helper.make_node("Frobnicate", ["x"], ["a"], name="inner")], "then", [],
                             [value("a", [4])])
    other = helper.make_graph([helper.make_node("Relu", ["ghost"], ["b"], name="haunted")], "else", [],
                              [value("b", [4])])
    nodes = [helper.make_node("If", ["c"], ["y"], name="cond", then_branch=then, else_branch=other),
             helper.make_node("Frobnicate", ["x"], ["z"], name="outer")]
    return model(nodes, [value("x", [4]), value("c", [], TensorProto.BOOL)], [value("y", [4]), value("z", [4])])


def function_fault(path):
    """A local function with an unknown operator and a bad node; a function that nobody calls has one too."""
    def function(name, nodes):
        return helper.make_function("local", name, ["a"], ["b"], nodes,
                                    [helper.make_opsetid("", 22), helper.make_opsetid("local", 1)])

    result = model([helper.make_node("Relu", ["x"], ["r"], name="innocent"),
                    helper.make_node("Outer", ["r"], ["y"], domain="local", name="call")],
                   [value("x", [4])], [value("y", [4])],
                   functions=[function("Inner", [helper.make_node("Frobnicate", ["a"], ["c"], name="deep"),
                                                 helper.make_node("Cast", ["c"], ["b"], name="cast")]),
                              function("Outer", [helper.make_node("Inner", ["a"], ["b"], domain="local", name="in")]),
                              function("Unused", [helper.make_node("Nobody", ["a"], ["b"], name="unused")])])
    result.opset_import.append(helper.make_opsetid("local", 1))
    return result


def far_indices(path):
    """Every operator that picks or places by index, with a constant index outside of the tensor."""
    def index(name, *numbers, shape=None, dtype=np.int64):
        array = np.array(numbers, dtype)
        return numpy_helper.from_array(array.reshape(shape) if shape else array, name)

    constants = [index("vector", 0, 99), index("before", -5, 0, dtype=np.int32), index("last", 3, -4),
                 index("pairs", 1, 2, 0, 4, shape=(2, 2)), index("batched", 2, 9, 0, 0, shape=(4, 1)),
                 index("grid", 0, 4, shape=(1, 2)), index("start", 2, shape=(1,)),
                 index("many", *([0] * 99999 + [4]))]
    nodes = [helper.make_node("Gather", ["x", "vector"], ["a"], name="gather", axis=1),
             helper.make_node("Gather", ["x", "before"], ["b"], name="gather-32"),
             helper.make_node("Gather", ["x", "last"], ["c"], name="fine"),
             helper.make_node("Gather", ["x", "many"], ["d"], name="gather-many"),
             helper.make_node("GatherElements", ["x", "grid"], ["e"], name="elements"),
             helper.make_node("GatherND", ["x", "pairs"], ["f"], name="tuples"),
             helper.make_node("GatherND", ["x", "batched"], ["g"], name="batched-tuples", batch_dims=1),
             helper.make_node("ScatterElements", ["x", "grid", "two"], ["h"], name="scatter", axis=1),
             helper.make_node("ScatterND", ["x", "pairs", "pair"], ["i"], name="scatter-tuples"),
             helper.make_node("TensorScatter", ["cache", "update", "start"], ["j"], name="cache")]
    outputs = [value(name, shape) for name, shape in
               {"a": [4, 2], "b": [2, 4], "c": [2, 4], "d": [100000, 4], "e": [1, 2], "f": [2], "g": [4], "h": [4, 4],
                "i": [4, 4], "j": [1, 4, 2]}.items()]
    return model(nodes, [value("x", [4, 4]), value("two", [1, 2]), value("pair", [2]), value("cache", [1, 4, 2]),
                         value("update", [1, 3, 2])], outputs, constants, opset=24)
