#!/usr/bin/env python3
"""Runs the networks of a pack on a device and says how far their outputs are from the expected ones.

usage: report.py FOLDER --bin BIN --device DEVICE --target TARGET [--jobs N]

FOLDER holds a folder for each network with its model.json. Called by run.sh; needs Python alone. The last line is the
summary.
"""

import argparse
import array
import ast
import concurrent.futures
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

CODES = {"<f2": "e", "<f4": "f", "<f8": "d", "|b1": "?", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q", "|u1": "B",
         "<u2": "H", "<u4": "I", "<u8": "Q"}


def read_npy(path):
    """(type, shape, flat values)"""
    data = path.read_bytes()
    size = struct.unpack_from("<H", data, 8)[0]
    head = ast.literal_eval(data[10:10 + size].decode("latin-1"))
    body = data[10 + size:]
    code = CODES[head["descr"]]
    if code in "e?":
        values = struct.unpack(f"<{math.prod(head['shape'])}{code}", body)
    else:
        values = array.array(code, body)
    return head["descr"], head["shape"], values


def difference(actual, expected):
    """(largest absolute error, relative to the range of what is expected)"""
    if actual[:2] != expected[:2]:
        raise ValueError(f"{actual[0]}{list(actual[1])}, not {expected[0]}{list(expected[1])}")
    absolute, low, high = 0.0, math.inf, -math.inf
    for a, b in zip(actual[2], expected[2]):
        if math.isfinite(a) and math.isfinite(b):
            absolute, low, high = max(absolute, abs(a - b)), min(low, b), max(high, b)
        elif not (a == b or (a != a and b != b)):
            raise ValueError("other infinities or NaNs")
    return absolute, absolute / (high - low if high > low else 1.0)


def read_text(output, characters):
    """What recognition says: the likeliest class of every step, without repetitions and blanks."""
    _, (lines, steps, classes), values = output
    alphabet = [""] + characters.split("\n") + [" "]
    texts = []
    for line in range(lines):
        text, last = "", 0
        for step in range(steps):
            start = (line * steps + step) * classes
            row = values[start:start + classes]
            best = row.index(max(row))
            text += alphabet[best] if best != last else ""
            last = best
        texts.append(text)
    return texts


class Network:
    """One network of the pack."""

    def __init__(self, path, options):
        self.folder, self.options = path.parent, options
        self.facts = json.loads(path.read_text())
        self.name = self.folder.name

    def call(self, *command):
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                                cwd=self.folder)
        if result.returncode:
            lines = result.stderr.strip().splitlines() or [f"ended with {result.returncode}"]
            raise ValueError(" ".join(lines)[:400])

    def module(self):
        """Compiled when it is first asked for: for the target, or for several of which it is one."""
        targets = self.facts.get("targets", [])
        if self.options.target not in targets:
            targets = [self.options.target]
        module = self.folder / (",".join(targets).replace(":", "-") + ".hone")
        if not module.exists():
            self.call(self.options.bin / "device-tests", "hone", "compile", self.folder / self.facts["model"],
                      "-o", module, f"--target={','.join(targets)}")
        return module

    def check(self, module, run):
        """(absolute, relative) error of one run, the worst of its outputs; what was read; whether all is right."""
        inputs = [f"--input={name}={self.folder / file}" for name, file in run["inputs"].items()]
        with tempfile.TemporaryDirectory() as folder:
            self.call(self.options.bin / "hone-run", "run", module, f"--device={self.options.device}",
                      f"--target={self.options.target}", *inputs, f"--output-dir={folder}")
            out = pathlib.Path(folder)
            entries = json.loads((out / "outputs.json").read_text())
            actual = {entry["name"]: read_npy(out / entry["file"]) for entry in entries}
        expected = {name: read_npy(self.folder / file) for name, file in run["outputs"].items()}
        absolute, relative = max(difference(actual[name], value) for name, value in expected.items())
        good, text = relative < self.facts["limit"], ""
        if "characters" in self.facts:
            characters = (self.folder / self.facts["characters"]).read_text(encoding="utf-8")
            read, wanted = [read_text(next(iter(outputs.values())), characters) for outputs in (actual, expected)]
            good &= read == wanted
            text = f"reads {read}" + ("" if read == wanted else f", not {wanted}")
        return absolute, relative, text, good

    def rows(self):
        try:
            module = self.module()
        except ValueError as error:
            return [(self.name, "", "", "", f"does not compile: {error}", False)]
        rows = []
        for run in self.facts["runs"]:
            try:
                absolute, relative, text, good = self.check(module, run)
                verdict = "ok" if good else f"wrong (limit {self.facts['limit']:g})"
                rows.append((self.name, run["label"], f"{absolute:.2e}", f"{relative:.2e}", f"{verdict} {text}", good))
            except ValueError as error:
                rows.append((self.name, run["label"], "", "", str(error), False))
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--jobs", type=int, default=4)
    options = parser.parse_args()
    networks = [Network(path, options) for path in sorted(options.folder.resolve().glob("*/model.json"))]
    options.bin = options.bin.resolve()
    row = "{:22} {:26} {:>9} {:>9}  {}"
    print(row.format("network", "inputs", "max abs", "of range", "verdict"))
    passed = total = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for rows in pool.map(Network.rows, networks):
            for *cells, good in rows:
                print(row.format(*cells).rstrip(), flush=True)
                passed, total = passed + good, total + 1
    print(f"{passed} of {total} runs are right")
    sys.exit(0 if passed == total else 1)


if __name__ == "__main__":
    main()
