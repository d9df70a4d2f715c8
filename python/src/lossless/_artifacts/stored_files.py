"""The files of a committed version, read from its store."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .._ground.errors import ConnectionFailed, IntegrityError, LosslessError, StoreFailed
from .calls import ArtifactCalls
from .checksums import checksums_in, parse_list
from .prepared_files import CHUNK_BYTES
from .stores import RenewedAddresses, StoreConnections, store_tries

if TYPE_CHECKING:
    from ..wire import VersionRecord

_LIST_BYTES_MAX = 16 * 2**20
# Seconds without data from a range after which reading fails.
_PATIENCE_SECONDS = 300.0


class StoredFiles:
    """For several threads, until `stop` is set or it is closed."""

    def __init__(
        self,
        calls: ArtifactCalls,
        artifact: str,
        version: str,
        place: Mapping[str, str],
        stop: threading.Event | None = None,
    ) -> None:
        self.record, seconds = calls.read_signed(artifact, version, place)
        # By its name from now on: `latest` may change before the addresses are renewed.
        sign = lambda: calls.read_signed(artifact, self.record["version"], place, True)  # noqa: E731
        self._addresses: RenewedAddresses[VersionRecord] = RenewedAddresses(self.record, seconds, sign)
        self._connections = StoreConnections()
        self._stop = stop or threading.Event()

    def close(self) -> None:
        self._connections.close()

    def checksums(self) -> Mapping[str, str]:
        """Returns the known checksums by name, of the record or the list in the version."""
        found = checksums_in(self.record)
        names = [file["name"] for file in self.record["files"]]
        if found.list_name not in names:
            return found.by_name
        file = names.index(found.list_name)
        size = self.record["files"][file]["size"]
        if size > _LIST_BYTES_MAX:
            raise IntegrityError(f"{found.list_name} is too large for a list of checksums")
        chunks: list[bytes] = []
        self.receive(file, 0, size, lambda chunk, _: chunks.append(chunk))
        content = b"".join(chunks)
        actual = hashlib.sha256(content).hexdigest()
        if actual != found.list_sha256:
            raise mismatch(found.list_name, found.list_sha256, actual)
        return parse_list(content.decode("utf-8", "replace"))

    def receive(self, file: int, start: int, length: int, take: Callable[[bytes, int], Any]) -> None:
        """
        Passes bytes of a file to `take`, in order and once, however often the connection breaks.
        """
        size = self.record["files"][file]["size"]
        position, end = start, start + length
        moved_at = time.monotonic()

        def attempt(record: Mapping[str, Any]) -> None:
            nonlocal position, moved_at
            url = record["files"][file].get("url")
            if url is None:
                raise ConnectionFailed("the service has signed no address for a file")
            for chunk in _range_of(self._connections, url, position, end, size):
                take(chunk, position)
                position += len(chunk)
                moved_at = time.monotonic()

        def hopeless(error: StoreFailed, _tries: int) -> LosslessError | None:
            return None if time.monotonic() - moved_at < _PATIENCE_SECONDS else error

        if length > 0:
            store_tries(self._addresses, self._stop, attempt, hopeless)


def mismatch(name: str, expected: str, actual: str) -> IntegrityError:
    return IntegrityError(f"{name} differs from the saved file: its SHA-256 is {actual} and should be {expected}")


def _range_of(connections: StoreConnections, url: str, start: int, end: int, size: int) -> Iterator[bytes]:
    """Yields the bytes of a range. Raises StoreFailed when bytes are missing or differ."""
    asked = f"bytes={start}-{end - 1}"
    with connections.exchange("GET", url, {"Range": asked, "Accept-Encoding": "identity"}) as response:
        # A store may answer a range of the whole file with status 200.
        is_whole = response.status == 200 and start == 0 and end == size
        given = response.headers.get("content-range")
        if not is_whole and not (response.status == 206 and given == f"bytes {start}-{end - 1}/{size}"):
            raise StoreFailed(f"the store did not give the range {asked} of {size} bytes", None)
        left = end - start
        while left > 0 and (chunk := response.read(min(CHUNK_BYTES, left))):
            left -= len(chunk)
            yield chunk
        if left > 0 or response.read(1):
            raise StoreFailed("the store returned another number of bytes", None)
