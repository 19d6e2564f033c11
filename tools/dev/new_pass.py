#!/usr/bin/env python3
"""Starts a pass: source, record, test and build list, complete enough for every check.

usage: tools/dev/new_pass.py Fusion FuseActivation "Folds activations into their producers."
       tools/dev/new_pass.py Conversion/GraphToLinalg LowerGather

The new pass does nothing and says so; the test shows where to write what it should do.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import check_passes

RECORD = '''
def {name}Pass : Pass<"hone-{flag}", "::mlir::func::FuncOp"> {{
  let summary = "{summary}";
  let description = [{{
    {summary}

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{
      return %x : tensor<4xf32>
    }}
    ```
    After: the same.

    Left alone: everything.
  }}];
}}
'''

TABLE = '''\
//===- Passes.td - {group} passes -*- tablegen -*-===//

#ifndef PASSES_{guard}_PASSES
#define PASSES_{guard}_PASSES

include "mlir/Pass/PassBase.td"
{record}
#endif // PASSES_{guard}_PASSES
'''

HEADER = '''\
//===- Passes.h - {group} passes {dashes}===//

#ifndef PASSES_{guard}_PASSES_H
#define PASSES_{guard}_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::{namespace} {{

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/{group}/Passes.h.inc"

}} // namespace hone::{namespace}

#endif // PASSES_{guard}_PASSES_H
'''

SOURCE = '''\
//===- {name}.cpp - {summary} {dashes}===//
//
// {summary}
//
//===----------------------------------------------------------------------===//

#include "passes/{group}/Passes.h"

namespace hone::{namespace} {{

#define GEN_PASS_DEF_{upper}PASS
#include "passes/{group}/Passes.h.inc"

namespace {{

struct {name}Pass final : impl::{name}PassBase<{name}Pass> {{
  void runOnOperation() override {{ markAllAnalysesPreserved(); }}
}};

}} // namespace
}} // namespace hone::{namespace}
'''

TEST = '''\
// RUN: hone-opt %s --hone-{flag} --split-input-file | FileCheck %s

// CHECK-LABEL: @negative_left_alone
//       CHECK:   return %{{{{.*}}}} : tensor<4xf32>
func.func @negative_left_alone(%x: tensor<4xf32>) -> tensor<4xf32> {{
  return %x : tensor<4xf32>
}}
'''


def namespace_of(folder, group):
    """The namespace that the group's header uses, or the one it would be given."""
    header = folder / "Passes.h"
    found = re.search(r"^namespace hone::(\w+)", header.read_text(), re.M) if header.exists() else None
    return found[1] if found else group.rsplit("/", 1)[-1].lower()


def add_record(table, record):
    text = table.read_text()
    end = text.rindex("#endif")
    table.write_text(text[:end].rstrip("\n") + "\n" + record + "\n" + text[end:])


def add_source(lists, group, source):
    """Adds the file to hone_passes(... SRCS ...), in order of names."""
    text = lists.read_text() if lists.exists() else ""
    match = re.search(r"(SRCS\s+)((?:[\w/]+\.cpp\s*)+)", text)
    if not match:
        name = group.rsplit("/", 1)[-1]
        lists.write_text(text + f"hone_passes(passes/{group} {name} SRCS {source}\n"
                                "            DEPS lib/Support dialects/Graph/IR)\n")
        return
    sources = sorted({*match[2].split(), source})
    tail = re.search(r"\s*$", match[2])[0]
    separator = "\n  " if "\n" in match[2].strip() else " "
    lists.write_text(text[:match.start(2)] + separator.join(sources) + tail + text[match.end(2):])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", help="a folder below passes/")
    parser.add_argument("name", help="a verb and its object: FuseActivation")
    parser.add_argument("summary", nargs="?", default="Leaves everything as it is.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    options = parser.parse_args()
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", options.name) or options.name.endswith("Pass"):
        parser.error("a pass is named like FuseActivation, without 'Pass'")
    folder = options.root / "passes" / options.group
    if (folder / f"{options.name}.cpp").exists():
        parser.error(f"passes/{options.group}/{options.name}.cpp exists")

    flag = check_passes.kebab(options.name)
    values = {
        "name": options.name, "group": options.group, "flag": flag, "summary": options.summary,
        "upper": options.name.upper(), "guard": options.group.replace("/", "_").upper(),
        "namespace": namespace_of(folder, options.group), "dashes": "-" * 8,
    }
    folder.mkdir(parents=True, exist_ok=True)
    test = options.root / "test" / "passes" / options.group / f"{flag}.mlir"
    test.parent.mkdir(parents=True, exist_ok=True)

    table = folder / "Passes.td"
    if table.exists():
        add_record(table, RECORD.format(**values))
    else:
        table.write_text(TABLE.format(record=RECORD.format(**values), **values))
        (folder / "Passes.h").write_text(HEADER.format(**values))
    (folder / f"{options.name}.cpp").write_text(SOURCE.format(**values))
    add_source(folder / "CMakeLists.txt", options.group, f"{options.name}.cpp")
    test.write_text(TEST.format(**values))
    formatter = shutil.which("clang-format-22") or "/usr/lib/llvm-22/bin/clang-format"
    subprocess.run([formatter, "--style=LLVM", "-i", folder / f"{options.name}.cpp", folder / "Passes.h"],
                   check=True)
    print(f"passes/{options.group}/{options.name}.cpp and Passes.td, {test.relative_to(options.root)}")
    print("place it in the pipeline: lib/Pipeline")
    return 0


if __name__ == "__main__":
    sys.exit(main())
