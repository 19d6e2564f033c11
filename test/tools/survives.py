#!/usr/bin/env python3
"""Runs a command on many damaged copies of a file: every one must end by itself, with 0 or 1.

usage: survives.py [--as-is | --mutants N] [--seed S] [--seconds S] FILE COMMAND... (with {} for the file)

Mutants are truncations, flipped bytes, inserted and repeated stretches, and 32-bit fields set to
extreme values; the seed makes them the same every time.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import limits

EXTREMES = (0, 1, 0x7F, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF)


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if not data:
            break
        # Structure lies at both ends of our files; damage it as often as the rest.
        edge = min(len(data), 4096)
        at = rng.choice((rng.randrange(len(data)), rng.randrange(edge), len(data) - 1 - rng.randrange(edge)))
        kind = rng.randrange(5)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at + 4] = rng.choice(EXTREMES).to_bytes(4, "little")
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            data[at:at] = rng.randbytes(rng.randrange(1, 64))
        else:
            size = rng.randrange(1, 256)
            data[at:at + size] = data[:size]
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--as-is", action="store_true", help="the file itself, once")
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    original = options.file.read_bytes()
    refused = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("mutant" + options.file.suffix)
        for number in range(1 if options.as_is else options.mutants):
            path.write_bytes(original if options.as_is else mutate(original, rng))
            command = [part.replace("{}", str(path)) for part in options.command]
            try:
                result = limits.run(command, options.seconds)
                code = result.returncode
                words = result.stderr.decode(errors="backslashreplace").strip()
            except subprocess.TimeoutExpired:
                code, words = "a timeout", ""
            refused += code == 1
            if code not in (0, 1) or (code == 1 and not words):
                bad += 1
                kept = options.file.with_name(f"{options.file.name}.mutant{number}")
                kept.write_bytes(path.read_bytes())
                # A sanitizer's report says it first, everything else last.
                report = max(words.find("ERROR: "), words.find(": runtime error:") - 100)
                words = words[report:report + 2000] if report >= 0 else words[-300:]
                print(f"mutant {number} ended with {code}: {words}\n  kept as {kept}", file=sys.stderr)
    print(f"{refused} refused, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
