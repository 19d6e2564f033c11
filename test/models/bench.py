#!/usr/bin/env python3
"""Compares the speed of the compiled networks with ONNX Runtime's, at one and two threads.

usage: bench.py --build BUILD [--threads 1,2] [--rounds N] [--json FILE]

Both take turns within one run; a row shows medians, and the median of the turns' ratios.
"""

import argparse
import json
import pathlib
import statistics

import harness
from models import SIZES, model_input


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", type=pathlib.Path, help="also write the numbers here")
    options = parser.parse_args()

    hone = harness.Hone(options.build)
    rows = [("network", "input", "threads", "Hone", "ONNX Runtime", "speed")]
    results = []
    for name in harness.MODELS:
        model = harness.model_path(name)
        module, _ = hone.compile(model)
        for threads in options.threads:
            peer = harness.Peer(model, threads)
            for size in SIZES[name]:
                value = model_input(*size)
                ours, theirs, ratio, _ = harness.interleaved(
                    hone, module, peer, {peer.input: value}, threads, options.rounds, options.runs)
                shape = "x".join(map(str, value.shape))
                rows.append((name, shape, str(threads), f"{ours * 1e3:.2f} ms", f"{theirs * 1e3:.2f} ms",
                             f"{ratio:.2f}x"))
                results.append({"network": name, "input": list(value.shape), "threads": threads,
                                "hone_seconds": ours, "onnxruntime_seconds": theirs, "ratio": ratio})
    harness.print_table(rows)
    for threads in options.threads:
        ratios = [result["ratio"] for result in results if result["threads"] == threads]
        print(f"geometric mean at {threads} thread{'s'[:threads > 1]}: {statistics.geometric_mean(ratios):.2f}x")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    harness.main(run)
