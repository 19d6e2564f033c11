#!/usr/bin/env python3
"""Writes an .onnx file from ONNX's text format, for lit tests of the importer.

usage: make_onnx.py MODEL.{mlir,test,txt} -o OUT.onnx [--weights NAME,...] [--no-check]

The text is onnx.parser's (`<ir_version: 10, opset_import: ["" : 22]> g (float[N] x) => ...`).
Lines that start with `//` are test commands and are skipped. A node gets its name from ONNX's own
syntax: `[name] y = Relu(x)`. Weights too large to write down are inputs in the text, which --weights names: they
become initializers of seeded random values.
"""

import argparse
import sys

import numpy
import onnx
import onnx.parser


def fill_weights(graph, names):
    """Makes initializers of inputs."""
    random = numpy.random.default_rng(0)
    for name in names:
        tensor = next(given for given in graph.input if given.name == name)
        kind = tensor.type.tensor_type
        shape = [dim.dim_value for dim in kind.shape.dim]
        values = 0.2 * random.standard_normal(shape)
        values = values.astype(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
        graph.initializer.append(onnx.numpy_helper.from_array(values, name))
        graph.input.remove(tensor)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--weights", default="", help="inputs that become initializers, separated by commas")
    parser.add_argument("--no-check", action="store_true", help="write models ONNX's checker refuses")
    options = parser.parse_args()
    with open(options.text) as file:
        text = "".join(line for line in file if not line.lstrip().startswith("//"))
    model = onnx.parser.parse_model(text)
    fill_weights(model.graph, filter(None, options.weights.split(",")))
    if not options.no_check:
        onnx.checker.check_model(model)
    onnx.save(model, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
