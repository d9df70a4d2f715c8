"""The result of `use_artifact`: an existing version."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._ground.errors import LosslessError, RequestRefused
from .._ground.fresh_word import fresh_word
from .artifact import Artifact
from .calls import ArtifactCalls, is_missing
from .checksums import Checksums, checksums_in, sha256_of
from .names import Found, aliases_of, label_of
from .restore import Restore
from .stored_files import StoredFiles
from .writer_place import place_of

if TYPE_CHECKING:
    from ..wire import VersionLineage

_PARALLEL = 8


class UsedArtifact(Artifact):
    """An artifact to read. `download` never removes anything from its directory."""

    def __init__(self, calls: ArtifactCalls, found: Found, aliases: list[str]) -> None:
        meta = found.record["meta"]
        super().__init__("used", meta.get("type", ""), meta.get("description"), meta.get("metadata"))
        # Other clients allow names that an artifact to log cannot have.
        self._name = found.artifact
        self._calls = calls
        self._saved = found
        self._found = found
        # The version's own name and label are no aliases.
        self.aliases = [each for each in aliases if each not in (found.version, label_of(found.version))]

    @property
    def size(self) -> int:
        return int(self._found.record["bytes"])

    def used_by(self) -> list[Any]:
        """Returns the runs that used it, the newest first, as `Api().run` does."""
        links = self._lineage()["users"]
        slugs = dict.fromkeys(str(each["node"].get("slug")) for each in links if each["node"]["state"] == "present")
        return [_api().run(slug) for slug in slugs]

    def logged_by(self) -> Any:
        """Returns the run that saved it; None: no recorded run did, or it was deleted."""
        maker = self._lineage()["maker"]
        return _api().run(str(maker["node"].get("slug"))) if maker and maker["node"]["state"] == "present" else None

    def _lineage(self) -> VersionLineage:
        return self._calls.lineage(self._found.artifact, self._found.version)

    def file(self, root: Any = None) -> str:
        """Downloads the only file of the artifact. Raises ValueError when it has several."""
        names = self._names()
        if len(names) != 1:
            raise ValueError(f"{self.name} has {len(names)} files: use download()")
        return os.path.join(self.download(root), names[0])

    def download(self, root: Any = None, *_args: Any, **_others: Any) -> str:
        """Downloads its files into a directory, by default artifacts/<name>:<version>."""
        label = f"{self._found.artifact.rpartition('/')[2]}:{label_of(self._found.version)}"
        label = label.replace(":", "-") if sys.platform == "win32" else label
        target = Path("artifacts", label) if root is None else Path(os.fspath(root))
        if not self._is_there(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                self._add_to(target)
            else:
                self._restore(target)
        return str(target)

    checkout = download

    def _restore(self, target: Path) -> None:
        Restore(
            self._calls, self._found.artifact, self._found.version, target, False, True, place_of(None), _PARALLEL
        ).run()

    def _add_to(self, target: Path) -> None:
        beside = target.parent / f"{target.name}.{fresh_word(6)}"
        try:
            self._restore(beside)
            for name in self._names():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(beside / name, target / name)
        except OSError as error:
            raise LosslessError(f"cannot write into {target}: {error}") from None
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def _is_there(self, target: Path) -> bool:
        """Whether the directory has every file, by checksum."""
        sums = self._sums_by_name() if target.is_dir() else {}
        with contextlib.suppress(OSError):
            for name, size in self._sizes():
                path = target / name
                if path.stat().st_size != size or name not in sums:
                    return False
                if sha256_of(path) != sums[name]:
                    return False
            return True
        return False

    def _checksums(self) -> Checksums:
        sums = checksums_in(self._found.record)
        missing = [name for name in self._names() if name not in sums.by_name]
        if missing and sums.list_name is None:
            raise LosslessError(f"{self.name} was saved without a checksum of {missing[0]}")
        return sums

    def _sums_by_name(self) -> Mapping[str, str]:
        """Returns the known checksums; those of many files are in the store, and fetched once."""
        if checksums_in(self._found.record).list_name is None:
            return checksums_in(self._found.record).by_name
        if not self._sums:
            stored = StoredFiles(self._calls, self._found.artifact, self._found.version, place_of(None))
            try:
                self._sums.update(stored.checksums())
            finally:
                stored.close()
        return self._sums

    def _sizes(self) -> Iterator[tuple[str, int]]:
        listed = checksums_in(self._found.record).list_name
        for file in self._found.record["files"]:
            if file["name"] != listed:
                yield str(file["name"]), int(file["size"])


def _api() -> Any:
    # Runs of W&B's names are made by the packages above this one.
    return import_module("lossless").Api()


def used_versions(calls: ArtifactCalls, reader: Any, named: list[tuple[str, str]]) -> list[UsedArtifact]:
    """Returns versions of artifacts with their aliases, without versions deleted since."""
    aliases: dict[str, dict[str, list[str]]] = {}
    versions = []
    for artifact, version in named:
        try:
            if artifact not in aliases:
                listed = reader.artifact(artifact, limit=1)
                aliases[artifact] = aliases_of(listed["aliases"])
                aliases[artifact].setdefault(str(listed["latest"]), []).append("latest")
            record = calls.read(artifact, version)
        except RequestRefused as error:
            if not is_missing(error):
                raise
            continue
        versions.append(UsedArtifact(calls, Found(artifact, version, record), aliases[artifact].get(version, [])))
    return versions
