#!/usr/bin/env python3
"""The checks of tools/dev find what they are for, and new_pass.py writes a pass they accept."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "dev"

RECORD = """
def FuseThingPass : Pass<"{flag}"> {{
  let summary = "s";
  let description = [{{ {description} }}];
}}
"""
DESCRIBED = "```mlir\nx\n``` Left alone: nothing."


class ChecksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("layers.json", '{"": "law", "lib/Support": [], "passes/Fusion": ["lib/Support"], "test": []}\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, tool, *arguments):
        return subprocess.run([sys.executable, TOOLS / f"{tool}.py", "--root", self.root, *arguments],
                              capture_output=True, text=True, check=False)

    def assert_clean(self, tool):
        result = self.run_tool(tool)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_complains(self, tool, *fragments):
        result = self.run_tool(tool)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stdout)

    def test_layers(self):
        self.write("passes/Fusion/A.cpp", '#include "lib/Support/X.h"\n#include "passes/Fusion/A.h"\n')
        self.assert_clean("check_layers")
        self.write("lib/Support/X.cpp", '#include <cstdint>\n#include "passes/Fusion/A.h"\n')
        self.assert_complains("check_layers", "lib/Support/X.cpp:2: layer lib/Support may not include")
        self.write("lib/Other/Y.cpp", "")
        self.assert_complains("check_layers", "lib/Other/Y.cpp: layers.json does not mention")

    def test_passes(self):
        self.write("passes/Fusion/Passes.td", RECORD.format(flag="hone-fuse-things", description="short"))
        self.write("passes/Fusion/Other.cpp", "#define GEN_PASS_DEF_OTHERPASS\n")
        self.assert_complains(
            "check_passes", "has no FuseThing.cpp", "is called hone-fuse-things, not hone-fuse-thing",
            "no test/passes/Fusion/fuse-thing.mlir", "no description with an", "Other.cpp: defines a pass")
        self.write("passes/Fusion/Passes.td", RECORD.format(flag="hone-fuse-thing", description=DESCRIBED))
        self.write("passes/Fusion/FuseThing.cpp", "#define GEN_PASS_DEF_FUSETHINGPASS\n")
        self.write("test/passes/Fusion/fuse-thing.mlir", "// RUN: hone-opt --hone-fuse-thing\n")
        (self.root / "passes/Fusion/Other.cpp").unlink()
        self.assert_clean("check_passes")

    def test_tests(self):
        self.write("test/passes/Fusion/nothing.mlir", "// CHECK: x\n")
        self.write("passes/Fusion/Passes.td", RECORD.format(flag="hone-fuse-thing", description=DESCRIBED))
        self.write("test/run/a.mlir", "// RUN: hone-opt %s | FileCheck %s --check-prefix=ASM\n// CHECK: x\n")
        self.write("test/backends/TPU/a.mlir", "// RUN: true\n")
        self.write("test/unit/Area/AreaTest.cpp", "")
        self.write("dialects/Graph/IR/GraphOps.td", "")
        self.assert_complains(
            "check_tests", "has no RUN line", "not named after a pass", "FileCheck looks for ASM:",
            "mirrors backends/TPU", "its folder has no CMakeLists.txt", "test/dialects/Graph has no invalid test")

    def test_words(self):
        self.write("passes/Fusion/A.cpp", "UnknownLoc::get(c);\n")
        self.write("lib/Support/B.cpp", "// TODO\n\tint x; \n// /home/me/x\n")
        self.write("lib/Support/C.cpp", "int x;")
        self.write("lib/Support/D.cpp", "// TODO allow(unfinished): the word itself\n")
        self.assert_complains(
            "check_words", "A.cpp:1: unknown-location", "B.cpp:1: unfinished", "B.cpp:2: tab",
            "B.cpp:2: trailing-space", "B.cpp:3: machine-path", "C.cpp: no newline")
        self.assertNotIn("D.cpp", self.run_tool("check_words").stdout)

    def test_sizes(self):
        self.write("lib/Support/A.cpp", "//===- A.cpp - a ---===//\n" + "\n" * 600)
        self.write("lib/Support/B.cpp", "int x;\n")
        self.assert_complains("check_sizes", "A.cpp: 601 lines", "B.cpp:1: does not open with")

    def test_docs(self):
        self.write("README.md", "[a](docs/a.md#part) [web](https://example.com) [lost](docs/lost.md)\n")
        self.write("docs/a.md", "[up](../README.md)\n")
        self.write("docs/alone.md", "")
        self.assert_complains("check_docs", "README.md: leads to docs/lost.md", "docs/alone.md: no other page")
        self.assertNotIn("docs/a.md", self.run_tool("check_docs").stdout)

    def test_format(self):
        self.write(".clang-format", "BasedOnStyle: LLVM\n")
        self.write("lib/Support/A.cpp", "int  x ;\n")
        self.assert_complains("check_format")
        self.assertEqual(self.run_tool("check_format", "--fix").returncode, 0)
        self.assert_clean("check_format")

    def test_new_pass(self):
        for name in ("FuseThing", "EraseGEMMThing"):
            result = self.run_tool("new_pass", "Fusion", name)
            self.assertEqual(result.returncode, 0, result.stderr)
        for tool in ("check_layers", "check_passes", "check_tests", "check_words", "check_sizes", "check_format"):
            self.assert_clean(tool)
        lists = (self.root / "passes/Fusion/CMakeLists.txt").read_text()
        self.assertIn("SRCS EraseGEMMThing.cpp FuseThing.cpp", lists)
        self.assertEqual(self.run_tool("new_pass", "Fusion", "FuseThing").returncode, 2)


if __name__ == "__main__":
    unittest.main()
