"""Versioned artifacts: saving files as a version, and restoring a version into a directory."""

from __future__ import annotations

import dataclasses
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._ground.errors import FileChanged, LosslessError, RequestRefused, SettingsError, Superseded
from .._ground.settings import settings_of
from .._ground.warning import warn
from .._ground.wire_numbers import VERSION_NAME_CHARACTERS_MAX
from .._service.client import Client
from .._values.config import jsonable
from .._values.values import step_of
from .calls import ArtifactCalls
from .checksums import with_checksums
from .names import version_meant
from .prepared_files import PreparedFile, file_state, files_in, prepared
from .stores import in_parallel
from .upload import Uploaded, VersionUpload
from .upload_record import UploadRecord, other_process
from .writer_place import place_of

if TYPE_CHECKING:
    from .restore import LoadedVersion

# Enough for a million steps a second over eleven days; the width must never change.
_VERSION_DIGITS = 12
PARALLEL = 8
_FILES_READ_AT_ONCE = 2
# Codes after which the upload can never become a version, however often it is retried.
_FINAL_CODES = ("bad_request", "not_found", "conflict", "not_after_latest")


@dataclasses.dataclass(frozen=True)
class SavedVersion:
    artifact: str
    version: str
    committed: str
    # Number of files given, without an added list of checksums.
    files: int
    bytes: int
    # {id, cloud, region} of the location that took it; None: an earlier process sent all of it.
    location: Mapping[str, Any] | None
    # Why no better location was used.
    warning: str | None
    # Whether an earlier save was resumed.
    resumed: bool


