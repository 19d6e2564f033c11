#!/usr/bin/env python3
"""PP-OCRv4's networks and those of the zoo for a target whose device need not be there: they compile.

usage: compile_test.py --build BUILD --target T [--only NAME]... [--full] [--jobs N]

The zoo's are the small ones, or with --full those of the real sizes, each compiled on one processor. The compiler must
stay below MOST_BYTES; how long it takes is printed and depends on the machine.
"""

import argparse
import concurrent.futures

import harness
import zoo

MOST_BYTES = 3e9


def compile_one(name, options):
    """A row of the table, the last entry telling whether it passed, and what the compiler took."""
    hone = harness.Hone(options.build, options.target, None)
    if name in harness.MODELS:
        model = harness.model_path(name)
    else:
        model = hone.folder / f"{name}.onnx"
        model.write_bytes(zoo.build(name, small=not options.full)[0].SerializeToString())
    try:
        module, usage = hone.compile_measured(model, one_core=options.full)
    except harness.Failed as failure:
        return (name, "", "", "", "", f"failed: {failure}"), None
    verdict = "ok" if usage.peak_bytes < MOST_BYTES else f"more than {MOST_BYTES / 1e9:g} GB"
    return (name, f"{usage.cpu_seconds:.1f} s", f"{usage.wall_seconds:.1f} s", f"{usage.peak_bytes / 1e6:.0f} MB",
            f"{module.stat().st_size / 1e6:.1f} MB", verdict), usage


def run():
    names = [*harness.MODELS, *zoo.NETWORKS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--full", action="store_true", help="the zoo's networks at their real sizes")
    parser.add_argument("--jobs", type=int, help="networks at a time (default: 2, with --full 1)")
    options = parser.parse_args()

    with concurrent.futures.ThreadPoolExecutor(options.jobs or (1 if options.full else 2)) as pool:
        found = list(pool.map(lambda name: compile_one(name, options), options.only or names))
    rows = [row for row, _ in found]
    harness.print_table([("network", "processor", "wall", "memory", "module", "verdict"), *rows])
    took = [usage for _, usage in found if usage]
    print(f"all: {sum(usage.cpu_seconds for usage in took):.0f} s of the processor, "
          f"{max((usage.peak_bytes for usage in took), default=0) / 1e6:.0f} MB at most")
    return 0 if all(row[-1] == "ok" for row in rows) else 1


if __name__ == "__main__":
    harness.main(run)
