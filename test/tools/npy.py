#!/usr/bin/env python3
"""Writes and compares .npy files, for lit tests.

usage: npy.py make FILE DTYPE VALUES...  [--shape=2x3]
       npy.py arange FILE DTYPE SHAPE
       npy.py random FILE DTYPE SHAPE [--seed=N]
       npy.py show FILE
       npy.py compare A B [--rtol=R] [--atol=A]

SHAPE is like 2x3, or `scalar`. `compare` exits 1 and says where when the arrays differ.
"""

import argparse
import sys

import numpy as np


def parse_shape(text):
    return () if text == "scalar" else tuple(int(d) for d in text.split("x"))


def make(options):
    values = np.array([float(v) if options.dtype.startswith("f") else int(v) for v in options.values])
    values = values.astype(options.dtype)
    np.save(options.file, values.reshape(parse_shape(options.shape)) if options.shape else values)


def arange(options):
    shape = parse_shape(options.shape)
    np.save(options.file, np.arange(np.prod(shape, dtype=int)).astype(options.dtype).reshape(shape))


def random(options):
    values = np.random.default_rng(options.seed).standard_normal(parse_shape(options.shape))
    np.save(options.file, values.astype(options.dtype))


def show(options):
    value = np.load(options.file)
    print(value.dtype, "x".join(map(str, value.shape)) or "scalar")
    print(" ".join(f"{v:.6g}" if value.dtype.kind == "f" else str(v) for v in value.ravel()))


def compare(options):
    a, b = np.load(options.a), np.load(options.b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype}{list(a.shape)} is not {b.dtype}{list(b.shape)}"
    if not np.allclose(a, b, rtol=options.rtol, atol=options.atol, equal_nan=True):
        worst = np.nanargmax(np.abs(a.astype(float) - b.astype(float)))
        return f"differ most at element {worst}: {a.ravel()[worst]} and {b.ravel()[worst]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, arguments in {make: "file dtype values", arange: "file dtype shape",
                            random: "file dtype shape", show: "file", compare: "a b"}.items():
        sub = verbs.add_parser(verb.__name__)
        sub.set_defaults(run=verb)
        for argument in arguments.split():
            sub.add_argument(argument, nargs="+" if argument == "values" else None)
        if verb is make:
            sub.add_argument("--shape")
        if verb is random:
            sub.add_argument("--seed", type=int, default=0)
        if verb is compare:
            sub.add_argument("--rtol", type=float, default=1e-5)
            sub.add_argument("--atol", type=float, default=1e-6)
    options = parser.parse_args()
    problem = options.run(options)
    if problem:
        print(problem, file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