class ArtifactWriter:
    """
    The only writer of an artifact until another client opens it: from then on `save` always raises
    Superseded, and this writer must stop. One save at a time; others wait.
    """

    def __init__(
        self,
        calls: ArtifactCalls,
        url: str,
        artifact: str,
        epoch: int,
        latest: Mapping[str, Any] | None,
        place: Mapping[str, str],
        parallel: int = PARALLEL,
    ) -> None:
        self._calls = calls
        self._url = url
        self.artifact = artifact
        self.epoch = epoch
        # The version record at opening, in mode fork the source's; None: there was none.
        self.latest = latest
        self._latest_name: str | None = None if latest is None else str(latest["version"])
        self._place = place
        self._parallel = parallel
        self._lock = threading.Lock()

    def save(
        self,
        path: str | os.PathLike[str],
        version: str | int | None = None,
        *,
        step: int | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> SavedVersion:
        """
        Saves a file, or a directory with everything below it, as a version. Without a name the
        version is numbered one above the latest, or `step` in 12 digits.

        Raises Superseded, FileChanged, StoreFailed, RequestRefused (`not_after_latest`,
        `not_ready`, …), ConnectionFailed. Repeating an interrupted save resumes it, also in another
        process.
        """
        with self._lock:
            name = version_name(version, step)
            saving = _Saving(self._calls, self._url, self.artifact, Path(path), name, meta, False)
            state = saving.state()
            if state is not None and state["epoch"] != self.epoch:
                state = None
            return saving.run(self, state)

    def save_checkpoint(
        self, calls: ArtifactCalls, path: Path, step: int | None, meta: Mapping[str, Any]
    ) -> tuple[SavedVersion, str | None]:
        """
        Saves with `calls`, which have other retries. A step that is not after the latest version,
        since the training went back, gets the number above that; its name is returned then.
        """
        with self._lock:
            saving = _Saving(calls, self._url, self.artifact, path, version_name(None, step), meta, False, False)
            try:
                return saving.run(self, None), None
            except RequestRefused as error:
                if error.code != "not_after_latest":
                    raise
            latest = self._latest_name = str(calls.latest(self.artifact)["version"])
            saving.version = None
            return saving.run(self, None), latest

    def write_state(self, saving: _Saving, files: list[PreparedFile], state: Mapping[str, Any] | None) -> Uploaded:
        """Sends a new upload, or the rest of one, for `_Saving`."""
        meta, all_files = with_checksums(saving.meta, files)
        version = saving.version if state is None else str(state["version"])
        if version is None:
            version = next_version(self._latest_name)
        upload = VersionUpload(
            saving.calls,
            self.artifact,
            version,
            self.epoch,
            self._place,
            all_files,
            meta,
            self._parallel,
            saving.record,
        )
        done = upload.run() if state is None else upload.resume(state)
        self._latest_name = done.version
        return done


def open_artifact(
    name: str,
    mode: str = "auto",
    *,
    source: str | None = None,
    place: Mapping[str, str] | None = None,
    parallel: int = PARALLEL,
    url: str | None = None,
    api_key: str | None = None,
) -> ArtifactWriter:
    """
    Opens an artifact and returns its only writer; earlier writers get Superseded. `mode`: "latest"
    (there are versions), "new" (there are none), "auto" (whichever fits), "fork" (none; begin after
    those of `source`).
    """
    return opened(_client(url, api_key), name, mode, source, place_of(place), parallel)


def save_artifact(
    path: str | os.PathLike[str],
    name: str,
    version: str | int | None = None,
    *,
    step: int | None = None,
    meta: Mapping[str, Any] | None = None,
    take_over: bool = False,
    place: Mapping[str, str] | None = None,
    parallel: int = PARALLEL,
    url: str | None = None,
    api_key: str | None = None,
) -> SavedVersion:
    """
    Saves a file or a directory as a version of the artifact `name`, which is its whole path: see
    ArtifactWriter.save. An interrupted save of the same files is resumed, unless another client has
    opened the artifact since: then Superseded is raised, and `take_over=True` starts anew.
    """
    return save(_client(url, api_key), path, name, version, step, meta, take_over, place=place, parallel=parallel)[0]


def load_artifact(
    name: str,
    directory: str | os.PathLike[str],
    version: str | int = "latest",
    *,
    replace: bool = False,
    verify: bool = True,
    place: Mapping[str, str] | None = None,
    parallel: int = PARALLEL,
    url: str | None = None,
    api_key: str | None = None,
) -> LoadedVersion:
    """
    Restores a version: fetches its files in ranges, several at once, checks sizes and SHA-256, and
    then makes `directory` appear as a whole. A non-empty directory is refused, or replaced as a
    whole. A number as `version` has 12 digits, as `save_artifact` counts; a text that is no
    version's name may be an alias (`@best` or `best`), or `v3`, as in W&B's scripts.

    Raises IntegrityError, StoreFailed, RequestRefused (`not_found`), ConnectionFailed.
    """
    from .restore import Restore

    calls = ArtifactCalls(_client(url, api_key))

    def restored(chosen: str) -> LoadedVersion:
        return Restore(calls, name, chosen, Path(directory), replace, verify, place_of(place), parallel).run()

    try:
        try:
            return restored(version_name(version, None) or "latest")
        except RequestRefused as error:
            other = version_meant(calls, name, version) if error.status == 404 and isinstance(version, str) else None
            if other is None:
                raise
            return restored(other)
    except KeyboardInterrupt as error:
        # The traceback of the interruption does not help: the message says what to do.
        raise error.with_traceback(None) from None


def save(
    client: Client,
    path: str | os.PathLike[str],
    artifact: str,
    version: str | int | None,
    step: int | None,
    meta: Mapping[str, Any] | None,
    take_over: bool,
    *,
    place: Mapping[str, str] | None = None,
    parallel: int = PARALLEL,
) -> tuple[SavedVersion, ArtifactWriter]:
    """Saves, and returns also the writer, which may continue."""
    calls, own_place, url = ArtifactCalls(client), place_of(place), client.settings.url
    chosen = version_name(version, step)
    saving = _Saving(calls, url, artifact, Path(path), chosen, meta, take_over)
    state = saving.state()
    if state is not None:
        # The artifact is not opened again: a forgotten save must not take it from a newer writer.
        writer = ArtifactWriter(calls, url, artifact, int(state["epoch"]), None, own_place, parallel)
    else:
        # Errors in files or meta are raised before another writer is superseded.
        saving.read()
        writer = opened(client, artifact, "auto", None, own_place, parallel)
    return saving.run(writer, state), writer


class _Saving:
    """One save, with its record."""

    def __init__(
        self,
        calls: ArtifactCalls,
        url: str,
        artifact: str,
        path: Path,
        version: str | None,
        meta: Mapping[str, Any] | None,
        take_over: bool,
        # False for a file that will be gone in the next process.
        is_remembered: bool = True,
    ) -> None:
        self.calls = calls
        self.artifact = artifact
        self.version = version
        self.meta: dict[str, Any] = jsonable(meta or {})
        self._path = path
        self._take_over = take_over
        self._found, omissions = files_in(path)
        self._files: list[PreparedFile] | None = None
        for omission in omissions:
            warn(f"omission {omission}", omission)
        self.record: UploadRecord | None = None
        if is_remembered:
            # The command line's record has the same identity.
            self.record = UploadRecord([url, calls.organization(), artifact, os.path.realpath(path)])

    def state(self) -> Mapping[str, Any] | None:
        """Returns the state left by an earlier save of the same, if the files are unchanged."""
        state = None if self.record is None or self._take_over else self.record.load()
        if state is None:
            return None
        other = other_process(state)
        if other is not None:
            raise LosslessError(
                f"process {other} is already saving {self._path} to {self.artifact}; "
                "take_over=True starts over all the same"
            )
        try:
            self._files = self._unchanged(state)
        except (KeyError, TypeError, IndexError):
            self._files = None
        return None if self._files is None else state

    def read(self) -> list[PreparedFile]:
        """Reads every file once for its checksums, except those read before."""
        if self._files is None:
            files: dict[str, PreparedFile] = {}
            stop = threading.Event()

            def read_one(found: tuple[str, Path]) -> None:
                files[found[0]] = prepared(*found, stop=stop)

            in_parallel(_FILES_READ_AT_ONCE, self._found, read_one, stop, lambda: None)
            self._files = [files[name] for name, _ in self._found]
            with_checksums(self.meta, self._files)
        return self._files

    def run(self, writer: ArtifactWriter, state: Mapping[str, Any] | None) -> SavedVersion:
        files = self.read()
        try:
            done = writer.write_state(self, files, state)
        except BaseException as error:
            is_final = isinstance(error, FileChanged) or getattr(error, "code", None) in _FINAL_CODES
            if self.record is not None:
                self.record.remove() if is_final else self.record.release()
            if isinstance(error, Superseded):
                raise _stop(error, self.artifact, writer.epoch) from None
            raise
        if self.record is not None:
            self.record.remove()
        size = sum(file.size for file in files)
        location = None if done.placement is None else done.placement["location"]
        return SavedVersion(
            self.artifact, done.version, done.committed, len(files), size, location, done.warning, state is not None
        )

    def _unchanged(self, state: Mapping[str, Any]) -> list[PreparedFile] | None:
        if self.version not in (None, state["version"]) or len(state["files"]) != len(self._found):
            return None
        files = []
        for (name, path), known in zip(self._found, state["files"]):
            if (name, *file_state(path)) != (known["name"], known["size"], known["modified"]):
                return None
            files.append(PreparedFile(name, known["size"], known["modified"], known["sha256"], known["crc32"], path))
        return files if with_checksums(self.meta, files)[0] == state["meta"] else None


def opened(
    client: Client, artifact: str, mode: str, source: str | None, place: Mapping[str, str], parallel: int = PARALLEL
) -> ArtifactWriter:
    if mode not in ("auto", "latest", "new", "fork"):
        raise SettingsError(f"mode must be auto, latest, new or fork, not {mode!r}")
    calls = ArtifactCalls(client)
    way = ("fork" if source is not None else "latest") if mode == "auto" else mode
    tries = 1
    while True:
        try:
            reply = calls.open(artifact, way, place, source)
            return ArtifactWriter(
                calls, client.settings.url, artifact, int(reply["epoch"]), reply["version"], place, parallel
            )
        except RequestRefused as error:
            # Another client may commit the first version between the two calls.
            is_other = mode == "auto" and source is None and error.code in ("not_found", "not_empty")
            if not is_other or tries == 4:
                raise
        tries += 1
        way = "latest" if tries % 2 == 1 else "new"


def next_version(latest: str | None) -> str:
    """
    Returns the next number, zero-padded: versions are ordered by name, and `10` sorts before `9`.
    """
    if latest is None:
        return "1".zfill(_VERSION_DIGITS)
    if not re.fullmatch(r"[0-9]+", latest):
        raise LosslessError(f"the latest version is {latest}, which is not a number; name the new one")
    following = str(int(latest) + 1).zfill(len(latest))
    if len(following) != len(latest):
        raise LosslessError(f"the latest version is {latest}, and {following} would come before it; name the new one")
    return following


def version_name(version: str | int | None, step: int | None) -> str | None:
    """Returns a version's name: a step or number is zero-padded. None: the next number."""
    if version is None:
        return None if step is None else _numbered(step, f"step {step}")
    if not isinstance(version, str):
        return _numbered(version, f"version {version!r}")
    if not 1 <= len(version) <= VERSION_NAME_CHARACTERS_MAX:
        raise SettingsError(f"the name of a version has 1 to {VERSION_NAME_CHARACTERS_MAX} characters")
    return version


def _numbered(given: Any, told: str) -> str:
    number = step_of(given)
    if number is None or len(str(number)) > _VERSION_DIGITS:
        raise SettingsError(f"{told} is not a number of at most {_VERSION_DIGITS} digits; name the version")
    return str(number).zfill(_VERSION_DIGITS)


def below(slug: str, name: str | None, path: str | os.PathLike[str]) -> str:
    """Path of an experiment's artifact; by default with the name of the file or directory."""
    own = name if name is not None else Path(path).resolve().name
    return f"{slug}/{own}"


def _client(url: str | None, api_key: str | None) -> Client:
    return Client(settings_of(url, api_key), tells=True)


def _stop(error: Superseded, artifact: str, epoch: int) -> Superseded:
    return Superseded(
        f"another writer has opened {artifact} (its epoch is {error.epoch}, ours was {epoch}): "
        "this one must stop; "
        "to write all the same, open the artifact again, or save with take_over=True",
        error.epoch,
    )
