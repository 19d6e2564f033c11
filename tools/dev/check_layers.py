#!/usr/bin/env python3
"""Fails when a source file includes a folder that layers.json does not grant it."""

import json
import re

import repository

INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')
SOURCES = (".h", ".hpp", ".cpp", ".c", ".td", ".inc", ".def", ".cu", ".cuh")


def layer_of(layers, path):
    found = [layer for layer in layers if path == layer or path.startswith(layer + "/")]
    return max(found, key=len, default=None)


def canonical(path):
    """The installed headers are included as users do: <hone/runtime.h>."""
    return "include/" + path if path.startswith("hone/") else path


def complaints(root):
    layers = {k: v for k, v in json.loads((root / "layers.json").read_text()).items() if k}
    ours = {layer.split("/")[0] for layer in layers}
    for name in repository.files(root, *SOURCES):
        if name.split("/")[0] not in ours:
            continue
        layer = layer_of(layers, name)
        if not layer:
            yield f"{name}: layers.json does not mention its folder"
            continue
        for number, line in enumerate(repository.text_of(root, name).splitlines(), 1):
            match = INCLUDE.match(line)
            target = canonical(match[1]) if match else ""
            if target.split("/")[0] not in ours or not (root / target.split("/")[0]).is_dir():
                continue
            if not any(target.startswith(granted + "/") for granted in [layer, *layers[layer]]):
                yield f"{name}:{number}: layer {layer} may not include {match[1]}"


if __name__ == "__main__":
    repository.report(complaints(repository.parse_root(__doc__).root))
