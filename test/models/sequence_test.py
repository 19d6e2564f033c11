#!/usr/bin/env python3
"""Models that build sequences in loops and branches, against ONNX Runtime.

usage: sequence_test.py --build BUILD [--target T] [--only NAME]...
"""

import argparse
import concurrent.futures
import os

import harness
import sequence_models

LIMIT = 1e-5


def check(options, name, model, feeds):
    """A row of the table, whose last entry tells whether the model passes."""
    hone = harness.Hone(options.build, options.target)
    path = hone.folder / f"{name}.onnx"
    path.write_bytes(model.SerializeToString())
    found = harness.Difference(0.0, 0.0, 0)
    try:
        peer = harness.Peer(path)
        module, _ = hone.compile(path)
        for inputs in feeds:
            found = found.worse(harness.compare(hone.run(module, inputs), peer.run(inputs)))
    except harness.Failed as failure:
        return name, str(len(feeds)), "", str(failure)
    return name, str(len(feeds)), f"{found.relative:.1e}", "ok" if found.relative < LIMIT else f"error above {LIMIT:g}"


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    options = parser.parse_args()

    cases = [case for case in sequence_models.models() if not options.only or case[0] in options.only]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda case: check(options, *case), cases))
    harness.print_table([("model", "runs", "of range", "verdict"), *rows])
    return 0 if rows and all(row[-1] == "ok" for row in rows) else 1


if __name__ == "__main__":
    harness.main(run)
