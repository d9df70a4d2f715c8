"""Where recordings wait that were told another directory than the usual one, so that `lossless sync` finds them."""

from __future__ import annotations

import os
from pathlib import Path

from .._ground.ownership import NotOurs, read_own
from .._ground.settings import Settings, check_fallback, default_spool, fallback_path

_ROOTS_MAX = 1_000


def remember(root: Path) -> None:
    """Of `init(dir=…)`. Best effort: the printed command names the directory too."""
    root = root.absolute()
    if root in known():
        return
    try:
        path = _list()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "ab") as file:
            file.write(os.fsencode(root) + b"\n")
    except (OSError, ValueError):
        # A name that is no text, or nowhere to write.
        pass


def known() -> list[Path]:
    """
    The usual one first, then the one for when that cannot be written, then what `init` was told; each once. None that
    another user has put below the directory for temporary files, under the name that everybody knows: see `foreign`.
    """
    try:
        # Bytes, as the system has them: in another locale, too, it is the same directory.
        lines = [os.fsdecode(line) for line in read_own(_list()).splitlines()[-_ROOTS_MAX:]]
    except (OSError, ValueError):
        lines = []
    return list(dict.fromkeys([*_usual(), *_fallback(), *(Path(line) for line in lines if line)]))


def foreign() -> NotOurs | None:
    """Says that somebody else has made the directory where recordings wait when the usual one cannot be written."""
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
    roots = (root.resolve() for root in [settings.spool, *known()])
    return directory.resolve() in roots


def _list() -> Path:
    return default_spool().parent / "spools"
