#!/usr/bin/env python3
"""Collects what a machine with a GPU and without this repository's build needs to test and measure the compiler.

usage: pack.py --build BUILD --programs PACK_BUILD --out DIR [--target T]... [--cases GLOB]... [--only SECTION]...

Sections: programs texts cases models zoo. BUILD holds what tests are made of, PACK_BUILD the programs that travel, which
need the C library alone. DIR/run.sh runs everything there. The pack stays below LIMIT.
"""

import argparse
import fnmatch
import json
import lzma
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TEST = HERE.parent
sys.path.insert(0, str(TEST / "models"))

import harness  # noqa: E402

LIMIT = 60 << 20
SECTIONS = ("programs", "texts", "cases", "models", "zoo")
TARGETS = ("cpu:avx2", "cpu:avx512", "cpu:neon", "cuda:sm_90a", "vulkan")
PROGRAMS = ("bin/device-tests", "bin/hone-run", "bin/hone-cts")
# Calls and jumps of machine code become absolute, which compresses better.
CODE_FILTERS = ({"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 64 << 20})


def call(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)


def archive(path, files, filters=None):
    """A reproducible .tar.xz of (file, its name there)."""
    def plain(info):
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        return info
    with lzma.open(path, "wb", format=lzma.FORMAT_XZ, **({"filters": filters} if filters else {"preset": 6})) as stream:
        with tarfile.open(fileobj=stream, mode="w") as out:
            for file, name in sorted(files, key=lambda pair: str(pair[1])):
                out.add(file, name, filter=plain)


def folder_files(folder, name):
    return [(path, f"{name}/{path.relative_to(folder)}") for path in folder.rglob("*") if path.is_file()]


def pack_programs(options):
    """Compressing takes a minute, so it is done once for every build."""
    programs = [options.programs / name for name in PROGRAMS]
    kernels = options.build / "test" / "cts" / "kernels"
    files = [(path, f"bin/{path.name}") for path in programs]
    files += [(path, f"cts/{path.name}") for path in kernels.glob("*.*") if path.is_file()]
    kept = options.programs / "programs.tar.xz"
    if not kept.exists() or kept.stat().st_mtime < max(path.stat().st_mtime for path, _ in files):
        archive(kept, files, CODE_FILTERS)
    shutil.copy2(kept, options.out)


def pack_texts(options):
    archive(options.out / "texts.tar.xz", [(path, f"texts/{path.name}") for path in (TEST / "run").glob("*.mlir")])


def pack_cases(options):
    """ONNX's cases: models, and the values in the form that onnx-conformance reads."""
    cases = options.build / "onnx-cases"
    call(sys.executable, TEST / "onnx" / "generate_cases.py", cases)
    lines = [line for line in (cases / "manifest.tsv").read_text().splitlines(True)
             if not options.cases or any(fnmatch.fnmatch("/".join(line.split("\t")[:2]), glob)
                                         for glob in options.cases)]
    with tempfile.TemporaryDirectory() as folder:
        manifest = pathlib.Path(folder) / "manifest.tsv"
        manifest.write_text("".join(lines))
        files = [(manifest, "cases/manifest.tsv")]
        for line in lines:
            suite, name = line.split("\t")[:2]
            case = cases / suite / name
            files += [(path, f"cases/{suite}/{name}/{path.name}") for path in case.glob("*.*") if path.is_file()]
        files += [(path, f"expectations/{path.name}") for path in (TEST / "onnx" / "expectations").glob("*.txt")]
        archive(options.out / "cases.tar.xz", files)


def write_runs(folder, model, feeds, facts):
    """Inputs, and what ONNX Runtime makes of them; model.json says which file is which."""
    import numpy as np
    peer = harness.Peer(model)
    runs = []
    for number, feed in enumerate(feeds):
        run = {"label": " ".join("x".join(map(str, value.shape)) for value in list(feed.values())[:2]),
               "inputs": {}, "outputs": {}}
        for kind, values in (("inputs", feed), ("outputs", peer.run(feed))):
            for index, (name, value) in enumerate(values.items()):
                run[kind][name] = f"{kind}{number}_{index}.npy"
                np.save(folder / run[kind][name], np.ascontiguousarray(value))
        runs.append(run)
    (folder / "model.json").write_text(json.dumps({**facts, "runs": runs}, indent=1))
    return peer


def pack_models(options):
    """PP-OCR, compiled there into one module for several targets, so that all of them run the same file."""
    from models import LIMIT as limit, SIZES, model_input
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name, sizes in SIZES.items():
            folder = root / f"ppocr-{name}"
            folder.mkdir()
            model = harness.model_path(name)
            shutil.copy(model, folder / "model.onnx")
            facts = {"limit": limit, "model": "model.onnx", "targets": options.target}
            if name == "recognition":
                facts["characters"] = "characters.txt"
            feed = harness.Peer(model).input
            peer = write_runs(folder, model, [{feed: model_input(*size)} for size in sizes], facts)
            if name == "recognition":
                (folder / "characters.txt").write_text(peer.metadata("character"), encoding="utf-8")
        archive(options.out / "models.tar.xz", folder_files(root, "models"))


def pack_zoo(options):
    """Small networks, compiled there; and what writes the full ones, for their speed."""
    import zoo
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name in zoo.NETWORKS:
            folder = root / name
            folder.mkdir()
            model, feeds = zoo.build(name, small=True)
            (folder / "model.onnx").write_bytes(model.SerializeToString())
            write_runs(folder, folder / "model.onnx", feeds, {"limit": 1e-4, "model": "model.onnx"})
        files = folder_files(root, "zoo")
        files += [(path, f"writer/{path.relative_to(TEST / 'models')}")
                  for path in (TEST / "models" / "zoo.py", *(TEST / "models" / "zoo_models").glob("*.py"))]
        archive(options.out / "zoo.tar.xz", files)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--target", action="append", help="of PP-OCR's modules; default: " + " ".join(TARGETS))
    parser.add_argument("--cases", action="append", help="glob of SUITE/NAME; default: all")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="renew these parts of the pack")
    options = parser.parse_args()
    options.target = options.target or TARGETS
    for name in ("build", "programs", "out"):
        setattr(options, name, getattr(options, name).resolve())
    if not options.only:
        shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True, exist_ok=True)
    for section in options.only or SECTIONS:
        globals()[f"pack_{section}"](options)
    for file in ("run.sh", "report.py", "bench.py", "peers.py"):
        shutil.copy2(HERE / file, options.out)
    total = 0
    for path in sorted(options.out.rglob("*")):
        if path.is_file():
            total += path.stat().st_size
            print(f"{path.stat().st_size / 1e6:9.2f} MB  {path.relative_to(options.out)}")
    print(f"{total / 1e6:9.2f} MB  {options.out}")
    if total > LIMIT:
        sys.exit(f"pack.py: error: {total} bytes, more than {LIMIT}: leave something out with --target or --cases")


if __name__ == "__main__":
    main()
