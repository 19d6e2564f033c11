#!/usr/bin/env python3
"""A real network as an object file, run by a C program, against ONNX Runtime.

usage: objects.py --build BUILD [--target T] [--cc COMMAND] [--runner COMMAND]

The object must need nothing but the C library's memory functions and mathematics.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np

import harness
import models


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--runner", default="")
    options = parser.parse_args()

    hone = harness.Hone(options.build, options.target)
    model = harness.model_path("direction")
    peer = harness.Peer(model)
    compiled, seconds = hone.compile(model, "--emit=object", suffix=".o")
    rows = [("model", "input", "max abs", "of range", "max ULP", "compiled in", "verdict")]
    good = True
    for batch, height, width in models.SMALL_SIZES["direction"]:
        inputs = {peer.input: models.model_input(batch, height, width)}
        np.save(hone.folder / "x.npy", inputs[peer.input])
        script = pathlib.Path(__file__).resolve().parent.parent / "tools" / "run_object.py"
        out = hone.folder / "object"
        subprocess.run([sys.executable, script, compiled, "--input", f"{peer.input}={hone.folder / 'x.npy'}",
                        "--output-dir", out, f"--cc={options.cc}", f"--runner={options.runner}"], check=True,
                       stdout=subprocess.DEVNULL)
        expected = list(peer.run(inputs).values())
        actual = [np.load(path) for path in out.glob("*.npy")]
        found = harness.Difference.between(actual[0], expected[0])
        passed = found.relative < models.LIMIT
        good &= passed
        rows.append(("direction", f"{batch}x3x{height}x{width}", f"{found.absolute:.2e}", f"{found.relative:.2e}",
                     str(found.ulps), f"{seconds:.1f} s", "ok" if passed else f"above {models.LIMIT:g}"))
    harness.print_table(rows)
    return 0 if good else 1


if __name__ == "__main__":
    harness.main(run)
