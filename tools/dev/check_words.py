#!/usr/bin/env python3
"""Fails on words that do not belong into the repository: each rule below says why.

A line that has to break a rule ends in `allow(<rule>)` and says why in its comment.
"""

import re

import repository

CODE = (".h", ".hpp", ".cpp", ".c", ".td", ".inc", ".def", ".py", ".cmake", ".txt", ".mlir", ".md", ".json",
        ".fbs", ".cu", ".cuh", ".test")

# rule: (pattern, folders it holds in, reason)
RULES = {
    "unknown-location": (
        r"\bUnknownLoc\b|\bgetUnknownLoc\b", ("passes/", "backends/", "dialects/"),
        "every op answers for an ONNX node: use the location of what is rewritten"),
    "machine-path": (
        r"(?<![\w.}/$])/(?:home|root|work|Users|mnt|scratch)/", ("",),
        "a path of one machine"),
    "unfinished": (
        r"\b(?:TODO|FIXME|XXX|HACK|DO[- ]NOT[- ]SUBMIT)\b", ("",),
        "finish it, or write a decision record"),
    "foreign-page": (
        r"\bDESIGN(?:\.md)?\b", ("",),
        "a page that is not in the repository: say it, or name a page of docs/"),
    "conflict": (r"^(?:<{7}|>{7})\s|^={7}$", ("",), "a merge conflict"),
    "stdout-debugging": (
        r"\bllvm::errs\(\)|\bstd::cerr\b|\bprintf\(", ("passes/", "dialects/"),
        "report through diagnostics, which name the node"),
    "broken-banner": (r"^//\s*-\*-===//", ("",), "a file's first line, torn in two: keep it on one"),
    "tab": (r"\t", ("",), "indent with spaces"),
    "trailing-space": (r"[ \t]+$", ("",), "white space at the end of the line"),
    "onnx-opset-in-passes": (
        r"\bopset\b", ("passes/", "backends/"),
        "opset versions end in the importer"),
}


def complaints(root):
    compiled = {rule: (re.compile(p), folders, why) for rule, (p, folders, why) in RULES.items()}
    for name in repository.files(root):
        if not name.endswith(CODE) and "." in name.rsplit("/", 1)[-1]:
            continue
        if name.endswith(("tools/dev/check_words.py", "test/checks/checks_test.py")):
            continue
        text = repository.text_of(root, name)
        if text is None:
            continue
        if text and not text.endswith("\n"):
            yield f"{name}: no newline at the end"
        for number, line in enumerate(text.splitlines(), 1):
            for rule, (pattern, folders, why) in compiled.items():
                if pattern.search(line) and name.startswith(folders) and f"allow({rule})" not in line:
                    yield f"{name}:{number}: {rule}: {why}"


if __name__ == "__main__":
    repository.report(complaints(repository.parse_root(__doc__.splitlines()[0]).root))
