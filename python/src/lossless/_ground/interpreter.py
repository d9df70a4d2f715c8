"""The Python that runs this process: whether it can run a sender too, and how the user calls it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

# The names of Python programs, those that applications bring along included.
_NAMES = re.compile(r"python|pypy|graalpy|mayapy|hython", re.IGNORECASE)


def runs_python() -> bool:
    """
    False: `sys.executable` is an application (PyInstaller's), an embedding program, or nothing.
    """
    return not getattr(sys, "frozen", False) and bool(_NAMES.search(os.path.basename(sys.executable or "")))


def sync_command(directory: Path, url: str) -> str:
    """
    What the user types to send what is left, and where to: a key goes to no address that only a
    file names. Not `lossless sync`: on many a PATH that is the service's own, or nothing.
    """
    directory_word, url_word = shlex.quote(str(directory)), shlex.quote(url)
    return f"{shlex.quote(_python())} -m lossless sync {directory_word} --url {url_word}"


def _python() -> str:
    """The shortest word that finds this very interpreter, an environment's or the system's."""
    own = sys.executable
    if not runs_python():
        return "python3"
    for name in ("python", "python3"):
        found = shutil.which(name)
        # When the program was removed meanwhile, its name is all there is.
        with contextlib.suppress(OSError):
            if found is not None and _directory(found) == _directory(own) and os.path.samefile(found, own):
                return name
    return own


def _directory(program: str) -> str:
    return os.path.realpath(os.path.dirname(os.path.abspath(program)))
