#!/usr/bin/env python3
"""One file for all targets: PP-OCR's recognition, compiled once, reads a line on everything that is here.

usage: fat_test.py --build BUILD [--neon COMMAND]

COMMAND is a hone-run for aarch64 with what emulates it. Targets whose machine is missing are skipped; cpu:avx2 and one
more have to run. Every text must be ONNX Runtime's.
"""

import argparse
import time

import harness
import ocr

TARGETS = ("cpu:avx2", "cpu:avx512", "cpu:neon", "cuda:sm_90a", "vulkan")
LINE = "Hone reads this line"
LIMIT = 1e-4
# What hone-run says where a target's machine is not here.
MISSING = (" lacks ", "no device '", "no CUDA device", "libvulkan.so.1")


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--neon", metavar="COMMAND", help="what runs cpu:neon")
    options = parser.parse_args()

    model = harness.model_path("recognition")
    peer = harness.Peer(model)
    characters = peer.metadata("character")
    inputs = {peer.input: ocr.to_tensor(ocr.render(LINE, height=ocr.LINE_HEIGHT, size=30))}
    expected = peer.run(inputs)
    wanted, _ = ocr.decode(next(iter(expected.values()))[0], characters)

    compiler = harness.Hone(options.build, ",".join(TARGETS))
    module, seconds = compiler.compile(model)
    print(f"{module.name} for {', '.join(TARGETS)}: {module.stat().st_size / 1e6:.1f} MB, compiled in {seconds:.1f} s; "
          f"ONNX Runtime reads {wanted!r}\n")
    rows, skipped = [("target", "of range", "seconds", "reads")], []
    good, ran = True, 0
    for target in TARGETS:
        emulated = target == "cpu:neon" and options.neon
        runner = harness.Hone(options.build, target, options.neon if emulated else None)
        start = time.perf_counter()
        try:
            outputs = runner.run(module, inputs, f"--target={target}", f"--device={target.split(':')[0]}")
        except harness.Failed as failure:
            lacks = str(failure).splitlines()[-1]
            if not emulated and target != "cpu:avx2" and any(reason in lacks for reason in MISSING):
                skipped.append(f"skipped {target}: {lacks}")
                continue
            raise
        took = time.perf_counter() - start
        text, _ = ocr.decode(next(iter(outputs.values()))[0], characters)
        error = harness.compare(outputs, expected).relative
        passed = text == wanted and error < LIMIT
        good, ran = good and passed, ran + 1
        rows.append((target, f"{error:.2e}", f"{took:.1f}", repr(text) + ("" if passed else "  WRONG")))
    harness.print_table(rows)
    print(*skipped, sep="\n")
    return 0 if good and ran > 1 else 1


if __name__ == "__main__":
    harness.main(run)
