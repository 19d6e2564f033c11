#!/usr/bin/env python3
"""The small networks of the zoo against ONNX Runtime: compiled once, run at the sizes of their rows.

usage: zoo_test.py --build BUILD [--target T] [--only NAME]... [-O N] [--full] [--jobs N] [--hone-run COMMAND]

The largest error, relative to the range of the output, must stay below LIMIT.
"""

import argparse
import concurrent.futures

import harness
import zoo

LIMIT = 1e-4


def check(name, options):
    """Rows of the table, the last entry of each telling whether it passed."""
    hone = harness.Hone(options.build, options.target, options.hone_run)
    model, feeds = zoo.build(name, small=not options.full)
    path = hone.folder / f"{name}.onnx"
    path.write_bytes(model.SerializeToString())
    rows = []
    try:
        module, seconds = hone.compile(path, f"-O{options.level}")
        peer = harness.Peer(path)
        for inputs in feeds:
            shapes = " ".join("x".join(map(str, value.shape)) for value in list(inputs.values())[:2])
            found = harness.compare(hone.run(module, inputs), peer.run(inputs))
            rows.append((name, shapes, f"{found.absolute:.2e}", f"{found.relative:.2e}", f"{seconds:.1f} s",
                         "ok" if found.relative < LIMIT else f"above {LIMIT:g}"))
    except harness.Failed as failure:
        rows.append((name, "", "", "", "", f"failed: {failure}"))
    return rows


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--only", action="append", choices=zoo.NETWORKS)
    parser.add_argument("-O", dest="level", default="3")
    parser.add_argument("--full", action="store_true", help="the networks as they are known")
    parser.add_argument("--jobs", type=int, default=2, help="networks at a time")
    parser.add_argument("--hone-run", help="the program that runs modules, with what starts it")
    options = parser.parse_args()

    rows = [("network", "inputs", "max abs", "of range", "compiled in", "verdict")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda name: check(name, options), options.only or zoo.NETWORKS):
            rows += found
    harness.print_table(rows)
    return 0 if all(row[-1] == "ok" for row in rows[1:]) else 1


if __name__ == "__main__":
    harness.main(run)
