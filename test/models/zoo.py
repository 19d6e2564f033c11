#!/usr/bin/env python3
"""Well-known networks as ONNX files with seeded random weights: their layers, sizes and habits of exporters.

usage: zoo.py [NAME]... [--small] [--seed N] [--set PARAMETER=VALUE]... -o FOLDER
       zoo.py --list

Weights are scaled so that activations stay sane; outputs mean nothing, but every kernel works as it would. Small
variants have the same layers with few channels, for tests.
"""

import argparse
import ast
import dataclasses
import inspect
import pathlib
import sys
import typing

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from zoo_models import language, vision  # noqa: E402


@dataclasses.dataclass
class Network:
    """One row of the zoo."""

    build: typing.Callable  # (seed, **parameters) -> onnx.ModelProto
    full: dict              # parameters of the real size, where they differ from the function's own
    small: dict
    feeds: typing.Callable  # (rng, parameters, small) -> list of {input: array}, one for each size to run at

    def parameters(self, small):
        own = {name: p.default for name, p in inspect.signature(self.build).parameters.items() if name != "seed"}
        return own | (self.small if small else self.full)


def images(*batches, channels=3):
    def feeds(rng, p, small):
        return [{"input": rng.standard_normal((n, channels, p["size"], p["size"]), np.float32)} for n in batches]
    return feeds


def unet_feeds(rng, p, small):
    sides = [(1, 32, 48), (2, 16, 32)] if small else [(1, p["size"], p["size"])]
    return [{"input": rng.standard_normal((n, p["channels"], h, w), np.float32)} for n, h, w in sides]


def yolo_feeds(rng, p, small):
    return [{"images": rng.random((1, 3, p["size"], p["size"]), np.float32)}]


def text(rng, p, shape):
    return rng.integers(0, p["vocabulary"], shape)


