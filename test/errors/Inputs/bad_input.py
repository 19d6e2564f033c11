#!/usr/bin/env python3
"""Writes good and bad models for the tests of this folder: bad_input.py KIND -o FILE.onnx

Every kind is a function below or in node_faults.py; its first line says what is wrong. Nodes are
named, so that tests can ask for the name in the message.
"""

import argparse
import os
import pathlib
import random
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from models import FLOAT, model, value
from node_faults import far_indices, function_fault, many_faults, nested_fault, old_faults  # noqa: F401 (kinds)


def valid(path):
    """Nothing: y = Relu(x) * w, x is [N, 4]."""
    w = numpy_helper.from_array(np.arange(4, dtype=np.float32), "w")
    nodes = [helper.make_node("Relu", ["x"], ["r"], name="first"),
             helper.make_node("Mul", ["r", "w"], ["y"], name="second")]
    return model(nodes, [value("x", ["N", 4])], [value("y", ["N", 4])], [w])


def two_inputs(path):
    """Nothing: sum = a + b, both [2, 3]."""
    return model([helper.make_node("Add", ["a", "b"], ["sum"], name="adder")],
                 [value("a", [2, 3]), value("b", [2, 3])], [value("sum", [2, 3])])


def empty(path):
    """No bytes at all."""
    return b""


def random_bytes(path):
    """Noise."""
    return random.Random(1).randbytes(4096)


def text(path):
    """A text file with the wrong name."""
    return b"This is not a model.\n" * 10


def truncated(path):
    """The first two thirds of a model."""
    data = valid(path).SerializeToString()
    return data[:len(data) * 2 // 3]


def no_graph(path):
    """A model without a graph."""
    return onnx.ModelProto(ir_version=10, opset_import=[helper.make_opsetid("", 22)])


def cycle(path):
    """Two nodes that need each other."""
    nodes = [helper.make_node("Add", ["x", "b"], ["a"], name="chicken"),
             helper.make_node("Relu", ["a"], ["b"], name="egg")]
    return model(nodes, [value("x", [4])], [value("b", [4])])


def undefined_value(path):
    """A node that reads what nobody writes."""
    return model([helper.make_node("Add", ["x", "ghost"], ["y"], name="haunted")],
                 [value("x", [4])], [value("y", [4])])


def unknown_op(path):
    """An operator that does not exist."""
    return model([helper.make_node("Frobnicate", ["x"], ["y"], name="frob")],
                 [value("x", [4])], [value("y", [4])])


def unknown_ops(path):
    """Three nodes that cannot be compiled: all are to be named at once."""
    nodes = [helper.make_node("Custom", ["x"], ["a"], name="one", domain="com.example"),
             helper.make_node("Relu", ["a"], ["b"], name="fine"),
             helper.make_node("Custom", ["b"], ["c"], name="two", domain="com.example"),
             helper.make_node("Other", ["c"], ["y"], name="three", domain="com.example")]
    result = model(nodes, [value("x", [4])], [value("y", [4])])
    result.opset_import.append(helper.make_opsetid("com.example", 1))
    return result


def unsorted(path):
    """A node that reads what only a later one writes."""
    nodes = [helper.make_node("Relu", ["a"], ["y"], name="early"), helper.make_node("Neg", ["x"], ["a"], name="late")]
    return model(nodes, [value("x", [4])], [value("y", [4])])


def two_opsets(path):
    """ai.onnx imported at two versions."""
    result = valid(path)
    result.opset_import.append(helper.make_opsetid("", 13))
    return result


def same_opset_twice(path):
    """Nothing: ai.onnx imported by both of its names, at the same version."""
    result = valid(path)
    result.opset_import.append(helper.make_opsetid("ai.onnx", 22))
    return result


def high_rank(path):
    """An input of 40 dimensions."""
    return model([helper.make_node("Relu", ["x"], ["y"], name="r")], [value("x", [1] * 40)], [value("y", None)])


def high_rank_output(path):
    """An output of 17 dimensions."""
    shape = numpy_helper.from_array(np.ones(17, np.int64), "shape")
    return model([helper.make_node("Reshape", ["x", "shape"], ["y"], name="spread")],
                 [value("x", [1])], [value("y", None)], [shape])


def overflowing_input(path):
    """An input of more bytes than 64 bits count."""
    return model([helper.make_node("Relu", ["x"], ["y"], name="r")], [value("x", [2**31 - 1] * 3)], [value("y", None)])


def strings(path):
    """A tensor of strings, which no target computes with."""
    return model([helper.make_node("StringConcat", ["x", "x"], ["y"], name="glue")],
                 [value("x", [2], TensorProto.STRING)], [value("y", [2], TensorProto.STRING)])


def future_opset(path):
    """An operator set that is not there yet."""
    return model([helper.make_node("Relu", ["x"], ["y"], name="r")],
                 [value("x", [4])], [value("y", [4])], opset=999)


def future_ir(path):
    """A file version that is not there yet."""
    result = valid(path)
    result.ir_version = 999
    return result


def missing_attribute(path):
    """A Concat without its axis."""
    return model([helper.make_node("Concat", ["x", "x"], ["y"], name="joiner")],
                 [value("x", [4])], [value("y", [8])])


def wrong_shapes(path):
    """A product of matrices that do not fit."""
    return model([helper.make_node("MatMul", ["a", "b"], ["y"], name="fc1/MatMul")],
                 [value("a", [8, 32]), value("b", [33, 64])], [value("y", [8, 64])])


def wrong_types(path):
    """A sum of floats and integers."""
    return model([helper.make_node("Add", ["a", "b"], ["y"], name="mixer")],
                 [value("a", [4]), value("b", [4], TensorProto.INT64)], [value("y", [4])])


def short_initializer(path):
    """A constant with fewer bytes than its shape says."""
    w = TensorProto(name="w", data_type=FLOAT, dims=[1000], raw_data=b"\0" * 16)
    return model([helper.make_node("Add", ["x", "w"], ["y"], name="adder")],
                 [value("x", [1000])], [value("y", [1000])], [w])


def huge_initializer(path):
    """A constant whose size overflows 64 bits."""
    w = TensorProto(name="w", data_type=FLOAT, dims=[2**32, 2**32, 2**32], raw_data=b"\0" * 16)
    return model([helper.make_node("Add", ["x", "w"], ["y"], name="adder")],
                 [value("x", [1])], [value("y", [2**32, 2**32, 2**32])], [w])


def negative_dim(path):
    """A constant with a negative dimension."""
    w = TensorProto(name="w", data_type=FLOAT, dims=[-4], raw_data=b"\0" * 16)
    return model([helper.make_node("Add", ["x", "w"], ["y"], name="adder")],
                 [value("x", [4])], [value("y", [4])], [w])


def negative_input(path):
    """An input with a negative dimension that is not the -1 of unknown ones."""
    return model([helper.make_node("Relu", ["x"], ["y"], name="r")], [value("x", [-4])], [value("y", [-4])])


def unknown_input(path):
    """Nothing: an unknown dimension that an exporter wrote as -1."""
    return model([helper.make_node("Relu", ["x"], ["y"], name="r")], [value("x", [-1])], [value("y", [-1])])


def wrong_declaration(path):
    """An output declared with an extent that the nodes do not compute."""
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="r"), helper.make_node("Relu", ["x"], ["z"], name="s"),
             helper.make_node("Relu", ["u"], ["v"], name="t")]
    return model(nodes, [value("x", [4]), value("u", ["N", 4])],
                 [value("y", [5]), value("z", [4]), value("v", [2, "M"])])


