#!/usr/bin/env python3
"""Fails when test/ does not mirror the tree it tests, or a test cannot run.

- test/{dialects,passes,backends}/X tests X, which must exist; a pass test is named after a pass of
  its folder, alone or with a suffix (fuse-epilogue.mlir, fuse-epilogue-locations.mlir);
- every lit file has a RUN line, and FileCheck is never called on a file without checks;
- every test/unit folder with sources has a CMakeLists.txt that names each of them;
- every dialect has round-trip and verifier tests.
"""

import re

import check_passes
import repository

MIRRORED = ("dialects", "passes", "backends")
LIT_FOLDERS = (*MIRRORED, "driver", "errors", "frontend", "run")


def pass_flags(root, group):
    table = root / group / "Passes.td"
    return [check_passes.kebab(n) for n in check_passes.records(table.read_text())] if table.exists() else []


def check_lit_file(root, name):
    if "/Inputs/" in name:
        return
    text = repository.text_of(root, name) or ""
    runs = "\n".join(re.findall(r"^\W*RUN: .*$", text, re.M))
    if not runs:
        yield f"{name}: has no RUN line"
    for line in runs.splitlines():
        for part in line.split("|"):
            used = re.search(r"FileCheck(?:-22)?\s+%s\b(.*)", part)
            if not used:
                continue
            prefixes = re.findall(r"--?check-prefix(?:es)?[= ]([\w,-]+)", used[1])
            for prefix in ",".join(prefixes or ["CHECK"]).split(","):
                if not re.search(rf"{prefix}(?:-\w+(?:\{{\w+\}})?)?:", text):
                    yield f"{name}: FileCheck looks for {prefix}: but the file has none"
    parts = name.split("/")
    if parts[1] in MIRRORED:
        folder = "/".join(parts[1:-1])
        if not (root / folder).is_dir():
            yield f"{name}: mirrors {folder}, which does not exist"
        elif parts[1] == "passes" and (root / folder / "Passes.td").exists():
            stem = parts[-1].rsplit(".", 1)[0]
            if not any(stem == flag or stem.startswith(flag + "-") for flag in pass_flags(root, folder)):
                yield f"{name}: is not named after a pass of {folder}"


def check_unit_tests(root):
    for name in repository.files(root, ".cpp"):
        if not name.startswith("test/unit/"):
            continue
        folder, _, source = name.rpartition("/")
        lists = root / folder / "CMakeLists.txt"
        if not lists.exists():
            yield f"{name}: its folder has no CMakeLists.txt"
        elif not re.search(rf"\b{re.escape(source)}\b", lists.read_text()) and "GLOB" not in lists.read_text():
            yield f"{name}: {folder}/CMakeLists.txt does not build it"


def check_dialects(root):
    tested = repository.files(root, ".mlir")
    tables = repository.files(root, "Ops.td")
    for folder in sorted({"/".join(name.split("/")[:2]) for name in tables if name.startswith("dialects/")}):
        for kind in ("ops", "invalid"):
            if not any(t.startswith(f"test/{folder}/") and kind in t.rsplit("/", 1)[1] for t in tested):
                yield f"{folder}: test/{folder} has no {kind} test"


def complaints(root):
    for name in repository.files(root, ".mlir", ".test"):
        if name.startswith("test/") and name.split("/")[1] in LIT_FOLDERS:
            yield from check_lit_file(root, name)
    yield from check_unit_tests(root)
    yield from check_dialects(root)


if __name__ == "__main__":
    repository.report(complaints(repository.parse_root(__doc__.splitlines()[0]).root))
