#!/usr/bin/env python3
"""Fails unless docs/cli.md names every option of every verb, and none that does not exist.

The section of a verb is headed `## hone VERB` or `## hone-run`; what stands in the first column of its tables, in
backticks, are its options.
"""

import pathlib
import re
import subprocess
import sys

import repository

SECTION = re.compile(r"^## `(hone(?:-run)?(?: \w+)?)`.*?$(.*?)(?=^## |\Z)", re.M | re.S)


def output(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr}")
    return result.stdout


def options_of(text):
    """Names out of a help text: what stands left, without values."""
    return {re.match(r"[-\w]*[a-zA-Z]", word)[0] for word in re.findall(r"^  (-[^\s]*)", text, re.M)}


def spelled(name):
    return "-O" if re.fullmatch(r"-O\d?", name) else name


def programs(build):
    """Options by program and verb, as the programs tell them."""
    hone = build / "bin" / "hone"
    verbs = re.findall(r"^  (\w+)", output(hone, "--help"), re.M)
    found = {f"hone {verb}": {spelled(name) for name in options_of(output(hone, verb, "--help"))} for verb in verbs}
    found["hone-run"] = options_of(output(build / "bin" / "hone-run", "--help"))
    return found


def documented(text):
    found = {}
    for name, section in SECTION.findall(text):
        cells = re.findall(r"^\| (`[^|]*`) \|", section, re.M)
        found[name] = {spelled(re.match(r"`(-[-\w]*[a-zA-Z])", part)[1])
                       for cell in cells for part in re.findall(r"`-[^`]*`", cell)}
    return found


def complaints(root, build):
    page = "docs/cli.md"
    there, told = programs(build), documented((root / page).read_text())
    for name in sorted(there.keys() | told.keys()):
        if name not in told:
            yield f"{page}: has no section '## `{name}`'"
        elif name not in there:
            yield f"{page}: there is no `{name}`"
        else:
            for option in sorted(there[name] - told[name]):
                yield f"{page}: `{name}` does not tell of {option}"
            for option in sorted(told[name] - there[name]):
                yield f"{page}: `{name}` has no option {option}"


if __name__ == "__main__":
    chosen = repository.parse_root(
        __doc__.splitlines()[0],
        lambda parser: parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/dev")))
    repository.report(complaints(chosen.root, chosen.build.resolve()))