def huge_shape(path):
    """Intermediate values of 2^60 elements."""
    shape = numpy_helper.from_array(np.array([2**30, 2**30], np.int64), "shape")
    return model([helper.make_node("Expand", ["x", "shape"], ["big"], name="inflate"),
                  helper.make_node("ReduceSum", ["big"], ["y"], name="reduce", keepdims=0)],
                 [value("x", [1])], [value("y", [])], [shape])


def unplannable(path):
    """Two intermediate values of 2^62 bytes, each of which has to be in memory."""
    nodes = []
    for name, shape in ("one", [2**40, 2**20]), ("two", [2**20, 2**40]):
        nodes += [helper.make_node("Constant", [], [f"{name}.shape"], value_ints=shape),
                  helper.make_node("Expand", ["x", f"{name}.shape"], [f"{name}.big"], name=f"{name}.inflate"),
                  helper.make_node("CumSum", [f"{name}.big", "axis"], [f"{name}.sums"], name=f"{name}.sum"),
                  helper.make_node("ReduceMax", [f"{name}.sums"], [f"{name}.y"], name=f"{name}.reduce", keepdims=0)]
    return model(nodes, [value("x", [1])], [value("one.y", []), value("two.y", [])],
                 [numpy_helper.from_array(np.array(0, np.int64), "axis")])


def overflowing_shape(path):
    """An Expand to a shape whose element count overflows."""
    shape = numpy_helper.from_array(np.array([2**40, 2**40], np.int64), "shape")
    return model([helper.make_node("Expand", ["x", "shape"], ["y"], name="inflate")],
                 [value("x", [1])], [value("y", [2**40, 2**40])], [shape])


def constant_bomb(path):
    """Constants that would fold into 2^40 elements."""
    shape = numpy_helper.from_array(np.array([2**20, 2**20], np.int64), "shape")
    one = numpy_helper.from_array(np.arange(2, dtype=np.float32)[:1], "one")
    return model([helper.make_node("Expand", ["one", "shape"], ["big"], name="bomb"),
                  helper.make_node("ReduceMax", ["big"], ["m"], name="defuse", keepdims=0),
                  helper.make_node("Add", ["x", "m"], ["y"], name="adder")],
                 [value("x", [1])], [value("y", [1])], [shape, one])


def field(number, payload):
    """A length-delimited protobuf field, for what the library would not write."""
    length, head = len(payload), bytearray([number << 3 | 2])
    while True:
        head.append(length & 0x7F | (0x80 if length > 0x7F else 0))
        length >>= 7
        if not length:
            return bytes(head) + payload


