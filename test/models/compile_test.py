#!/usr/bin/env python3
"""PP-OCRv4's networks and the small ones of the zoo for a target whose device need not be there: they compile.

usage: compile_test.py --build BUILD --target T [--only NAME]... [--jobs N]
"""

import argparse
import concurrent.futures

import harness
import zoo


def compile_one(name, options):
    """A row of the table, the last entry telling whether it passed."""
    hone = harness.Hone(options.build, options.target, None)
    if name in harness.MODELS:
        model = harness.model_path(name)
    else:
        model = hone.folder / f"{name}.onnx"
        model.write_bytes(zoo.build(name, small=True)[0].SerializeToString())
    try:
        module, seconds = hone.compile(model)
        return name, f"{module.stat().st_size / 1e6:.1f} MB", f"{seconds:.1f} s", "ok"
    except harness.Failed as failure:
        return name, "", "", f"failed: {failure}"


def run():
    names = [*harness.MODELS, *zoo.NETWORKS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--jobs", type=int, default=2, help="networks at a time")
    options = parser.parse_args()

    rows = [("network", "module", "compiled in", "verdict")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows += pool.map(lambda name: compile_one(name, options), options.only or names)
    harness.print_table(rows)
    return 0 if all(row[-1] == "ok" for row in rows[1:]) else 1


if __name__ == "__main__":
    harness.main(run)
