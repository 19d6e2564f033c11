#!/usr/bin/env python3
"""Checks that a command refuses bad input the way every tool of ours must.

usage: refuses.py [--code N] [--absent PATH]... [--seconds S] [--memory MB] COMMAND...

The command must end with exit code N (1: the user's input is at fault), within the time and the
memory, with something on stderr and nothing on stdout, and must not leave PATH behind, nor anything
else that starts with PATH (a temporary name). Its stderr is printed for FileCheck.
"""

import argparse
import glob
import subprocess
import sys

import limits

# Traces of a death that an exit code can hide.
CRASH_SIGNS = ("Assertion", "PLEASE submit a bug report", "Stack dump", "terminate called",
               "AddressSanitizer", "runtime error:", "UNREACHABLE", "LLVM ERROR")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--code", type=int, default=1)
    parser.add_argument("--absent", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--memory", type=int, default=8192)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()

    problems = []
    try:
        result = limits.run(options.command, options.seconds, options.memory)
    except subprocess.TimeoutExpired:
        sys.exit(f"took longer than {options.seconds} s: {' '.join(options.command)}")
    stderr = result.stderr.decode(errors="backslashreplace")
    print(stderr, end="")
    if result.returncode != options.code:
        problems.append(f"ended with {result.returncode}, not {options.code}")
    if not stderr.strip():
        problems.append("said nothing on stderr")
    if result.stdout:
        problems.append(f"wrote to stdout: {result.stdout[:200]!r}")
    for sign in CRASH_SIGNS:
        if sign in stderr:
            problems.append(f"died: {sign}")
    for path in options.absent:
        left = glob.glob(glob.escape(path) + "*")
        if left:
            problems.append(f"left {', '.join(left)}")
    for problem in problems:
        print(f"refuses.py: {' '.join(options.command)}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
