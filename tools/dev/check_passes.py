#!/usr/bin/env python3
"""Fails unless every pass record has its source, flag, test and a description with an example."""

import re

import repository

RECORD = re.compile(
    r'^def (\w+)Pass\b[^:]*:\s*(?:Interface)?Pass<\s*"([\w-]+)".*?^}', re.S | re.M)
FENCE = re.compile(r"```mlir\n.*?```", re.S)


def kebab(name):
    """FuseGEMMEpilogue -> fuse-gemm-epilogue."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def records(text):
    return {match[1]: (match[2], match[0]) for match in RECORD.finditer(text)}


def expected_flag(group, name):
    """A backend's passes carry its name: several backends may have a pass of one name."""
    parts = group.split("/")
    target = f"{parts[1].lower()}-" if parts[0] == "backends" else ""
    return f"hone-{target}{kebab(name)}"


def check_record(root, group, name, flag, body):
    if not (root / group / f"{name}.cpp").exists():
        yield f"{group}/Passes.td: pass {name} has no {name}.cpp"
    if flag != expected_flag(group, name):
        yield f"{group}/Passes.td: pass {name} is called {flag}, not {expected_flag(group, name)}"
    test = root / "test" / group / f"{kebab(name)}.mlir"
    if not test.exists():
        yield f"{group}/Passes.td: pass {name} has no test/{group}/{kebab(name)}.mlir"
    elif flag not in test.read_text():
        yield f"test/{group}/{test.name}: does not run --{flag}"
    if "let summary" not in body:
        yield f"{group}/Passes.td: pass {name} has no summary"
    if "let description" not in body or not FENCE.search(body):
        yield f"{group}/Passes.td: pass {name} has no description with an ```mlir example"
    elif "Left alone" not in body:
        yield f"{group}/Passes.td: pass {name} does not say what is 'Left alone'"


def complaints(root):
    for table in repository.files(root, "/Passes.td"):
        group = table.rsplit("/", 1)[0]
        found = records(repository.text_of(root, table))
        for name, (flag, body) in found.items():
            yield from check_record(root, group, name, flag, body)
        for source in sorted((root / group).glob("*.cpp")):
            for defined in re.findall(r"GEN_PASS_DEF_(\w+)", source.read_text()):
                if defined.lower() != source.stem.lower() + "pass" and defined.lower() != source.stem.lower():
                    yield f"{group}/{source.name}: defines {defined}, a pass of another name"
                elif source.stem not in found:
                    yield f"{group}/{source.name}: defines a pass that Passes.td does not record"


if __name__ == "__main__":
    repository.report(complaints(repository.parse_root(__doc__).root))
