"""A run in a zip file, or in the directory that became one."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .kept_files import KeptFiles

_DONE = ".unpacked"
_TEXT_BYTES_MAX = 64 * 2**20


class Archive:
    def __init__(self, path: Path, kept: KeptFiles) -> None:
        self.path = path
        self._kept = kept
        # Damages of the last unpacking.
        self.problems: list[str] = []

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def root(self) -> Path:
        """Returns the directory with the content; unpacks it. Raises LosslessError."""
        if self.path.is_dir():
            return self.path
        root = self._kept.of(str(self.path)) / "content"
        if not (root.parent / _DONE).exists():
            self.problems = []
            root.mkdir(exist_ok=True)
            try:
                with zipfile.ZipFile(self.path) as file:
                    needed, free = sum(each.file_size for each in file.infolist()), shutil.disk_usage(root).free
                    if needed > free:
                        raise LosslessError(
                            f"{self.path} needs {needed:,} bytes when it is unpacked, and {root.parent.parent} has "
                            f"{free:,}: TMPDIR names another place"
                        )
                    for member in file.infolist():
                        self._unpack(file, member, root)
            except LosslessError:
                raise
            except Exception as error:
                # Numbers and names of a damaged directory may mean anything.
                raise LosslessError(f"{self.path} is no whole zip file: {_told(error)}") from None
            (root.parent / _DONE).touch()
        return root

    def text(self, name: str) -> str:
        """Returns a text of at most 64 MiB in it. Raises LosslessError and OSError."""
        if self.path.is_dir():
            with open(self.path / name, "rb") as file:
                content = file.read(_TEXT_BYTES_MAX + 1)
        else:
            try:
                # The rest is not unpacked, and of the text no more than fits.
                with zipfile.ZipFile(self.path) as archive, archive.open(name) as member:
                    content = member.read(_TEXT_BYTES_MAX + 1)
            except Exception as error:
                raise LosslessError(f"{self.path} is no whole zip file: {_told(error)}") from None
        if len(content) > _TEXT_BYTES_MAX:
            raise LosslessError(f"{name} in {self.path} has more than {_TEXT_BYTES_MAX // 2**20} MiB")
        return content.decode("utf-8", "replace")

    def mapping(self, name: str) -> dict[str, Any]:
        """Returns the JSON object in a text of it; an empty one where none can be read."""
        try:
            content = json.loads(self.text(name))
        except (OSError, ValueError, LosslessError):
            return {}
        return content if isinstance(content, dict) else {}

    def kept(self) -> Path:
        """Returns a directory for files that are made of the content."""
        return self._kept.of(str(self.path))

    def _unpack(self, file: zipfile.ZipFile, member: zipfile.ZipInfo, root: Path) -> None:
        try:
            # Names that lead out of the directory lead into it then.
            file.extract(member, root)
        except Exception as error:
            # Also those of the libraries that unpack it; the other members are read.
            self.problems.append(f"damaged: {member.filename} in {self.path}: {_told(error)}")


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


def has_member(path: Path, names: tuple[str, ...]) -> bool:
    """Whether the directory, or the zip file if it can be read, has all these files at its top."""
    if path.is_dir():
        return all((path / name).is_file() for name in names)
    try:
        with zipfile.ZipFile(path) as file:
            return set(names) <= set(file.namelist())
    except Exception:
        # Told when it is read: it is one of those that were named.
        return True


def archives_in(roots: list[Path], kept: KeptFiles, names: tuple[str, ...]) -> list[Archive]:
    """Returns the archives at and below the roots; a directory beside its zip file is left out."""
    found: dict[str, Path] = {}
    for root in roots:
        if not root.exists():
            raise LosslessError(f"there is no file or directory {root}")
        if root.is_file() or has_member(root, names):
            found[str(root.resolve())] = root
            continue
        for path in sorted(root.rglob("*.zip")):
            if has_member(path, names):
                found[str(path.resolve())] = path
        for path in sorted(root.rglob(names[0])):
            directory = path.parent
            if has_member(directory, names) and str(directory.resolve()) + ".zip" not in found:
                found[str(directory.resolve())] = directory
    return [Archive(path, kept) for path in found.values()]
