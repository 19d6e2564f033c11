#!/usr/bin/env python3
"""Reads a line of text with three networks compiled by Hone, and shows what that costs.

usage: demo.py --build BUILD [--text TEXT] [--upside-down] [--save FILE.png]
"""

import argparse
import statistics

import harness
import ocr

TEXT = "Hone reads this line"


def bytes_text(count):
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def report_row(name, hone, module, peer, inputs, compile_seconds):
    difference = harness.compare(hone.run(module, inputs), peer.run(inputs))
    ours, theirs, ratio, report = harness.interleaved(hone, module, peer, inputs)
    return (name, "x".join(map(str, next(iter(inputs.values())).shape)), f"{difference.absolute:.1e}",
            str(difference.ulps), f"{ours * 1e3:.2f} ms", f"{theirs * 1e3:.2f} ms", f"{ratio:.2f}x",
            bytes_text(report["peak_bytes"]), bytes_text(module.stat().st_size), f"{compile_seconds:.1f} s"), ratio


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--upside-down", action="store_true", help="turn the image, for the direction network")
    parser.add_argument("--save", help="write the image that is read")
    options = parser.parse_args()

    hone = harness.Hone(options.build)
    peers, modules, compile_seconds, seen = {}, {}, {}, {}
    for name in harness.MODELS:
        model = harness.model_path(name)
        peers[name] = harness.Peer(model)
        modules[name], compile_seconds[name] = hone.compile(model)
        print(f"compiled {model.name} in {compile_seconds[name]:.1f} s")

    def run_network(name, tensor):
        seen[name] = {peers[name].input: tensor}
        return next(iter(hone.run(modules[name], seen[name]).values()))

    image = ocr.render(options.text)
    if options.upside_down:
        image = image.rotate(180)
    if options.save:
        image.save(options.save)
    characters = peers["recognition"].metadata("character")
    lines = list(ocr.read(image, run_network, characters))
    print(f"\nthe image says: {options.text!r}")
    for box, turned, certainty, text, confidence in lines:
        print(f"read:           {text!r} at ({box.left}, {box.top})-({box.right}, {box.bottom}), "
              f"{'upside down' if turned else 'upright'} ({certainty:.3f}), confidence {confidence:.3f}")
    expected = list(ocr.read(image, lambda name, tensor: next(iter(
        peers[name].run({peers[name].input: tensor}).values())), characters))
    if [line[3] for line in lines] != [line[3] for line in expected]:
        raise harness.Failed(f"ONNX Runtime reads {[line[3] for line in expected]}")

    print("\none thread, medians, interleaved with ONNX Runtime:\n")
    rows = [("network", "input", "max abs", "max ULP", "Hone", "ONNX Runtime", "speed", "arena", "module", "compile")]
    ratios = []
    for name in harness.MODELS:
        row, ratio = report_row(name, hone, modules[name], peers[name], seen[name], compile_seconds[name])
        rows.append(row)
        ratios.append(ratio)
    harness.print_table(rows)
    print(f"\ngeometric mean of the speeds: {statistics.geometric_mean(ratios):.2f}x")
    return 0


if __name__ == "__main__":
    harness.main(run)
