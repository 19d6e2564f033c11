#!/usr/bin/env python3
"""Runs the commands that the documentation shows, and compares what they print.

usage: examples.py --build BUILD [--update] [PAGE]...

A block of a page that is fenced as `console` holds commands, `$ ` before each, and what they print. The blocks of a
page run in order, in one folder that holds a small model (model.onnx, with the input x) and an image for it
(image.npy). Numbers, sizes and the names of processors may differ, a line `...` stands for any lines; everything else
is compared. `--update` writes what is printed into the pages.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "tools"))
import make_onnx  # noqa: E402

PAGES = ("README.md", "docs/cli.md")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)

MODEL = """
<ir_version: 10, opset_import: ["": 21]>
example (float[N,3,32,32] x, float[16,3,3,3] w1, float[16,1,3,3] w2, float[24,16,1,1] w3, float[24,10] w4)
    => (float[N,10] y)
<int64[2] rows = {-1, 24}>
{
  [conv1] a = Conv <pads = [1, 1, 1, 1]> (x, w1)
  [relu1] b = Relu (a)
  [conv2] c = Conv <pads = [1, 1, 1, 1], group = 16> (b, w2)
  [relu2] d = Relu (c)
  [conv3] e = Conv (d, w3)
  [pool] f = GlobalAveragePool (e)
  [flatten] g = Reshape (f, rows)
  [classify] h = MatMul (g, w4)
  [softmax] y = Softmax (h)
}
"""


def write_inputs(folder):
    model = onnx.parser.parse_model(MODEL)
    make_onnx.fill_weights(model.graph, ["w1", "w2", "w3", "w4"])
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")
    image = numpy.random.default_rng(0).random((1, 3, 32, 32), dtype=numpy.float32)
    numpy.save(folder / "image.npy", image)


def commands(block):
    """Pairs of a command and the lines shown below it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def run(command, folder, build):
    environment = dict(os.environ, PATH=f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}",
                       HONE_CACHE_DIR=str(folder / "cache"))
    command = command.replace("build/dev/bin/", "")
    result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    return result.returncode, result.stdout.splitlines()


def shape(line):
    """What two lines have in common whose numbers differ."""
    line = re.sub(r"\bcpu:\w+", "cpu:host", line)
    line = re.sub(r"-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", "0", line)
    line = re.sub(r"\b0 ?(?:[kMGT]?B|[kMGT]?FLOP|[kMGT])\b", "0", line)
    return re.sub(r"\s+", " ", line).strip()


def agree(shown, printed):
    """Whether the lines are the same but for numbers; `...` stands for any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(agree(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and shape(shown[0]) == shape(printed[0]) and agree(shown[1:], printed[1:])


def check_page(page, build, update):
    complaints = []
    path = ROOT / page
    text = path.read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder)

        def check_block(match):
            lines = []
            for command, shown in commands(match[1]):
                code, printed = run(command, folder, build)
                same = agree(shown, printed)
                if code:
                    complaints.append(f"{page}: `{command}` ends with {code}: {printed}")
                elif not same and not update:
                    complaints.append(f"{page}: `{command}` prints:\n" + "\n".join(printed))
                lines += [f"$ {command}", *(shown if same else printed)]
            return "```console\n" + "".join(line.rstrip() + "\n" for line in lines) + "```"

        written = BLOCK.sub(check_block, text)
    if update and written != text:
        path.write_text(written)
    if not BLOCK.search(text):
        complaints.append(f"{page}: shows no commands")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true", help="write what is printed into the pages")
    parser.add_argument("pages", nargs="*", default=PAGES)
    options = parser.parse_args()
    complaints = [complaint for page in options.pages
                  for complaint in check_page(page, options.build.resolve(), options.update)]
    print("\n".join(complaints))
    if complaints and not options.update:
        print("examples.py --build BUILD --update writes what is printed into the pages", file=sys.stderr)
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
