"""Local files that become a version."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

from .._ground.errors import FileChanged, LosslessError
from .._ground.wire_numbers import FILES_PER_VERSION_MAX
from .file_names import file_name_problem

CHUNK_BYTES = 512 * 1024


@dataclasses.dataclass(frozen=True)
class PreparedFile:
    """A file already read once, or bytes that exist in memory only (`content`)."""

    name: str
    size: int
    # Nanoseconds since 1970, as text; a difference means that the file was written to since.
    modified: str
    # The digest in lower-case hexadecimal.
    sha256: str
    # CRC of the whole file; the bytes sent later must have the same.
    crc32: int
    path: Path | None = None
    content: bytes = b""

    def chunks(self, start: int, length: int) -> Iterator[bytes]:
        """
        Yields the bytes from `start`. Raises FileChanged when the file has changed since it was
        read, by its size and time before and after. Changes that these miss show in the CRC of the
        whole file.
        """
        if self.path is None:
            yield self.content[start : start + length]
            return
        if length > 0:
            yield from _chunks_of(self.path, (self.size, self.modified), start, length)


def files_in(path: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """
    Lists the names and paths of the files of a directory and all below it, hidden ones too, in the
    order of their names; for a file, the file itself. A link to a file stands for its content.
    Links to directories and empty directories are left out, and reported as a sentence each; other
    kinds of entries, and names that no version can have, are refused.
    """
    found: list[tuple[str, Path]] = []
    omissions: list[str] = []
    if path.is_dir():
        try:
            _walk(path, "", found, omissions)
        except OSError as error:
            raise LosslessError(f"cannot read {error.filename or path}: {error.strerror or error}") from None
    elif path.is_file():
        _add(found, path.name, path)
    else:
        raise LosslessError(f"{path} is neither a file nor a directory")
    if not found:
        raise LosslessError(f"there are no files in {path}")
    if len(found) > FILES_PER_VERSION_MAX:
        raise LosslessError(
            f"{path} has {len(found)} files, and a version has at most {FILES_PER_VERSION_MAX}: pack them"
        )
    # Sorted by UTF-16, as in the other clients: one may resume another's upload.
    found.sort(key=lambda each: each[0].encode("utf-16-be"))
    return found, omissions


def prepared(name: str, path: Path, stop: threading.Event) -> PreparedFile:
    """Reads a file once for its SHA-256 and CRC."""
    size, modified = file_state(path)
    digest, crc = hashlib.sha256(), 0
    for chunk in _chunks_of(path, (size, modified), 0, size):
        if stop.is_set():
            raise LosslessError("reading has stopped")
        digest.update(chunk)
        crc = zlib.crc32(chunk, crc)
    return PreparedFile(name, size, modified, digest.hexdigest(), crc, path)


def prepared_bytes(name: str, content: bytes) -> PreparedFile:
    digest = hashlib.sha256(content).hexdigest()
    return PreparedFile(name, len(content), "", digest, zlib.crc32(content), None, content)


def file_state(path: Path) -> tuple[int, str]:
    """Returns the size and the modification time."""
    try:
        return _state_of(os.stat(path))
    except OSError as error:
        raise LosslessError(f"cannot read {path}: {error.strerror or error}") from None


def _state_of(status: os.stat_result) -> tuple[int, str]:
    return status.st_size, str(status.st_mtime_ns)


def _chunks_of(path: Path, state: tuple[int, str], start: int, length: int) -> Iterator[bytes]:
    try:
        with open(path, "rb", buffering=0) as file:
            _assert_same(path, state, _state_of(os.fstat(file.fileno())))
            file.seek(start)
            left = length
            while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
                left -= len(chunk)
                yield chunk
            _assert_same(path, state, _state_of(os.fstat(file.fileno())))
    except OSError as error:
        raise LosslessError(f"cannot read {path}: {error.strerror or error}") from None
    if left > 0:
        raise FileChanged(f"{path} became shorter while it was read")


def _assert_same(path: Path, before: tuple[int, str], now: tuple[int, str]) -> None:
    if before != now:
        raise FileChanged(f"{path} changed while it was saved; save it again")


def _walk(directory: Path, prefix: str, found: list[tuple[str, Path]], omissions: list[str]) -> None:
    entries = list(os.scandir(directory))
    if not entries and prefix:
        omissions.append(f"{directory} is empty; empty directories are not stored")
    for entry in entries:
        path, name = Path(entry.path), f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            _walk(path, f"{name}/", found, omissions)
        elif entry.is_file():
            _add(found, name, path)
        elif entry.is_dir():
            omissions.append(f"{path} is a link to a directory, which is not followed")
        elif entry.is_symlink():
            raise LosslessError(f"{path} is a broken link")
        else:
            raise LosslessError(f"{path} is neither a file nor a directory")


def _add(found: list[tuple[str, Path]], name: str, path: Path) -> None:
    problem = file_name_problem(name)
    if problem is not None:
        # Quoted, since the name may hold characters that a terminal should not print.
        raise LosslessError(f"{json.dumps(str(path))} cannot be saved: its name {problem}")
    found.append((name, path))
