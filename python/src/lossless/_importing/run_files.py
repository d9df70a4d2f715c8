"""
Media, files and artifacts of a run, each version stored once.

The meta of a version has, under `imported`, what it is made of. An import that is repeated, also
after it died between a version and its annotations, finds the version by that and stores no other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._artifacts.checksums import sha256_of
from .._artifacts.file_names import file_name_problem
from .._ground.settings import Settings
from .._ground.wire_numbers import FILES_PER_VERSION_MAX
from .._sending.stored_version import stored_version
from .._service.service import Service
from .source import LeftOut, StoredFile
from .stored_run import stored_versions

_KEY = "imported"


class RunFiles:
    def __init__(self, service: Service, settings: Settings, until_done: Callable[[Callable[[], None]], None]) -> None:
        self._service = service
        self._settings = settings
        self._until_done = until_done
        # Versions of each artifact, by what they are made of.
        self._known: dict[str, dict[str, str]] = {}

    def store(
        self, artifact: str, imported: str, meta: dict[str, Any], files: Sequence[tuple[Path | bytes, str]]
    ) -> tuple[str, bool]:
        """Returns the name of the version, and whether it is new."""
        known = self.versions(artifact)
        if imported in known:
            return known[imported], False

        def attempt() -> None:
            # After a lost reply it may be there.
            self._known.pop(artifact, None)
            found = self._read(artifact).get(imported)
            if found is None:
                found = stored_version(self._settings, artifact, {**meta, _KEY: imported}, files)
            known[imported] = found

        self._until_done(attempt)
        self._known[artifact] = known
        return known[imported], True

    def versions(self, artifact: str) -> dict[str, str]:
        if artifact not in self._known:
            self._until_done(lambda: self._known.update({artifact: self._read(artifact)}))
        return self._known[artifact]

    def _read(self, artifact: str) -> dict[str, str]:
        return {
            str(each["meta"][_KEY]): str(each["version"])
            for each in stored_versions(self._service, artifact)
            if _KEY in each["meta"]
        }


def made_of(parts: Sequence[str]) -> str:
    """Returns a digest of what a version is made of."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:32]


def digest_of_files(files: Sequence[StoredFile]) -> str:
    """Returns a digest of names and contents. Raises OSError."""
    parts: list[str] = []
    for each in sorted(files, key=lambda file: file.name):
        parts += [each.name, sha256_of(each.path)]
    return made_of(parts)


def fitting(files: Sequence[StoredFile]) -> tuple[list[StoredFile], list[LeftOut]]:
    """Returns the files that a version takes, and why the others are left out."""
    kept: list[StoredFile] = []
    left_out: list[LeftOut] = []
    for each in files:
        problem = _problem_of(each)
        if problem is None and len(kept) == FILES_PER_VERSION_MAX:
            problem = f"a version has at most {FILES_PER_VERSION_MAX} files"
        if problem is None:
            kept.append(each)
        else:
            left_out.append(LeftOut(f"file {each.name}", problem))
    return kept, left_out


def _problem_of(file: StoredFile) -> str | None:
    if not file.path.is_file():
        return "it is no file, or a link to nothing"
    problem = file_name_problem(file.name)
    return None if problem is None else f"its name {problem}"
