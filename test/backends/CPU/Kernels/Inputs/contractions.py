"""Writes matmul*.onnx and conv.onnx, with constant weights, to a folder."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def save(path, node, x, y, weights):
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", x), ("y", y))]
    data = np.random.default_rng(0).standard_normal(weights).astype(np.float32)
    graph = helper.make_graph([node], "g", values[:1], values[1:], [numpy_helper.from_array(data, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), path)


folder = pathlib.Path(sys.argv[1])
save(folder / "matmul.onnx", helper.make_node("MatMul", ["x", "w"], ["y"]), (64, 256), (64, 128), (256, 128))
# Columns that three vectors divide and two do not.
for columns in (24, 48, 12):
    save(folder / f"matmul{columns}.onnx", helper.make_node("MatMul", ["x", "w"], ["y"]), (64, 256), (64, columns),
         (256, columns))
save(folder / "conv.onnx", helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4), (1, 32, 28, 28), (1, 64, 28, 28),
     (64, 32, 3, 3))
