#!/usr/bin/env python3
"""Prints what passed tests had to say: their tables, from the JUnit file that `ctest --output-junit` wrote.

usage: print_tables.py BUILD RESULTS.xml LABEL...

Of tests that have one of the labels. What failed, ctest has printed already.
"""

import json
import subprocess
import sys
import xml.etree.ElementTree


def labels_of_tests(build):
    """From a test's name to its labels, which the JUnit file of this CMake does not have."""
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    return {test["name"]: set().union(*(each["value"] for each in test["properties"] if each["name"] == "LABELS"))
            for test in json.loads(said.stdout)["tests"]}


def main():
    build, results, *wanted = sys.argv[1:]
    labels = labels_of_tests(build)
    for case in xml.etree.ElementTree.parse(results).getroot().iter("testcase"):
        name, said = case.get("name"), (case.findtext("system-out") or "").strip()
        if case.get("status") == "run" and said and labels[name] & set(wanted):
            print(f"\n{name}\n{'-' * len(name)}\n{said}")


if __name__ == "__main__":
    main()
