#!/usr/bin/env python3
"""Shows the loop of an assembly file that does most of the multiplying, and what it does besides.

usage: inner_loop.py FILE.s

A loop is what lies between a label and a branch back to it, without another label between. Of those the one with the
most multiply-add instructions is printed, then a line of counts: multiply-adds, those by a lane of a register, loads
and stores of the stack (spills).
"""

import re
import sys

FMA = re.compile(r"\b(?:vfn?m(?:add|sub)\w*ps|fmla)\b")
LANE = re.compile(r"\bfmla\b.*\.s\[\d\]")
STACK = re.compile(r"\(%[er][sb]p\)|\[sp\b")


def loops(lines):
    label, body = None, []
    for line in lines:
        text = re.sub(r"(//|\s#\s).*", "", line).strip()
        found = re.match(r"([.\w$]+):", text)
        if found:
            label, body = found[1], []
        elif text and label and not text.startswith("."):
            body.append(text)
            if text.endswith(label):
                yield body
                label = None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        found = list(loops(file))
    body = max(found, key=lambda body: sum(bool(FMA.search(text)) for text in body), default=[])
    print("\n".join(body))

    def count(pattern):
        return sum(bool(pattern.search(text)) for text in body)
    print(f"multiply-adds {count(FMA)}, by lane {count(LANE)}, spills {count(STACK)}")


if __name__ == "__main__":
    main()
