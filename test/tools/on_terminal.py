#!/usr/bin/env python3
"""Runs a command whose standard error is a terminal, and prints what was seen there.

usage: on_terminal.py COMMAND...

Standard output stays what it is. Every line that was drawn is printed as `shown: TEXT`, what is left on the
terminal's last line in the end as `left: 'TEXT'`. The exit code is the command's.
"""

import os
import pty
import subprocess
import sys

ERASE = "\r\x1b[K"


def main():
    parent, child = pty.openpty()
    environment = dict(os.environ, TERM="xterm")
    process = subprocess.Popen(sys.argv[1:], stderr=child, env=environment)
    os.close(child)
    seen = b""
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        seen += part
    code = process.wait()
    sys.stdout.flush()
    text = seen.decode(errors="backslashreplace").replace("\r\n", "\n")
    line = ""
    for part in text.split(ERASE):
        line = part
        for shown in part.split("\n"):
            if shown:
                print(f"shown: {shown}")
    print(f"left: {line.rsplit(chr(10), 1)[-1]!r}")
    return code


if __name__ == "__main__":
    sys.exit(main())
