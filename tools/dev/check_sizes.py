#!/usr/bin/env python3
"""Fails on files that have grown past what one reader holds, and on sources without a header.

A file past its limit asks for a table, an interface or a second file. Generated files are never
committed, so there is nothing to except but what LIMITS says.
"""

import re

import repository

# suffixes: (lines, why that many)
LIMITS = {
    (".cpp", ".c", ".h", ".hpp"): 600,
    (".td",): 800,
    (".py",): 400,
    ("CMakeLists.txt", ".cmake"): 200,
}
TOOL_MAIN_LINES = 80
COMMITTED_BYTES = 400_000
TOOL_MAIN = re.compile(r"tools/(?!dev/)[\w-]+/([\w-]+)\.cpp")


def complaints(root):
    for name in repository.files(root):
        size = (root / name).stat().st_size
        if size > COMMITTED_BYTES:
            yield f"{name}: {size} bytes; data is fetched or generated, not committed"
            continue
        limit = next((lines for suffixes, lines in LIMITS.items() if name.endswith(suffixes)), None)
        text = repository.text_of(root, name) if limit else None
        if text is None:
            continue
        lines = text.splitlines()
        main = TOOL_MAIN.fullmatch(name)
        if main and f"/{main[1]}/" in name and re.search(r"^int main\(", text, re.M):
            limit = TOOL_MAIN_LINES
        if len(lines) > limit:
            yield f"{name}: {len(lines)} lines, more than {limit}"
        if name.endswith((".cpp", ".h", ".hpp", ".c")) and not (lines and lines[0].startswith("//===- ")):
            yield f"{name}:1: does not open with a '//===- {name.rsplit('/', 1)[-1]} - ...' header"


if __name__ == "__main__":
    repository.report(complaints(repository.parse_root(__doc__.splitlines()[0]).root))
