"""What the checks share: the files of the repository, and how a check reports."""

import argparse
import pathlib
import subprocess
import sys


def parse_root(description, configure=None):
    """The options of a check; `--root` lets a check run on another tree."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    if configure:
        configure(parser)
    options = parser.parse_args()
    options.root = options.root.resolve()
    return options


def files(root, *suffixes):
    """Paths, relative to `root`, of what is or would be committed, in order."""
    listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root,
                             capture_output=True, check=False)
    if listing.returncode == 0 and (root / ".git").exists():
        names = [name for name in listing.stdout.decode().split("\0") if name]
    else:
        names = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
    return sorted(name for name in names
                  if (not suffixes or name.endswith(suffixes)) and (root / name).is_file())


def text_of(root, name):
    """The text of a file, or None where it is binary."""
    try:
        return (root / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def report(complaints):
    """Prints every complaint and ends the program."""
    found = list(complaints)
    for complaint in found:
        print(complaint)
    if found:
        print(f"{len(found)} complaint{'s' if len(found) > 1 else ''}", file=sys.stderr)
    sys.exit(bool(found))
