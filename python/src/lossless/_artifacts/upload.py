"""The upload of one version: begin, send its parts, commit."""

from __future__ import annotations

import dataclasses
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._ground.errors import ConnectionFailed, FileChanged, LosslessError, RequestRefused, StoreFailed
from .._ground.warning import warn
from .calls import ArtifactCalls
from .crc32 import joined_crc32
from .prepared_files import PreparedFile
from .stores import RenewedAddresses, StoreConnections, in_parallel, store_tries
from .upload_record import UploadRecord

if TYPE_CHECKING:
    from ..wire import CommitUploadReply

# Failures of a part in a row, with no other part arriving meanwhile, after which the location is
# blamed.
_LOCATION_TRIES_MAX = 8
# Seconds for which a failing location without substitute is retried before the upload fails.
_PATIENCE_SECONDS = 300.0

Signed = Mapping[str, Any]
# Parts sent, by file and number, as in the record: {etag, crc32}; None: not yet.
Sent = list[list["dict[str, Any] | None"]]


class LocationFailing(StoreFailed):
    """The location accepts nothing at the moment; another one may."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a file: `start` and `length` are bytes of the file."""

    file: int
    number: int
    start: int
    length: int


@dataclasses.dataclass(frozen=True)
class Uploaded:
    version: str
    committed: str
    # None: an earlier process sent the version, and the service no longer says where to.
    placement: Mapping[str, Any] | None
    # Why no better location was used.
    warning: str | None


class VersionUpload:
    def __init__(
        self,
        calls: ArtifactCalls,
        artifact: str,
        version: str,
        epoch: int,
        place: Mapping[str, str],
        files: Sequence[PreparedFile],
        meta: Mapping[str, Any],
        parallel: int,
        record: UploadRecord | None,
    ) -> None:
        self._calls = calls
        self._artifact = artifact
        self._version = version
        self._epoch = epoch
        self._place = place
        self._files = files
        self._meta = meta
        self._parallel = parallel
        self._record = record
        self._exclude: list[str] = []
        self._sent: Sent = []
        self._arrivals = 0

    def run(self) -> Uploaded:
        return self._complete(*self._begin())

    def resume(self, state: Mapping[str, Any]) -> Uploaded:
        """Resumes an upload of another process. Raises what `resign` raises when it cannot."""
        self._exclude = list(state["exclude"])
        try:
            upload, seconds = self._calls.resign(self._artifact, state["upload"], state["epoch"])
        except RequestRefused as error:
            # Expired, and the artifact was not opened since; otherwise begin fails.
            if error.code == "not_found":
                return self.run()
            if error.code != "conflict":
                raise
            # Committed, but the reply was lost: the same commit gives the same reply.
            self._sent = state["sent"]
            committed = self._commit(state["upload"])
            return Uploaded(committed["version"], committed["committed"], None, None)
        self._take(upload, _sent_before(state["sent"], upload))
        return self._complete(upload, seconds)

    def _begin(self) -> tuple[Signed, float]:
        body = {
            "epoch": self._epoch,
            "place": self._place,
            "files": [{"name": file.name, "size": file.size} for file in self._files],
            "meta": self._meta,
            "exclude": self._exclude,
        }
        upload, seconds = self._calls.begin(self._artifact, self._version, body)
        if upload.get("warning") is not None:
            warn(f"placement {self._artifact} {upload['warning']}", f"{self._artifact}: {upload['warning']}")
        self._take(upload, _nothing_sent(upload))
        return upload, seconds

    def _take(self, upload: Signed, sent: Sent) -> None:
        self._sent = sent
        if self._record is not None:
            self._record.begin(
                {
                    "artifact": self._artifact,
                    "version": self._version,
                    "epoch": self._epoch,
                    "upload": upload["upload"],
                    "exclude": self._exclude,
                    "meta": self._meta,
                    "files": files_of_state(self._files),
                    "sent": sent,
                }
            )

    def _complete(self, upload: Signed, seconds: float) -> Uploaded:
        failing_since: float | None = None
        while True:
            arrivals = self._arrivals
            try:
                self._send(upload, seconds)
                break
            except LocationFailing as error:
                if failing_since is None or self._arrivals > arrivals:
                    failing_since = time.monotonic()
                if time.monotonic() - failing_since > _PATIENCE_SECONDS:
                    raise StoreFailed(str(error), error.status) from None
                upload, seconds = self._after_failure(upload, error)
        self._assert_unchanged(upload)
        committed = self._commit(upload["upload"])
        return Uploaded(committed["version"], committed["committed"], upload["placement"], upload.get("warning"))

    def _send(self, upload: Signed, seconds: float) -> None:
        """Sends several parts at once, each until it arrives. Afterwards no request is running."""
        sign = lambda: self._calls.resign(  # noqa: E731
            self._artifact, upload["upload"], self._epoch
        )
        addresses: RenewedAddresses[Any] = RenewedAddresses(upload, seconds, sign)
        missing = [part for part in parts_of(self._files, upload) if self._sent[part.file][part.number] is None]
        connections = StoreConnections()
        stop = threading.Event()
        # Time at which the last part of the upload arrived.
        arrived_at = [float("-inf")]

        def send(part: Part) -> None:
            started_at = time.monotonic()

            def hopeless(error: StoreFailed, tries: int) -> LosslessError | None:
                if tries < _LOCATION_TRIES_MAX or arrived_at[0] > started_at:
                    return None
                return LocationFailing(str(error), error.status)

            attempt: Callable[[Signed], dict[str, Any]] = lambda signed: send_part(  # noqa: E731
                connections, self._files[part.file], part, _address(part, signed)
            )
            self._sent[part.file][part.number] = store_tries(addresses, stop, attempt, hopeless)
            arrived_at[0] = time.monotonic()
            self._arrivals += 1
            if self._record is not None:
                self._record.touch()

        try:
            in_parallel(self._parallel, missing, send, stop, connections.close)
        finally:
            connections.close()

    def _after_failure(self, upload: Signed, error: LocationFailing) -> tuple[Signed, float]:
        """
        Handles a failing location, and returns the upload to continue with. If the service is
        unreachable too, that is the cause, and it is awaited. Otherwise another location is
        requested, once for each that fails; without one, this one is retried.
        """
        id = upload["placement"]["location"]["id"]
        if id not in self._exclude and self._service_answers():
            self._exclude = [*self._exclude, id]
            try:
                moved = self._begin()
                warn(f"moved {id}", f"{error}; sending everything again to another location")
                return moved
            except RequestRefused as refused:
                if refused.code != "not_ready":
                    raise
                warn(f"stays {id}", f"{error}; there is no other location, so this one is retried")
        return self._calls.resign(self._artifact, upload["upload"], self._epoch)

    def _service_answers(self) -> bool:
        try:
            self._calls.organization(retry_seconds=0.0)
        except ConnectionFailed:
            return False
        except RequestRefused as error:
            return error.status < 500
        return True

    def _assert_unchanged(self, upload: Signed) -> None:
        """Compares the CRCs of the parts sent with those read before `begin`."""
        crcs = [0] * len(self._files)
        for part in parts_of(self._files, upload):
            sent = self._sent[part.file][part.number]
            assert sent is not None, f"BUG: part {part.number} of file {part.file} was not sent"
            crcs[part.file] = joined_crc32(crcs[part.file], sent["crc32"], part.length)
        for file, crc in zip(self._files, crcs):
            if file.crc32 != crc:
                raise FileChanged(f"{file.name} changed while it was saved; save it again")

    def _commit(self, upload: str) -> CommitUploadReply:
        files = [
            {"name": file.name, "etags": ["" if part is None else part["etag"] for part in parts]}
            for file, parts in zip(self._files, self._sent)
        ]
        return self._calls.commit(self._artifact, upload, {"epoch": self._epoch, "files": files})


