"""Runs a command within limits of time and memory, which sanitized programs get more of."""

import os
import resource
import subprocess

SANITIZED = bool(os.environ.get("HONE_SANITIZE"))


def run(command, seconds, megabytes=8192):
    """The completed process; raises subprocess.TimeoutExpired after so many seconds."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # A sanitizer reserves terabytes of addresses; it limits memory itself.
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2)

    return subprocess.run(command, capture_output=True, timeout=seconds * (4 if SANITIZED else 1),
                          preexec_fn=limit, check=False)
