#!/usr/bin/env python3
"""Measures well-known networks at batch 1 on a device, beside PyTorch where there is one and the device is CUDA's.

usage: bench.py --bin BIN --zoo WRITER --device DEVICE --target TARGET [--out DIR] [--compile] [--jobs N]
                [--precision P]... [NAME]...

Called by run.sh. Needs NumPy and onnx, which write the networks, and says so where they are missing. Inputs and outputs
lie on the device; a run ends when the host knows that it has ended.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import time

NAMES = ("resnet50", "bert_base", "mobilenet_v2", "vit_b16")


def has(*modules):
    return all(importlib.util.find_spec(name) for name in modules)


def call(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if result.returncode:
        lines = result.stderr.strip().splitlines() or [f"ended with {result.returncode}"]
        raise ValueError(" ".join(lines)[:400])


def write(name, folder):
    """Writes model and inputs; returns the inputs and the options that make their sizes known."""
    import numpy as np
    import zoo
    model, feeds = zoo.build(name)
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
    dims = {}
    for info in model.graph.input:
        for dim, extent in zip(info.type.tensor_type.shape.dim, feeds[0][info.name].shape):
            if dim.dim_param:
                dims[dim.dim_param] = extent
    for key, value in feeds[0].items():
        np.save(folder / f"{name}.{key}.npy", value)
    return feeds[0], [f"--dim={key}={value}" for key, value in dims.items()]


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.feeds, self.dims = {}, {}

    def compile(self, job):
        """The seconds it took, or what is wrong."""
        name, precision = job
        start = time.perf_counter()
        try:
            call(self.options.bin / "device-tests", "hone", "compile", self.folder / f"{name}.onnx",
                 f"--target={self.options.target}", f"--precision={precision}", *self.dims[name],
                 "-o", self.folder / f"{name}.{precision}.hone")
        except ValueError as error:
            return str(error)
        return time.perf_counter() - start

    def inputs(self, name):
        return [f"--input={key}={self.folder / f'{name}.{key}.npy'}" for key in self.feeds[name]]

    def ours(self, name, precision):
        report = self.folder / "bench.json"
        call(self.options.bin / "hone-run", "bench", self.folder / f"{name}.{precision}.hone",
             f"--device={self.options.device}", "--device-memory", "--profile", f"--json={report}", *self.inputs(name))
        return json.loads(report.read_text())

    def error(self, name, precision):
        """Of the first output, relative to its range, against ONNX Runtime in f32."""
        if not has("onnxruntime"):
            return None
        import numpy as np
        import onnxruntime
        path = self.folder / f"{name}.expected.npy"
        if not path.exists():
            session = onnxruntime.InferenceSession(str(self.folder / f"{name}.onnx"), providers=["CPUExecutionProvider"])
            np.save(path, session.run(None, self.feeds[name])[0])
        out = self.folder / f"{name}.{precision}.out"
        call(self.options.bin / "hone-run", "run", self.folder / f"{name}.{precision}.hone",
             f"--device={self.options.device}", f"--output-dir={out}", *self.inputs(name))
        expected = np.load(path).astype(np.float64)
        actual = np.load(out / json.loads((out / "outputs.json").read_text())[0]["file"]).astype(np.float64)
        return float(np.abs(actual - expected).max() / (expected.max() - expected.min()))

    def row(self, name, precision, compiled):
        """One result; prints it."""
        result = {"network": name, "precision": precision}
        if isinstance(compiled, str):
            print(f"{name:14} {precision:5} does not compile: {compiled}", flush=True)
            return {**result, "problem": compiled}
        result["compile_s"] = compiled
        try:
            report = self.ours(name, precision)
            result.update(ms=report["median_ns"] / 1e6, arena_bytes=report["arena_bytes"],
                          first_ms=report["first_run_ns"] / 1e6, load_ms=report["load_ns"] / 1e6,
                          profile=report.get("profile", []), error=self.error(name, precision))
        except ValueError as error:
            print(f"{name:14} {precision:5} {error}", flush=True)
            return {**result, "problem": str(error)}
        text = ""
        if self.options.device.startswith("cuda") and has("torch"):
            import peers
            try:
                theirs = peers.measure(name, list(self.feeds[name].values()), precision, self.options.compile)
                result["pytorch_ms"] = theirs
                text = "; ".join(f"PyTorch {way} {ms:.3f}" for way, ms in theirs.items())
                text += f"; {min(theirs.values()) / result['ms']:.2f}x"
            except Exception as error:  # a peer that fails is no failure of ours
                text = f"PyTorch: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        off = "" if result["error"] is None else f"{result['error']:.1e}"
        print(f"{name:14} {precision:5} {result['ms']:9.3f} ms  error {off:8} compiled in {compiled:5.1f} s  {text}",
              flush=True)
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--zoo", type=pathlib.Path, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--compile", action="store_true", help="also measure torch.compile")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--precision", action="append")
    options = parser.parse_args()
    if not has("numpy", "onnx"):
        print("skipped: NumPy and onnx are not installed, nothing writes the networks")
        return
    if not has("torch"):
        print("PyTorch is not installed: ours alone")
    sys.path.insert(0, str(options.zoo.resolve()))
    options.bin = options.bin.resolve()
    results = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        bench = Bench(options, pathlib.Path(folder))
        for name in options.names:
            bench.feeds[name], bench.dims[name] = write(name, bench.folder)
        jobs = [(name, precision) for name in options.names for precision in options.precision or ("f32", "tf32", "f16")]
        # Nothing is measured while something compiles.
        compiled = list(pool.map(bench.compile, jobs))
        results = [bench.row(name, precision, how) for (name, precision), how in zip(jobs, compiled)]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "bench.json").write_text(json.dumps(results, indent=1))
    measured = [result for result in results if "ms" in result]
    print(f"{len(measured)} of {len(results)} networks measured")
    sys.exit(0 if len(measured) == len(results) else 1)


if __name__ == "__main__":
    main()
