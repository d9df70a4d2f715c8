"""Directories of recordings besides the usual one, so that `lossless sync` finds them."""

from __future__ import annotations

import os
from pathlib import Path

from .._ground.ownership import NotOurs, read_own
from .._ground.settings import Settings, check_fallback, default_spool, fallback_path

_ROOTS_MAX = 1_000


def remember(root: Path) -> None:
    """Remembers the directory of `init(dir=…)`, if possible: the printed command names it too."""
    root = root.absolute()
    if root in known():
        return
    try:
        path = _list()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "ab") as file:
            file.write(os.fsencode(root) + b"\n")
    except (OSError, ValueError):
        # The name is no text, or there is nowhere to write.
        pass


def known() -> list[Path]:
    """
    Returns directories where recordings may wait, each once: the usual one, the fallback for when
    that cannot be written, and those given to `init`. A directory that another user has planted
    below the one for temporary files, under the fallback's name, is left out: see `foreign`.
    """
    try:
        # Bytes, as the system has them: in another locale it is still the same directory.
        lines = [os.fsdecode(line) for line in read_own(_list()).splitlines()[-_ROOTS_MAX:]]
    except (OSError, ValueError):
        lines = []
    return list(dict.fromkeys([*_usual(), *_fallback(), *(Path(line) for line in lines if line)]))


def foreign() -> NotOurs | None:
    """Returns why recordings in the fallback directory are ignored: another user has made it."""
    try:
        check_fallback()
    except NotOurs as error:
        return error
    except OSError:
        pass
    return None


def _usual() -> list[Path]:
    try:
        return [default_spool()]
    except OSError:
        return []


def _fallback() -> list[Path]:
    try:
        check_fallback()
    except OSError:
        return []
    return [fallback_path()]


def is_root(directory: Path, settings: Settings) -> bool:
    """Whether recordings have waited there, as far as this machine knows."""
    roots = (root.resolve() for root in [settings.spool, *known()] if root is not None)
    return directory.resolve() in roots


def _list() -> Path:
    return default_spool().parent / "spools"
