"""`lossless run`: a script or module whose `import wandb` this package answers."""

from __future__ import annotations

import importlib.machinery
import os
import runpy
import sys
import types
from collections.abc import Sequence

from .._ground.errors import LosslessError
from .._recording.init import init
from .._wandb.door import as_wandb

_USAGE = """\
usage: lossless run [--slug SLUG] FILE [ARGUMENT ...]
       lossless run [--slug SLUG] -m MODULE [ARGUMENT ...]

Runs a Python script or module as python does. What imports wandb in it, and in the processes that it
starts, records with Lossless, whether W&B's own package is installed or not. --slug records a
program that opens no run itself: what it prints, its source, environment and end are that run's.
Options of Python come before: python -u -m lossless run train.py
"""


def run_program(words: Sequence[str]) -> int:
    """Runs it in this process. Whatever it raises, SystemExit included, goes to the caller."""
    if words and words[0] in ("-h", "--help"):
        print(_USAGE, end="")
        return 0
    slug = words[1] if words[:1] == ["--slug"] and len(words) > 1 else None
    if slug is not None:
        words = words[2:]
    if not words or (words[0].startswith("-") and (words[0] != "-m" or len(words) == 1)):
        print(_USAGE, end="", file=sys.stderr)
        return 2
    if words[0] != "-m" and not os.path.exists(words[0]):
        print(f"lossless: there is no file {words[0]}; a module is run by lossless run -m {words[0]}", file=sys.stderr)
        return 2
    try:
        as_wandb()
    except LosslessError as error:
        print(f"lossless: {error}", file=sys.stderr)
        return 1
    # It stays until the process ends, as any program's does: recordings that it holds end there.
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    if words[0] == "-m":
        _run_module(words[1], list(words[1:]), slug)
    elif _is_source(words[0]):
        _run_file(main, words[0], list(words), slug)
    else:
        _run_directory(words[0], list(words), slug)
    return 0


def _run_module(name: str, arguments: list[str], slug: str | None) -> None:
    sys.argv = arguments
    _set_first_path(os.getcwd())
    _record(slug)
    _as_main(name, True)


def _run_directory(path: str, arguments: list[str], slug: str | None) -> None:
    """Runs the `__main__.py` of a directory or an archive."""
    sys.argv = arguments
    _set_first_path(os.path.abspath(path))
    _record(slug)
    _as_main("__main__", False)


def _run_file(main: types.ModuleType, path: str, arguments: list[str], slug: str | None) -> None:
    sys.argv = arguments
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __loader__=loader, __cached__=None)
    _record(slug)
    exec(compile(loader.get_data(path), path, "exec", dont_inherit=True), main.__dict__)


def _record(slug: str | None) -> None:
    """Begins the run of a program that opens none. A second `init` without a name returns it."""
    if slug is None:
        return
    try:
        init(slug=slug)
    except LosslessError as error:
        print(f"lossless: {error}", file=sys.stderr)
        raise SystemExit(1) from None


def _as_main(name: str, names_itself: bool) -> None:
    """Does what the interpreter does for `python -m`; there is no public function for it."""
    getattr(runpy, "_run_module_as_main")(name, names_itself)  # noqa: B009


def _set_first_path(path: str) -> None:
    """Replaces the place of this command, which Python has put there; with -P there is none."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = path


def _is_source(path: str) -> bool:
    if os.path.isdir(path):
        return False
    with open(path, "rb") as file:
        return file.read(2) != b"PK"
