"""The packages of a Python, and what manages them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from .._values.records import encode

_PACKAGES_BYTES_MAX = 24 * 2**10
_LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "pixi.lock", "conda-lock.yml", "Pipfile.lock", "requirements.txt")


def packages(path: Sequence[str]) -> dict[str, Any]:
    """Returns names and versions by the order of names, and how many are left out."""
    found: dict[str, str] = {}
    for each in metadata.distributions(path=list(path)):
        try:
            name, version = each.metadata["Name"], each.version
        except Exception:
            # A damaged installation has any fault.
            continue
        # The first one found is imported.
        if isinstance(name, str) and isinstance(version, str) and name:
            found.setdefault(name[:128], version[:64])
    kept: dict[str, str] = {}
    size = 0
    for name in sorted(found, key=str.lower):
        size += len(encode(name)) + len(encode(found[name])) + 2
        if size > _PACKAGES_BYTES_MAX:
            break
        kept[name] = found[name]
    left_out = len(found) - len(kept)
    return {"packages": kept, **({"packagesLeftOut": left_out} if left_out else {})}


def management(places: Sequence[str | None], root: Path | None) -> dict[str, str]:
    """Returns what made this interpreter's environment, and the nearest lock file."""
    found = {"manager": _manager()}
    for place in places:
        if place is None:
            continue
        for directory in _upwards(Path(place), root):
            for name in _LOCK_FILES:
                if (directory / name).is_file():
                    return {**found, "lockFile": name}
    return found


def _manager() -> str:
    if os.path.isdir(os.path.join(sys.prefix, "conda-meta")):
        return "pixi" if f"{os.sep}.pixi{os.sep}" in sys.prefix else "conda"
    try:
        lines = Path(sys.prefix, "pyvenv.cfg").read_text("utf-8", "replace").splitlines()
    except OSError:
        return "pip"
    return "uv" if any(line.partition("=")[0].strip() == "uv" for line in lines) else "pip"


def _upwards(directory: Path, root: Path | None) -> list[Path]:
    """Returns the directory and those above it, up to the root of the repository."""
    if root is None:
        return [directory]
    directory, root = directory.resolve(), root.resolve()
    above = [directory, *directory.parents]
    return above[: above.index(root) + 1] if root in above else [directory]
