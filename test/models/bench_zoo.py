#!/usr/bin/env python3
"""Compares the networks of the zoo with ONNX Runtime: speed, compile time and memory of the compiler.

usage: bench_zoo.py --build BUILD [NAME]... [--small] [--threads 1,2] [--rounds N] [--runs N] [--option OPT]...
                    [--json FILE]

Both take turns within one run; a row shows medians, and the median of the turns' ratios. Networks are made, measured
and forgotten one after the other.
"""

import argparse
import json
import pathlib
import statistics

import harness
import zoo


def measure(name, options):
    """One result for each number of threads."""
    hone = harness.Hone(options.build, options.target)
    model, feeds = zoo.build(name, options.small)
    path = hone.folder / f"{name}.onnx"
    path.write_bytes(model.SerializeToString())
    del model
    module, usage = hone.compile_measured(path, *options.option)
    results = []
    for threads in options.threads:
        peer = harness.Peer(path, threads)
        found = harness.compare(hone.run(module, feeds[0]), peer.run(feeds[0]))
        ours, theirs, ratio, _ = harness.interleaved(hone, module, peer, feeds[0], threads, options.rounds, options.runs)
        results.append({
            "network": name, "threads": threads, "hone_seconds": ours, "onnxruntime_seconds": theirs, "ratio": ratio,
            "error": found.relative, "compile_seconds": usage.wall_seconds, "compile_peak_bytes": usage.peak_bytes,
            "model_bytes": path.stat().st_size})
        del peer
    return results


def row(result):
    return (result["network"], str(result["threads"]), f"{result['hone_seconds'] * 1e3:.2f} ms",
            f"{result['onnxruntime_seconds'] * 1e3:.2f} ms", f"{result['ratio']:.2f}x", f"{result['error']:.1e}",
            f"{result['compile_seconds']:.1f} s", f"{result['compile_peak_bytes'] / 1e6:.0f} MB",
            f"{result['model_bytes'] / 1e6:.0f} MB")


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--option", action="append", default=[], help="of hone compile, such as --precision=f16")
    parser.add_argument("--json", type=pathlib.Path, help="also write the numbers here")
    options = parser.parse_args()
    unknown = set(options.names) - set(zoo.NETWORKS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(zoo.NETWORKS)}")

    rows = [("network", "threads", "Hone", "ONNX Runtime", "speed", "error", "compiled in", "with", "model")]
    results = []
    for name in options.names or zoo.NETWORKS:
        try:
            results += measure(name, options)
        except harness.Failed as failure:
            print(f"{name}: {failure}", flush=True)
            continue
        print("  ".join(row(results[-1])), flush=True)
    print()
    harness.print_table(rows + [row(result) for result in results])
    for threads in options.threads:
        ratios = [result["ratio"] for result in results if result["threads"] == threads]
        if ratios:
            print(f"geometric mean at {threads} thread{'s'[:threads > 1]}: {statistics.geometric_mean(ratios):.2f}x")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    harness.main(run)
