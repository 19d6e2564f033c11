"""Runs models with Hone's programs and with ONNX Runtime, and compares the two."""

import dataclasses
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

import numpy as np

MODELS = {
    "detection": "ch_PP-OCRv4_det_infer.onnx",
    "direction": "ch_ppocr_mobile_v2.0_cls_infer.onnx",
    "recognition": "ch_PP-OCRv4_rec_infer.onnx",
}


SAID_LINES = 12  # of a failed program's stderr that are repeated


# Runs its arguments, on one processor if the first says so, and prints behind what they print what that took: seconds of
# processors and the most memory in bytes.
USAGE = """import os, resource, subprocess, sys
if int(sys.argv[1]):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
code = subprocess.call(sys.argv[2:])
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
sys.exit(code)"""


class Failed(Exception):
    """A program of ours ended badly; the message is what the user should read."""


def model_path(name):
    """The file of one of MODELS, inside the package that carries it (which is not imported)."""
    packages = pathlib.Path(sysconfig.get_paths()["purelib"])
    path = packages / "rapidocr_onnxruntime" / "models" / MODELS[name]
    if not path.exists():
        raise Failed(f"{path} is missing: run ./dev setup")
    return path


@dataclasses.dataclass
class Usage:
    """What a program took."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int


class Hone:
    """Hone's command line, with its files in a folder that goes away."""

    def __init__(self, build, target="cpu", hone_run=None, echo=False):
        """`hone_run` is a command line that stands for hone-run: an emulator and its program. What it prints is
        printed with `echo`."""
        self.echo = echo
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.hone_run = shlex.split(hone_run) if hone_run else [self.bin / "hone-run"]
        self.target = target
        self._folder = tempfile.TemporaryDirectory(prefix="hone-models-")
        self.folder = pathlib.Path(self._folder.name)

    def _call(self, *command):
        if not pathlib.Path(command[0]).exists():
            raise Failed(f"{command[0]} is missing: run ./dev build")
        # In our own folder, where a reproducer may be left.
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                                cwd=self.folder)
        if result.returncode:
            said = result.stderr.strip().splitlines()
            if len(said) > SAID_LINES:
                said[SAID_LINES:] = [f"... and {len(said) - SAID_LINES} more lines"]
            raise Failed("\n".join([" ".join(map(str, command)), f"ended with {result.returncode}", *said]))
        return result.stdout + result.stderr if self.echo else result.stdout

    def compile(self, model, *options, suffix=".hone", through=()):
        """Compiles an .onnx file; returns the result's path and the seconds it took. `through` is a command that
        runs another; what both print is kept in `said`."""
        module = self.folder / (pathlib.Path(model).stem + suffix)
        start = time.perf_counter()
        self.said = self._call(*through, self.bin / "hone", "compile", model, "-o", module,
                               f"--target={self.target}", *options)
        return module, time.perf_counter() - start

    def compile_measured(self, model, *options, one_core=False):
        """As `compile`, and what the compiler took."""
        module, wall = self.compile(model, *options, through=[sys.executable, "-c", USAGE, int(one_core)])
        seconds, peak = self.said.split()[-2:]
        return module, Usage(wall, float(seconds), int(peak))

    def _inputs(self, inputs):
        arguments = []
        for index, (name, value) in enumerate(inputs.items()):
            path = self.folder / f"input{index}.npy"
            np.save(path, value)
            arguments += ["--input", f"{name}={path}"]
        return arguments

    def run(self, module, inputs, *options):
        """Runs a module with the runtime alone; returns the outputs by name."""
        out = self.folder / "outputs"
        out.mkdir(exist_ok=True)
        said = self._call(*self.hone_run, "run", module, *self._inputs(inputs), *options, "--output-dir", out)
        if self.echo:
            print(said, end="")
        return {entry["name"]: np.load(out / entry["file"])
                for entry in json.loads((out / "outputs.json").read_text())}

    def bench(self, module, inputs, runs, threads):
        """The bench verb's JSON for one module."""
        report = self.folder / "bench.json"
        self._call(*self.hone_run, "bench", module, *self._inputs(inputs), f"--runs={runs}",
                   f"--threads={threads}", f"--json={report}")
        return json.loads(report.read_text())


class Peer:
    """ONNX Runtime with as many threads as we get."""

    def __init__(self, model, threads=1):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"])
        self.input = self.session.get_inputs()[0].name

    def metadata(self, key):
        return self.session.get_modelmeta().custom_metadata_map[key]

    def run(self, inputs):
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, inputs)))

    def bench(self, inputs, runs):
        """The median of the seconds of `runs` runs."""
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            self.session.run(None, inputs)
            times.append(time.perf_counter() - start)
        return statistics.median(times)


@dataclasses.dataclass
class Difference:
    """How far two float outputs are apart."""

    absolute: float
    relative: float  # to the range of the expected output
    ulps: int

    @staticmethod
    def between(actual, expected):
        if actual.shape != expected.shape or actual.dtype != expected.dtype:
            raise Failed(f"an output is {actual.dtype}{list(actual.shape)}, "
                         f"not {expected.dtype}{list(expected.shape)}")
        if not np.array_equal(np.isfinite(actual), np.isfinite(expected)):
            raise Failed("an output has other infinities or NaNs than ONNX Runtime's")
        absolute = float(np.abs(actual.astype(np.float64) - expected).max(initial=0))
        spread = float(expected.max(initial=0) - expected.min(initial=0)) or 1.0
        return Difference(absolute, absolute / spread, int(Difference.ulp_distance(actual, expected)))

    @staticmethod
    def ulp_distance(actual, expected):
        """The most floats that lie between two values of the same place."""
        def ordered(value):
            bits = np.ascontiguousarray(value, np.float32).view(np.int32).astype(np.int64)
            return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
        return np.abs(ordered(actual) - ordered(expected)).max(initial=0)

    def worse(self, other):
        return Difference(max(self.absolute, other.absolute), max(self.relative, other.relative),
                          max(self.ulps, other.ulps))


def compare(actual, expected):
    """The worst difference over all outputs, which must have the same names."""
    if list(actual) != list(expected):
        raise Failed(f"outputs are {list(actual)}, not {list(expected)}")
    worst = Difference(0.0, 0.0, 0)
    for name, value in expected.items():
        worst = worst.worse(Difference.between(actual[name], value))
    return worst


def interleaved(hone, module, peer, inputs, threads=1, rounds=5, runs=10):
    """Median seconds of both over rounds in turn, the median of the rounds' ratios (peer / ours),
    and the last of our reports."""
    ours, theirs, report = [], [], {}
    for _ in range(rounds):
        report = hone.bench(module, inputs, runs, threads)
        ours.append(report["median_ns"] * 1e-9)
        theirs.append(peer.bench(inputs, runs))
    ratios = [their / our for our, their in zip(ours, theirs)]
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios), report


def print_table(rows):
    """A table whose first row is its head: the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def main(function):
    """Runs a program's main function; our own failures are one message and exit code 1."""
    try:
        sys.exit(function())
    except Failed as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)
