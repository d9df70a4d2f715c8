"""Commit, branch and remote from git's own files, for where git is missing, refuses or hangs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_FILE_BYTES_MAX = 2**24
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitFiles:
    """The repository that a directory is in, read without running anything. Raises OSError."""

    def __init__(self, root: Path, directory: Path) -> None:
        self.root = root
        self._own = directory
        # A worktree has its head, and shares the rest.
        shared = _text(directory / "commondir").strip()
        self._shared = directory / shared if shared else directory

    @classmethod
    def around(cls, directory: Path) -> GitFiles | None:
        try:
            for each in (directory.absolute(), *directory.absolute().parents):
                found = each / ".git"
                if found.is_file():
                    found = each / _text(found).partition("gitdir:")[2].strip()
                if (found / "HEAD").is_file():
                    return cls(each, found)
        except (OSError, ValueError):
            # A link to nowhere, or a directory that may not be read.
            pass
        return None

    def facts(self) -> dict[str, str]:
        head = _text(self._own / "HEAD").strip()
        name = head.partition("ref: ")[2]
        found = {
            "remote": self.remote(),
            "commit": self._commit(name) if name else head,
            "branch": name.removeprefix("refs/heads/"),
        }
        if not _COMMIT.fullmatch(found["commit"]):
            del found["commit"]
        return {key: value for key, value in found.items() if value}

    def remote(self) -> str:
        """Returns the address of `origin`, or of the first remote."""
        addresses: dict[str, str] = {}
        section = ""
        for line in _text(self._shared / "config").splitlines():
            line = line.strip()
            if line.startswith("["):
                section = line
            key, equals, value = line.partition("=")
            if section.startswith("[remote ") and equals and key.strip().lower() == "url":
                addresses.setdefault(section, value.strip().strip('"'))
        return addresses.get('[remote "origin"]', next(iter(addresses.values()), ""))

    def _commit(self, name: str) -> str:
        for directory in (self._own, self._shared):
            loose = _text(directory / name).strip()
            if loose:
                return loose
        return next(self._packed(name), "")

    def _packed(self, name: str) -> Iterator[str]:
        for line in _text(self._shared / "packed-refs").splitlines():
            commit, _, known = line.partition(" ")
            if known == name:
                yield commit


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_FILE_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return ""
