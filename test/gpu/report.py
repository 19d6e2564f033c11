#!/usr/bin/env python3
"""Runs the models of a pack on a device: how far outputs are from the expected ones, how long runs take.

usage: report.py models|bench|peers --pack PACK --device DEVICE [--out DIR] [--compile]

Called by run.sh. Needs NumPy; `peers` needs PyTorch. The last line is the summary.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile

import numpy as np


class Pack:
    """The unpacked models, and the programs that run them."""

    def __init__(self, options, folder):
        self.bin, self.device = options.pack / "bin", options.device
        self.driver = options.device.split(":")[0]
        self.folder = pathlib.Path(folder)
        with tarfile.open(options.pack / "models.tar.xz") as archive:
            archive.extractall(self.folder)

    def models(self):
        """(name, module, description) of every model that has a module for the device."""
        for path in sorted(self.folder.glob("models/*/model.json")):
            module = path.with_name(f"{self.driver}.hone")
            if module.exists():
                yield path.parent.name, module, json.loads(path.read_text())

    def call(self, verb, module, run, *arguments):
        """Runs hone-run; returns an error text, or None."""
        inputs = [f"--input={name}={module.with_name(file)}" for name, file in run["inputs"].items()]
        result = subprocess.run([str(self.bin / "hone-run"), verb, str(module), f"--device={self.device}",
                                 *inputs, *map(str, arguments)], capture_output=True, text=True, check=False)
        return result.stderr.strip().replace("\n", " ") if result.returncode else None


def difference(actual, expected):
    """(largest absolute error, relative to the range of what is expected)"""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise ValueError(f"{actual.dtype}{list(actual.shape)}, not {expected.dtype}{list(expected.shape)}")
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    if not np.array_equal(np.isfinite(actual), np.isfinite(expected)):
        raise ValueError("other infinities or NaNs")
    absolute = float(np.abs(actual - expected).max(initial=0))
    return absolute, absolute / (float(expected.max(initial=0) - expected.min(initial=0)) or 1.0)


def check(pack, module, run):
    """(absolute, relative) error of one run, the worst of its outputs."""
    with tempfile.TemporaryDirectory() as folder:
        if error := pack.call("run", module, run, f"--output-dir={folder}"):
            raise ValueError(error)
        out = pathlib.Path(folder)
        files = {entry["name"]: out / entry["file"] for entry in json.loads((out / "outputs.json").read_text())}
        return max(difference(np.load(files[name]), np.load(module.with_name(expected)))
                   for name, expected in run["outputs"].items())


def models(pack, options):
    passed = total = 0
    print(f"{'model':24} {'input':20} {'max abs':>9} {'of range':>9}  verdict")
    for name, module, description in pack.models():
        for run in description["runs"]:
            total += 1
            try:
                absolute, relative = check(pack, module, run)
                good = relative < description["limit"]
                passed += good
                verdict = "ok" if good else f"above {description['limit']:g}"
                print(f"{name:24} {run['label']:20} {absolute:9.2e} {relative:9.2e}  {verdict}")
            except ValueError as error:
                print(f"{name:24} {run['label']:20} {'':9} {'':9}  {error}")
    print(f"{passed} of {total} runs are right")
    return passed == total


def measure(pack, module, run, *arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        if error := pack.call("bench", module, run, f"--json={file.name}", *arguments):
            raise ValueError(error)
        return json.loads(pathlib.Path(file.name).read_text())


def bench(pack, options):
    results = []
    print(f"{'model':24} {'input':20} {'ms':>9} {'on device':>9} {'first':>8} {'load':>7}  arena")
    for name, module, description in pack.models():
        for run in description["runs"]:
            try:
                whole = measure(pack, module, run)
                device = measure(pack, module, run, "--device-memory", "--profile")
            except ValueError as error:
                print(f"{name:24} {run['label']:20} {error}")
                continue
            print(f"{name:24} {run['label']:20} {whole['median_ns'] / 1e6:9.3f} {device['median_ns'] / 1e6:9.3f} "
                  f"{whole['first_run_ns'] / 1e6:8.2f} {whole['load_ns'] / 1e6:7.2f}  "
                  f"{whole['arena_bytes'] / 1e6:.1f} MB")
            results.append({"model": name, "input": run["label"], "host": whole, "device": device})
    (options.out / f"bench-{pack.driver}.json").write_text(json.dumps(results, indent=1))
    if not results:
        print("no model ran")
        return False
    mean = statistics.geometric_mean(result["device"]["median_ns"] / 1e6 for result in results)
    print(f"{len(results)} runs, geometric mean {mean:.3f} ms on the device")
    return True


def peers(pack, options):
    import peers as torch_peers
    rows = []
    for name, module, description in pack.models():
        if "torchvision" not in description:
            continue
        ours = measure(pack, module, description["runs"][0], "--device-memory")["median_ns"] / 1e6
        theirs = torch_peers.measure(description["torchvision"], description["shape"], description["dtype"],
                                     options.compile)
        rows.append((name, ours, theirs))
        print(name, f"{ours:.3f} ms;", "; ".join(f"{key} {value:.3f} ms" for key, value in theirs.items()))
    print(f"{len(rows)} models beside PyTorch")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("section", choices=("models", "bench", "peers"))
    parser.add_argument("--pack", type=pathlib.Path, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--compile", action="store_true", help="also measure torch.compile")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        good = globals()[options.section](Pack(options, folder), options)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
