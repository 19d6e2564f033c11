#!/usr/bin/env python3
"""Collects what a machine with a GPU but without the compiler needs to test and measure compiled models.

usage: pack.py --build BUILD --release RELEASE --out DIR [--target T]... [--cases GLOB]... [--only SECTION]...

Sections: cts onnx models. BUILD compiles; RELEASE holds the programs that travel, which need the C library alone.
DIR/run.sh runs everything there. The pack stays below LIMIT.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "models"))

LIMIT = 64 << 20
PROGRAMS = ("bin/hone-run", "bin/hone-cts", "test/runner/module-runner", "test/onnx/onnx-replies")


def driver_of(target):
    return target.split(":")[0]


def call(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)


def compress(folder, archive):
    """A reproducible .tar.xz of the folder under its own name."""
    def plain(info):
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        return info
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz", preset=6) as out:
        out.add(folder, folder.name, filter=plain)


def find_program(release, name):
    path = release / name
    if not path.exists():
        path = release / "bin" / path.name
    if not path.exists():
        sys.exit(f"pack.py: error: {release / name} is missing")
    return path


def pack_programs(options):
    (options.out / "bin").mkdir(parents=True)
    for name in PROGRAMS:
        shutil.copy2(find_program(options.release, name), options.out / "bin")
    for file in ("run.sh", "report.py", "peers.py"):
        shutil.copy2(HERE / file, options.out)


def pack_cts(options):
    kernels = options.build / "test" / "cts" / "kernels"
    (options.out / "cts").mkdir()
    for target in options.target:
        for path in kernels.glob(f"{driver_of(target)}.*"):
            shutil.copy2(path, options.out / "cts")


def pack_cases(options, scratch):
    """The values that outputs are compared with; models stay behind."""
    cases, target = options.build / "onnx-cases", scratch / "cases"
    call(sys.executable, HERE.parent / "onnx" / "generate_cases.py", cases)
    target.mkdir()
    shutil.copy2(cases / "manifest.tsv", target)
    for path in cases.glob("*/*/data_*.bin"):
        copy = target / path.relative_to(cases)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    compress(target, options.out / "onnx" / "cases.tar.xz")


def pack_onnx(options):
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        pack_cases(options, scratch)
        for target in options.target:
            jobs = scratch / "jobs"
            filters = [f"--filter={glob}" for glob in options.cases]
            command = [options.build / "test" / "onnx" / "onnx-conformance", options.build / "onnx-cases",
                       f"--target={target}", f"--write-jobs={jobs}", "--limit=120",
                       f"--workers={os.cpu_count()}", *filters]
            print("+", *command, flush=True)
            # What does not compile is among the outcomes.
            subprocess.run([str(part) for part in command], check=False)
            if jobs.exists():
                compress(jobs, options.out / "onnx" / f"jobs-{driver_of(target)}.tar.xz")
                shutil.rmtree(jobs)
    for path in (HERE.parent / "onnx" / "expectations").glob("*.txt"):
        shutil.copy2(path, options.out / "onnx")


def networks():
    """(name, model, extra facts, [inputs]) of the networks whose weights come with a package."""
    import harness
    from models import SIZES, model_input
    for name in harness.MODELS:
        yield f"ppocr-{name}", harness.model_path(name), {"limit": 1e-4}, [model_input(*size) for size in SIZES[name]]


def pack_model(options, folder, model, facts, inputs):
    import harness
    import numpy as np
    folder.mkdir(parents=True)
    peer = harness.Peer(model)
    runs = []
    for number, value in enumerate(inputs):
        run = {"label": "x".join(map(str, value.shape)), "inputs": {peer.input: f"in{number}.npy"}, "outputs": {}}
        np.save(folder / f"in{number}.npy", value)
        for index, (name, result) in enumerate(peer.run({peer.input: value}).items()):
            run["outputs"][name] = f"out{number}_{index}.npy"
            np.save(folder / run["outputs"][name], result)
        runs.append(run)
    (folder / "model.json").write_text(json.dumps({**facts, "runs": runs}, indent=1))
    for target in options.target:
        module = folder / f"{driver_of(target)}.hone"
        try:
            call(options.build / "bin" / "hone", "compile", model, "-o", module, f"--target={target}")
        except subprocess.CalledProcessError:
            print(f"{folder.name}: does not compile for {target}")


def pack_models(options):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "models"
        for name, model, facts, inputs in networks():
            pack_model(options, root / name, model, facts, inputs)
        compress(root, options.out / "models.tar.xz")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--release", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--target", action="append")
    parser.add_argument("--cases", action="append", help="glob of SUITE/NAME; default: all")
    parser.add_argument("--only", action="append", choices=("cts", "onnx", "models"))
    options = parser.parse_args()
    options.target = options.target or ["cuda:sm_90a", "vulkan"]
    options.cases = options.cases or []
    for name in ("build", "release", "out"):
        setattr(options, name, getattr(options, name).resolve())
    shutil.rmtree(options.out, ignore_errors=True)
    pack_programs(options)
    for section in options.only or ("cts", "onnx", "models"):
        globals()[f"pack_{section}"](options)
    total = 0
    for path in sorted(options.out.rglob("*")):
        if path.is_file():
            total += path.stat().st_size
            print(f"{path.stat().st_size / 1e6:9.2f} MB  {path.relative_to(options.out)}")
    print(f"{total / 1e6:9.2f} MB  {options.out}")
    if total > LIMIT:
        sys.exit(f"pack.py: error: {total} bytes, more than {LIMIT}: leave something out with --only or --cases")


if __name__ == "__main__":
    main()
