"""Fetches a version: several ranges at once, which are verified before the directory appears."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .._ground.errors import IntegrityError, LosslessError
from .._ground.warning import say, warn
from .calls import ArtifactCalls
from .checksums import checksums_in
from .file_names import check_target_names, clashing_names
from .prepared_files import CHUNK_BYTES
from .restore_directory import RestoreDirectory
from .stored_files import StoredFiles, mismatch
from .stores import in_parallel

_RANGE_BYTES = 16 * 2**20


@dataclasses.dataclass(frozen=True)
class LoadedVersion:
    artifact: str
    version: str
    committed: str
    directory: Path
    files: int
    bytes: int
    # The meta as given by the writer, including checksums.
    meta: Mapping[str, Any]
    # Whether every file was verified; False: a checksum was missing, or verification was off.
    verified: bool
    # Whether an earlier restore was resumed.
    resumed: bool


@dataclasses.dataclass(frozen=True)
class _Range:
    file: int
    number: int
    start: int
    length: int


class Restore:
    def __init__(
        self,
        calls: ArtifactCalls,
        artifact: str,
        version: str,
        directory: Path,
        replace: bool,
        verify: bool,
        place: Mapping[str, str],
        parallel: int,
        range_bytes: int = _RANGE_BYTES,
    ) -> None:
        self._calls = calls
        self._artifact = artifact
        self._version = version
        self._directory = RestoreDirectory(directory)
        self._replace = replace
        self._verify = verify
        self._place = place
        self._parallel = parallel
        self._range_bytes = range_bytes
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> LoadedVersion:
        try:
            self._directory.put_back()
        except OSError as error:
            raise self._unwritable(error) from error
        self._directory.check_target(self._replace)
        self._stored = StoredFiles(self._calls, self._artifact, self._version, self._place, self._stop)
        record = self._record = self._stored.record
        self._files = record["files"]
        check_target_names([file["name"] for file in self._files])
        try:
            wanted, sums = self._checksums()
            self._directory.begin(self._pin(), [self._range_count(file["size"]) for file in self._files])
            resumed = self._directory.has_any
            missing = self._missing(wanted, sums)
            self._check_room(wanted, missing)
            try:
                self._fetch(wanted, missing, sums)
            except KeyboardInterrupt:
                say(f"lossless: {self._artifact} was not restored completely; run it again to resume")
                raise
            self._directory.finish(self._replace)
        except OSError as error:
            raise self._unwritable(error) from error
        except IntegrityError:
            raise
        except BaseException:
            # The next restore resumes it.
            if self._directory.has_any:
                self._directory.keep()
            raise
        finally:
            self._directory.discard()
            self._stored.close()
        return LoadedVersion(
            self._artifact,
            record["version"],
            record["committed"],
            self._directory.target,
            len(wanted),
            sum(self._files[file]["size"] for file in wanted),
            record["meta"],
            all(self._files[file]["name"] in sums for file in wanted),
            resumed,
        )

    def _unwritable(self, error: OSError) -> LosslessError:
        return LosslessError(f"cannot write below {self._directory.target.parent}: {error}")

    def _pin(self) -> str:
        """
        Identifies the version and its files: fetched ranges are reused only if all of it is equal.
        """
        record = self._record
        files = [[file["name"], file["size"]] for file in self._files]
        what = [record["artifact"], record["version"], record["committed"], record["meta"], files, self._range_bytes]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode("ascii")).hexdigest()

    def _checksums(self) -> tuple[list[int], Mapping[str, str]]:
        """
        Returns the indices of the files to write, without the list of checksums; and the checksums
        by name.
        """
        found = checksums_in(self._record)
        names = [file["name"] for file in self._files]
        listed = names.index(found.list_name) if found.list_name in names else None
        wanted = [file for file in range(len(names)) if file != listed]
        if not self._verify:
            return wanted, {}
        sums = self._stored.checksums()
        missing = sum(names[file] not in sums for file in wanted)
        if missing:
            which = "this version" if missing == len(wanted) else f"{missing} of its files"
            what = f"{self._artifact} {self._record['version']}"
            warn(f"checksums {what}", f"{what}: there are no checksums of {which}: there only sizes are checked")
        return wanted, sums

    def _missing(self, wanted: list[int], sums: Mapping[str, str]) -> list[_Range]:
        """
        Lists the ranges to fetch. Ranges fetched earlier count only if a checksum verifies them in
        the end.
        """
        return [
            range
            for file in wanted
            for range in self._ranges(file)
            if not (self._files[file]["name"] in sums and self._directory.has(file, range.number))
        ]

    def _check_room(self, wanted: list[int], missing: list[_Range]) -> None:
        clash = clashing_names(self._files[file]["name"] for file in wanted)
        if clash is not None and self._directory.ignores_case():
            raise LosslessError(f"{clash[0]} and {clash[1]} are the same name on this file system")
        needed = sum(range.length for range in missing)
        free = self._directory.free_bytes()
        if free < needed:
            raise LosslessError(f"{needed} bytes are needed and {free} are free beside {self._directory.target}")

    def _fetch(self, wanted: list[int], missing: list[_Range], sums: Mapping[str, str]) -> None:
        left = dict.fromkeys(wanted, 0)
        for range in missing:
            left[range.file] += 1
        # Files without missing ranges, such as empty ones, still have to be finished.
        whole: list[_Range | int] = [file for file in wanted if left[file] == 0]

        def work(item: _Range | int) -> None:
            if isinstance(item, _Range):
                self._fetch_range(item)
                with self._lock:
                    left[item.file] -= 1
                    if left[item.file] > 0:
                        return
            file = item.file if isinstance(item, _Range) else item
            self._finish_file(file, sums.get(self._files[file]["name"]))

        in_parallel(self._parallel, [*whole, *missing], work, self._stop, self._stored.close)

    def _range_count(self, size: int) -> int:
        return -(-size // self._range_bytes)

    def _ranges(self, file: int) -> Iterator[_Range]:
        size = self._files[file]["size"]
        for number in range(self._range_count(size)):
            start = number * self._range_bytes
            yield _Range(file, number, start, min(self._range_bytes, size - start))

    def _fetch_range(self, range: _Range) -> None:
        descriptor = self._directory.open_file(self._files[range.file]["name"])
        with os.fdopen(descriptor, "r+b", buffering=0) as file:

            def take(chunk: bytes, position: int) -> None:
                file.seek(position)
                rest = memoryview(chunk)
                while rest:
                    rest = rest[file.write(rest) :]

            self._stored.receive(range.file, range.start, range.length, take)
        with self._lock:
            self._directory.arrived(range.file, range.number)

    def _finish_file(self, file: int, expected: str | None) -> None:
        """Verifies a file and puts it on stable storage; a wrong one is fetched once more."""
        name, size = self._files[file]["name"], self._files[file]["size"]
        tries = 1
        while True:
            with os.fdopen(self._directory.open_file(name), "r+b", buffering=0) as content:
                content.truncate(size)
                os.fsync(content.fileno())
                actual = expected if expected is None else self._sha256_of(content)
            if actual == expected:
                return
            with self._lock:
                self._directory.forget(file)
            if tries == 2:
                raise mismatch(name, str(expected), str(actual))
            tries += 1
            for range in self._ranges(file):
                self._fetch_range(range)

    def _sha256_of(self, content: Any) -> str:
        digest = hashlib.sha256()
        while chunk := content.read(CHUNK_BYTES):
            if self._stop.is_set():
                raise LosslessError("the restore has stopped")
            digest.update(chunk)
        return digest.hexdigest()