def nested_ifs(levels):
    leaf = helper.make_graph([helper.make_node("Identity", ["x"], ["out"], name="core")], "leaf", [],
                             [value("out", [1])])
    graph = leaf.SerializeToString()
    for level in range(levels):
        node = onnx.NodeProto(op_type="If", input=["c"], output=["out"], name=f"if{level}")
        branches = b"".join(
            field(5, onnx.AttributeProto(name=name, type=onnx.AttributeProto.GRAPH).SerializeToString() +
                  field(6, content))
            for name, content in (("then_branch", graph), ("else_branch", leaf.SerializeToString())))
        shell = onnx.GraphProto(name=f"g{level}", output=[value("out", [1])])
        graph = shell.SerializeToString() + field(1, node.SerializeToString() + branches)
    inputs = onnx.GraphProto(input=[value("x", [1]), value("c", [], TensorProto.BOOL)])
    head = onnx.ModelProto(ir_version=10, opset_import=[helper.make_opsetid("", 22)])
    return head.SerializeToString() + field(7, graph + inputs.SerializeToString())


def nested(path):
    """Nothing: twenty If nodes within each other."""
    return nested_ifs(20)


def deep_nesting(path):
    """A thousand If nodes within each other."""
    return nested_ifs(1000)


def recursive_function(path):
    """A local function that calls itself."""
    function = helper.make_function(
        "local", "Snake", ["a"], ["b"], [helper.make_node("Snake", ["a"], ["b"], domain="local", name="bite")],
        [helper.make_opsetid("local", 1)])
    result = model([helper.make_node("Snake", ["x"], ["y"], domain="local", name="head")],
                   [value("x", [4])], [value("y", [4])], functions=[function])
    result.opset_import.append(helper.make_opsetid("local", 1))
    return result


def duplicate_output(path):
    """Two nodes that write the same value."""
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="left"), helper.make_node("Neg", ["x"], ["y"], name="right")]
    return model(nodes, [value("x", [4])], [value("y", [4])])


def external(path, location, offset=0, length=16):
    w = TensorProto(name="w", data_type=FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, text_value in (("location", location), ("offset", str(offset)), ("length", str(length))):
        w.external_data.add(key=key, value=text_value)
    return model([helper.make_node("Add", ["x", "w"], ["y"], name="adder")],
                 [value("x", [4])], [value("y", [4])], [w])


def external_good(path):
    """Nothing: a constant in a file beside the model."""
    data = path.with_suffix(".bin")
    data.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    return external(path, data.name)


def external_missing(path):
    """A constant in a file that does not exist."""
    return external(path, "nowhere.bin")


def external_escaping(path):
    """A constant in a file outside the model's folder."""
    (path.parent.parent / "secret.bin").write_bytes(b"\1" * 64)
    return external(path, "../secret.bin")


def external_absolute(path):
    """A constant in a file named from the root."""
    return external(path, "/etc/passwd")


def external_symlink(path):
    """A constant in a link that leads out of the model's folder."""
    link = path.with_suffix(".link")
    link.unlink(missing_ok=True)
    os.symlink("/etc/passwd", link)
    return external(path, link.name)


def external_short(path):
    """A constant that lies behind the end of its file."""
    data = path.with_suffix(".bin")
    data.write_bytes(b"\0" * 16)
    return external(path, data.name, offset=8)


def external_overflow(path):
    """A constant whose offset and length overflow."""
    data = path.with_suffix(".bin")
    data.write_bytes(b"\0" * 16)
    return external(path, data.name, offset=2**63 - 8)


def many_nodes(path):
    """Fifty thousand empty nodes: small as a file, large in memory."""
    graph = onnx.GraphProto(name="g", node=[onnx.NodeProto()] * 50_000, input=[value("x", [1])],
                            output=[value("y", [1])])
    return onnx.ModelProto(ir_version=10, graph=graph, opset_import=[helper.make_opsetid("", 22)])


def bad_names(path):
    """Names that are not UTF-8 and hold control characters; the operator is unknown."""
    data = model([helper.make_node("Frobnicate", ["x"], ["y"], name="EVIL")],
                 [value("x", [4])], [value("y", [4])]).SerializeToString()
    return data.replace(b"EVIL", b"\xff\x1b[\n")


def duplicate_dims(path):
    """Nothing: two different unknown sizes that an exporter both called '?'."""
    return model([helper.make_node("Relu", ["x"], ["y"], name="r")],
                 [value("x", ["?", "?"])], [value("y", ["?", "?"])])


def identity_of_input(path):
    """Nothing: an output that is an input."""
    return model([], [value("x", [4])], [value("x", [4])])


KINDS = {name.replace("_", "-"): function for name, function in list(globals().items())
         if callable(function) and getattr(function, "__code__", None)
         and function.__code__.co_varnames[:1] == ("path",) and function.__code__.co_argcount == 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    result = KINDS[options.kind](options.output)
    options.output.write_bytes(result if isinstance(result, bytes) else result.SerializeToString())
    return 0


if __name__ == "__main__":
    sys.exit(main())
