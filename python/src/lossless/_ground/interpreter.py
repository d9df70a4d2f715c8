"""The Python that runs this process: whether it can run a sender too, and how the user calls it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

# Also those that applications bring along.
_NAMES = re.compile(r"python|pypy|graalpy|mayapy|hython", re.IGNORECASE)


def runs_python() -> bool:
    """False: `sys.executable` is an application (PyInstaller and the like), an embedding program, or nothing."""
    return not getattr(sys, "frozen", False) and bool(
        _NAMES.search(os.path.basename(sys.executable or ""))
    )


def sync_command(directory: Path, url: str) -> str:
    """
    What the user types to send what is left, and where to: a key goes to no address that only a file names. Not `lossless sync`: on many a PATH that is the service's own command
    line, or nothing.
    """
    return f"{shlex.quote(_python())} -m lossless sync {shlex.quote(str(directory))} --url {shlex.quote(url)}"


def _python() -> str:
    """As short as it finds this very interpreter: an environment's is a link to the one of the system."""
    own = sys.executable
    if not runs_python():
        return "python3"
    for name in ("python", "python3"):
        found = shutil.which(name)
        # Of a program that was removed meanwhile the name is all there is.
        with contextlib.suppress(OSError):
            if (
                found is not None
                and _directory(found) == _directory(own)
                and os.path.samefile(found, own)
            ):
                return name
    return own


def _directory(program: str) -> str:
    return os.path.realpath(os.path.dirname(os.path.abspath(program)))
