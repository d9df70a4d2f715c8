"""Where recordings wait that were told another directory than the usual one, so that `lossless sync` finds them."""

from __future__ import annotations

import os
from pathlib import Path

from ._settings import Settings, default_spool, fallback_path

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
    """The usual one first, then the one for when that cannot be written, then what `init` was told; each once."""
    try:
        # Bytes, as the system has them: in another locale, too, it is the same directory.
        lines = [os.fsdecode(line) for line in _list().read_bytes().splitlines()[-_ROOTS_MAX:]]
    except (OSError, ValueError):
        lines = []
    return list(dict.fromkeys([default_spool(), fallback_path(), *(Path(line) for line in lines if line)]))


def is_root(directory: Path, settings: Settings) -> bool:
    """Whether recordings have waited there, as far as this machine knows."""
    roots = (root.resolve() for root in [settings.spool, *known()])
    return directory.resolve() in roots


def _list() -> Path:
    return default_spool().parent / "spools"
