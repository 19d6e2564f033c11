#!/usr/bin/env python3
"""Networks compiled with --precision against ONNX Runtime in f32: errors, and what becomes of the files.

usage: precision_test.py --build BUILD [--target T] [--bench]

The largest error, relative to the range of the output, must stay below LIMITS; a module of halves must not be larger
than its RATIO of the f32 one.
"""

import argparse
import pathlib

import flow_models
import harness
import models
import zoo

# Of the range. Where weights alone are rounded, errors of single products average out; tf32 computes in f32 there.
LIMITS = {"f16": 1e-2, "bf16": 8e-2, "tf32": 1e-4}
# Its outputs are probabilities: where two characters are close, the last digits decide between them, and bf16 has eight
# times f16's rounding. ONNX Runtime on weights rounded to bf16 is as far off.
PROBABILITY_LIMITS = {"recognition": {"f16": 0.03, "bf16": 0.25}}
# The small networks are mostly code; the real one is mostly weights.
RATIO = {"recognition": 0.62}


def cases(hone):
    """Name, model and inputs of each network."""
    recognition = harness.model_path("recognition")
    yield "recognition", recognition, [{harness.Peer(recognition).input: models.model_input(1, 48, 320)}]
    for name in ["resnet50", "bert_base"]:
        model, feeds = zoo.build(name, small=True)
        path = hone.folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        yield name, path, feeds
    for name, model, feeds in flow_models.networks():
        path = hone.folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        yield name, path, feeds


def check(hone, name, model, feeds, precision, peer, full):
    """A row of the table, whose last entry tells whether the module passes."""
    module, seconds = hone.compile(model, f"--precision={precision}", suffix=f".{precision}.hone")
    found = harness.Difference(0.0, 0.0, 0)
    for inputs in feeds:
        found = found.worse(harness.compare(hone.run(module, inputs), peer.run(inputs)))
    ratio = pathlib.Path(module).stat().st_size / pathlib.Path(full).stat().st_size
    verdict = "ok"
    limit = PROBABILITY_LIMITS.get(name, LIMITS).get(precision, LIMITS[precision])
    if found.relative >= limit:
        verdict = f"error above {limit:g}"
    elif precision != "tf32" and name not in flow_models.TEXTS and ratio > RATIO.get(name, 1.0):
        verdict = f"file above {RATIO.get(name, 1.0):g}"
    return module, (name, precision, f"{found.relative:.2e}", f"{ratio:.2f}", f"{seconds:.1f} s", verdict)


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--bench", action="store_true", help="measure the real network at one thread, in turns")
    options = parser.parse_args()

    hone = harness.Hone(options.build, options.target)
    rows = [("network", "precision", "of range", "file", "compiled in", "verdict")]
    speeds = [("network", "precision", "f32", "this", "speed")]
    for name, model, feeds in cases(hone):
        peer = harness.Peer(model)
        full, _ = hone.compile(model, suffix=".f32.hone")
        for precision in LIMITS:
            module, row = check(hone, name, model, feeds, precision, peer, full)
            rows.append(row)
            if options.bench and precision != "tf32":
                speeds.append((name, precision, *compare_speed(hone, full, module, feeds[0])))
    harness.print_table(rows)
    if options.bench:
        harness.print_table(speeds)
    return 0 if all(row[-1] == "ok" for row in rows[1:]) else 1


def compare_speed(hone, full, module, inputs, rounds=5, runs=10):
    def median(path):
        return hone.bench(path, inputs, runs, 1)["median_ns"] * 1e-6
    pairs = sorted((median(full), median(module)) for _ in range(rounds))
    ratios = sorted(ours / theirs for ours, theirs in pairs)
    middle = rounds // 2
    return (f"{pairs[middle][0]:.2f} ms", f"{sorted(pair[1] for pair in pairs)[middle]:.2f} ms",
            f"{ratios[middle]:.2f}x")


if __name__ == "__main__":
    harness.main(run)
