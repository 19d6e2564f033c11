#!/usr/bin/env python3
"""Writes an .onnx file from ONNX's text format, for lit tests of the importer.

usage: make_onnx.py MODEL.{mlir,test,txt} -o OUT.onnx [--no-check]

The text is onnx.parser's (`<ir_version: 10, opset_import: ["" : 22]> g (float[N] x) => ...`).
Lines that start with `//` are test commands and are skipped. A node gets its name from ONNX's own
syntax: `[name] y = Relu(x)`.
"""

import argparse
import sys

import onnx
import onnx.parser


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--no-check", action="store_true", help="write models ONNX's checker refuses")
    options = parser.parse_args()
    with open(options.text) as file:
        text = "".join(line for line in file if not line.lstrip().startswith("//"))
    model = onnx.parser.parse_model(text)
    if not options.no_check:
        onnx.checker.check_model(model)
    onnx.save(model, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
