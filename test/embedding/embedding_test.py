#!/usr/bin/env python3
"""Builds and runs the programs of docs/embedding.md against an installed Hone, as a user would.

usage: embedding_test.py --build BUILD_DIR --compilers CC CXX
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import onnx
import onnx.parser

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.S | re.M)
MODEL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 3] x) => (float[N, 2] y) <float[3, 2] w = {1, 2, 3, 4, 5, 6}> { [product] y = MatMul(x, w) }"""


def call(*command, code=0):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if result.returncode != code:
        sys.exit(f"{' '.join(map(str, command))} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"'{part}' is missing in:\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compilers", nargs=2, metavar=("CC", "CXX"), required=True)
    options = parser.parse_args()
    work = (options.build / "test" / "embedding" / "work").resolve()
    shutil.rmtree(work, ignore_errors=True)
    prefix, source, build = work / "prefix", work / "source", work / "build"
    source.mkdir(parents=True)
    blocks = BLOCK.findall((ROOT / "docs" / "embedding.md").read_text())
    for name, text in blocks:
        (source / name).write_text(text)
    if len(blocks) != 3:
        sys.exit(f"docs/embedding.md should hold three files, not {len(blocks)}")

    call("cmake", "--install", options.build, "--prefix", prefix)
    # What was built is not needed any more: nothing of the build tree may be looked at.
    call("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_C_COMPILER={options.compilers[0]}", f"-DCMAKE_CXX_COMPILER={options.compilers[1]}",
         "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    call("cmake", "--build", build)

    model, module = work / "model.onnx", work / "model.hone"
    onnx.save(onnx.parser.parse_model(MODEL), model)
    expect(call(build / "compile_and_run", model, module), "y: f32, 8 bytes, first value 9")
    expect(call(build / "run", module), "first value 18", "intermediates: 0 bytes")
    expect(call(prefix / "bin" / "hone-run", "inspect", module), "y")
    expect(call(prefix / "bin" / "hone", "--help"), "compile")
    model.write_text("no model")
    expect(call(build / "compile_and_run", model, code=1), "model.onnx: error: ", "error 8: ")
    expect(call(build / "run", model, code=1), "error: ")


if __name__ == "__main__":
    main()
