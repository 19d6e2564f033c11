#!/usr/bin/env python3
"""Fails on links in Markdown files that lead nowhere, and on pages that no other page leads to."""

import posixpath
import re

import repository

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def complaints(root):
    pages = repository.files(root, ".md")
    reached = {"README.md"}
    for page in pages:
        # Code blocks may hold anything.
        text = re.sub(r"```.*?```", "", repository.text_of(root, page), flags=re.S)
        for target in LINK.findall(text):
            if "://" in target:
                continue
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            if not (root / path).exists():
                yield f"{page}: leads to {target}, which does not exist"
            reached.add(path)
    for page in pages:
        if not any(page == path or page.startswith(path + "/") for path in reached):
            yield f"{page}: no other page leads to it"


if __name__ == "__main__":
    repository.report(complaints(repository.parse_root(__doc__).root))