def bert_feeds(rng, p, small):
    result = []
    for n, s in [(1, 9), (2, 16)] if small else [(1, 128)]:
        mask = np.ones((n, s), np.int64)
        mask[-1, s - s // 4:] = n == 1
        result.append({"input_ids": text(rng, p, (n, s)), "attention_mask": mask,
                       "token_type_ids": np.tile(np.arange(s) >= s // 2, (n, 1)).astype(np.int64)})
    return result


def past(rng, p, n, length, heads):
    shape = (n, p[heads], length, p["width"] // p["heads"])
    return {f"past.{layer}.{part}": rng.standard_normal(shape, np.float32)
            for layer in range(p["layers"]) for part in ("key", "value")}


def gpt2_feeds(rng, p, small):
    if not p["cached"]:
        return [{"input_ids": text(rng, p, shape)} for shape in ([(1, 7), (2, 12)] if small else [(1, 64)])]
    sizes = [(1, 1, 5), (2, 3, 8)] if small else [(1, 1, 128)]
    return [{"input_ids": text(rng, p, (n, t))} | past(rng, p, n, length, "heads") for n, t, length in sizes]


def mel_feeds(rng, p, small):
    return [{"mel": rng.standard_normal((1, p["mels"], p["frames"]), np.float32)}]


def decoder_feeds(rng, p, small):
    return [{"tokens": text(rng, p, (n, t)), "audio": rng.standard_normal((n, f, p["width"]), np.float32)}
            for n, t, f in ([(1, 4, 10), (2, 7, 6)] if small else [(1, 4, 1500)])]


def weather_feeds(rng, p, small):
    shape = (p["steps"], p["channels"], p["side"], p["side"])
    return [{"maps": rng.standard_normal((n, *shape), np.float32)} for n in ((1, 3) if small else (1,))]


def llama_feeds(rng, p, small):
    sizes = [(1, 6, 0), (2, 1, 5)] if small else [(1, 1, 127)]
    return [{"hidden": rng.standard_normal((n, t, p["width"]), np.float32),
             "position_ids": np.tile(np.arange(length, length + t), (n, 1))} | past(rng, p, n, length, "groups")
            for n, t, length in sizes]


def mixture_feeds(rng, p, small):
    return [{"hidden": rng.standard_normal((t, p["width"]), np.float32)} for t in ((5, 12) if small else (32,))]


TINY_TEXT = {"width": 32, "heads": 4, "layers": 2, "vocabulary": 97, "positions": 24}
TINY_TREE = {"scale": 0.25, "size": 64, "classes": 20}

NETWORKS = {
    "resnet50": Network(vision.resnet50, {}, {"size": 64, "width": 8, "classes": 20}, images(1, 2)),
    "mobilenet_v2": Network(vision.mobilenet_v2, {}, {**TINY_TREE, "depth": 0.5}, images(1, 2)),
    "mobilenet_v3": Network(vision.mobilenet_v3, {}, TINY_TREE, images(1, 2)),
    "efficientnet_b0": Network(vision.efficientnet_b0, {}, {**TINY_TREE, "depth": 0.5}, images(1, 2)),
    "densenet121": Network(vision.densenet121, {}, {"size": 64, "growth": 4, "blocks": (2, 3, 4, 3), "classes": 20},
                           images(1, 2)),
    "vgg16": Network(vision.vgg16, {}, {"size": 32, "plan": (8, 8, 0, 16, 16, 0, 32, 32, 0), "hidden": 64,
                                        "classes": 20}, images(1, 2)),
    "unet": Network(vision.unet, {}, {"width": 8, "levels": 3}, unet_feeds),
    "yolov5s": Network(vision.yolo, {}, {"size": 96, "width": 0.125, "classes": 4}, yolo_feeds),
    "vit_b16": Network(vision.vit, {}, {"size": 32, "patch": 8, "width": 32, "heads": 4, "layers": 2, "classes": 20},
                       images(1, 2)),
    "bert_base": Network(language.bert, {}, TINY_TEXT, bert_feeds),
    "gpt2": Network(language.gpt2, {}, TINY_TEXT, gpt2_feeds),
    "gpt2_step": Network(language.gpt2, {"cached": True}, {**TINY_TEXT, "cached": True}, gpt2_feeds),
    "whisper_encoder": Network(language.whisper_encoder, {}, {"width": 32, "heads": 4, "layers": 2, "mels": 8,
                                                              "frames": 40}, mel_feeds),
    "whisper_decoder": Network(language.whisper_decoder, {}, TINY_TEXT, decoder_feeds),
    "weather": Network(language.weather, {}, {"steps": 5, "side": 12, "channels": 3, "width": 4, "hidden": 16,
                                              "horizon": 3}, weather_feeds),
    "llama_block": Network(language.llama_block, {}, {"width": 32, "heads": 4, "groups": 2, "inner": 48,
                                                      "positions": 24, "layers": 2}, llama_feeds),
    "mixture": Network(language.mixture, {}, {"width": 16, "inner": 24, "experts": 6, "chosen": 2}, mixture_feeds),
}


def build(name, small=False, seed=0, **changes):
    """The model of a row, and what to run it on."""
    network = NETWORKS[name]
    parameters = network.parameters(small) | changes
    feeds = network.feeds(np.random.default_rng(seed + 1), parameters, small)
    return network.build(seed=seed, **parameters), feeds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--list", action="store_true", help="names and parameters")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="PARAMETER=VALUE")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    unknown = set(options.names) - set(NETWORKS)
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are: {', '.join(NETWORKS)}")
    if options.list:
        for name, network in NETWORKS.items():
            print(name, *(f"{key}={value}" for key, value in network.parameters(options.small).items()))
        return
    changes = {key: ast.literal_eval(value) for key, _, value in (text.partition("=") for text in options.set)}
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.names or NETWORKS:
        model, feeds = build(name, options.small, options.seed, **changes)
        path = options.output / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        print(f"{path}: {len(model.graph.node)} nodes, {path.stat().st_size / 1e6:.1f} MB; inputs",
              ", ".join(f"{key}{list(value.shape)}" for key, value in feeds[0].items()))


if __name__ == "__main__":
    main()