def parts_of(files: Sequence[PreparedFile], upload: Signed) -> Iterator[Part]:
    """
    Yields the parts in order: all but a file's last have `partSize` bytes; an empty file has one.
    """
    if len(upload["files"]) != len(files):
        raise ConnectionFailed(f"the upload has {len(upload['files'])} files instead of {len(files)}")
    for index, (file, described) in enumerate(zip(files, upload["files"])):
        part_size = described["partSize"]
        count = max(1, -(-file.size // part_size)) if part_size > 0 else 0
        if (described["name"], described["size"], len(described["parts"])) != (file.name, file.size, count):
            raise ConnectionFailed(f"the upload does not belong to {file.name}")
        for number in range(count):
            start = number * part_size
            yield Part(index, number, start, min(part_size, file.size - start))


def send_part(
    connections: StoreConnections, file: PreparedFile, part: Part, address: Mapping[str, Any]
) -> dict[str, Any]:
    """Sends a part once. The ETag is exactly the store's; empty for stores that return none."""
    crc = 0

    def counted() -> Iterator[bytes]:
        nonlocal crc
        crc = 0
        for chunk in file.chunks(part.start, part.length):
            crc = zlib.crc32(chunk, crc)
            yield chunk

    with connections.exchange("PUT", address["url"], address["headers"], counted, part.length) as response:
        # Read to its end; otherwise the connection cannot be reused.
        response.read()
        return {"etag": response.headers.get("etag") or "", "crc32": crc}


def files_of_state(files: Sequence[PreparedFile]) -> list[dict[str, Any]]:
    """Describes the files as the state has them, to compare without reading the files."""
    return [
        {"name": file.name, "size": file.size, "modified": file.modified, "sha256": file.sha256, "crc32": file.crc32}
        for file in files
        if file.path is not None
    ]


def _address(part: Part, upload: Signed) -> Mapping[str, Any]:
    try:
        address: Mapping[str, Any] = upload["files"][part.file]["parts"][part.number]
    except (IndexError, KeyError):
        raise ConnectionFailed("the upload has lost a part") from None
    return address


def _nothing_sent(upload: Signed) -> Sent:
    return [[None] * len(file["parts"]) for file in upload["files"]]


def _sent_before(sent: Sent, upload: Signed) -> Sent:
    """Returns the parts that an earlier process sent, if the upload still has the same parts."""
    counts = [len(file["parts"]) for file in upload["files"]]
    return sent if [len(parts) for parts in sent] == counts else _nothing_sent(upload)
