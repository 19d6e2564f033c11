#!/usr/bin/env python3
"""Fails on C++ that clang-format would change; `--fix` changes it."""

import concurrent.futures
import os
import shutil
import subprocess
import sys

import repository

SUFFIXES = (".h", ".hpp", ".cpp", ".c")


def chunks(names, count):
    return [names[i::count] for i in range(count) if names[i::count]]


def main():
    options = repository.parse_root(
        __doc__, lambda parser: parser.add_argument("--fix", action="store_true"))
    tool = shutil.which("clang-format-22") or "/usr/lib/llvm-22/bin/clang-format"
    mode = ["-i"] if options.fix else ["--dry-run", "-Werror", "--ferror-limit=1"]
    names = repository.files(options.root, *SUFFIXES)

    def run(part):
        return subprocess.run([tool, *mode, *part], cwd=options.root, capture_output=True, text=True,
                              check=False)

    workers = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(run, chunks(names, 4 * workers)))
    for result in results:
        sys.stdout.write(result.stderr)
    sys.exit(any(result.returncode for result in results))


if __name__ == "__main__":
    main()
