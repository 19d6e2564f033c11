#!/usr/bin/env python3
"""Real networks with dynamic sizes against ONNX Runtime: compiled once, run at several sizes.

usage: models.py --build BUILD [--target T] [--only NAME] [-O N] [--small] [--echo] [--hone-run COMMAND]

The largest error, relative to the range of the output, must stay below LIMIT.
"""

import argparse

import harness
import ocr

LIMIT = 1e-4

# (batch, height, width) of the sizes each model is run at.
SIZES = {
    "detection": [(1, 160, 640), (1, 320, 480)],
    "direction": [(1, 48, 192), (3, 48, 192)],
    "recognition": [(1, 48, 320), (2, 48, 488)],
}
# For machines that are emulated.
SMALL_SIZES = {
    "detection": [(1, 64, 96), (1, 32, 160)],
    "direction": [(1, 48, 96), (2, 48, 64)],
    "recognition": [(1, 48, 48), (2, 48, 32)],
}


def model_input(batch, height, width):
    """Different lines of text, so that no two images of a batch are equal."""
    import numpy as np
    lines = ["the first of the lines", "another 0123456789", "and one more (the last)"]
    images = [ocr.render(lines[i], width, height, max(12, min(height // 2, width // 16))) for i in range(batch)]
    return np.concatenate([ocr.to_tensor(image) for image in images])


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--only", choices=harness.MODELS)
    parser.add_argument("-O", dest="level", default="3")
    parser.add_argument("--small", action="store_true", help="sizes for an emulated machine")
    parser.add_argument("--echo", action="store_true", help="print what runs print")
    parser.add_argument("--hone-run", help="the program that runs modules, with what starts it")
    options = parser.parse_args()

    hone = harness.Hone(options.build, options.target, options.hone_run, options.echo)
    sizes = SMALL_SIZES if options.small else SIZES
    rows = [("model", "input", "max abs", "of range", "max ULP", "compiled in", "verdict")]
    good = True
    for name in [options.only] if options.only else harness.MODELS:
        model = harness.model_path(name)
        peer = harness.Peer(model)
        module, seconds = hone.compile(model, f"-O{options.level}")
        for batch, height, width in sizes[name]:
            inputs = {peer.input: model_input(batch, height, width)}
            found = harness.compare(hone.run(module, inputs), peer.run(inputs))
            passed = found.relative < LIMIT
            good &= passed
            rows.append((name, f"{batch}x3x{height}x{width}", f"{found.absolute:.2e}", f"{found.relative:.2e}",
                         str(found.ulps), f"{seconds:.1f} s", "ok" if passed else f"above {LIMIT:g}"))
    harness.print_table(rows)
    return 0 if good else 1


if __name__ == "__main__":
    harness.main(run)
