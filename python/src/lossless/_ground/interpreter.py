"""The running Python: whether it can start a sender, and the name by which the user calls it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

# Names of Python programs, including those bundled with applications.
_NAMES = re.compile(r"python|pypy|graalpy|mayapy|hython", re.IGNORECASE)


def runs_python() -> bool:
    """
    Whether `sys.executable` is Python; False: an application (PyInstaller's), an embedding program,
    or nothing.
    """
    return not getattr(sys, "frozen", False) and bool(_NAMES.search(os.path.basename(sys.executable or "")))


def sender_words(directory: Path) -> list[str]:
    """The command line of the process that sends a recording: it runs this very package."""
    package = Path(__file__).resolve().parent.parent
    code = (
        "import importlib.util, sys\n"
        f"sys.argv[1:] = [{str(directory)!r}]\n"
        "spec = importlib.util.spec_from_file_location('lossless', "
        f"{str(package / '__init__.py')!r})\n"
        "sys.modules['lossless'] = package = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(package)\n"
        "from lossless._sending.sender_process import main\n"
        "sys.exit(main())"
    )
    return [sys.executable, "-I", "-c", code]


def sync_command(directory: Path, url: str) -> str:
    """
    The command that sends leftover recordings, with their address: a key is not sent to an address
    that only a file names. Not `lossless sync`: on many a PATH that is the service's own, or
    missing.
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
        # If the program was removed meanwhile, only its name is left.
        with contextlib.suppress(OSError):
            if found is not None and _directory(found) == _directory(own) and os.path.samefile(found, own):
                return name
    return own


def _directory(program: str) -> str:
    return os.path.realpath(os.path.dirname(os.path.abspath(program)))
