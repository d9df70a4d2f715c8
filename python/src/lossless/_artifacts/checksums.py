"""
SHA-256 of every file, in the place shared by all clients.

The interface carries sizes only. The checksums are kept in the version's meta under the key
`sha256`: an object {file name: lower-case hexadecimal}. Where that does not fit into a meta (64
KiB, about 500 files) the version has one more file, in the format of sha256sum, and the object
names that file alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._ground.errors import LosslessError
from .._ground.wire_numbers import FILES_PER_VERSION_MAX, JSON_META_BYTES_MAX
from .prepared_files import CHUNK_BYTES, PreparedFile, prepared_bytes

CHECKSUMS_KEY = "sha256"
_LIST_NAME = "SHA256SUMS"
_HEXADECIMAL = re.compile(r"[0-9a-f]{64}\Z")
# A line has 64 digits, a space, a space or an asterisk, and the name.
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


@dataclasses.dataclass(frozen=True)
class Checksums:
    """The checksums, or in `list_name` and `list_sha256` the added file that has them."""

    by_name: Mapping[str, str] = dataclasses.field(default_factory=dict)
    list_name: str | None = None
    list_sha256: str = ""


def with_checksums(meta: Mapping[str, Any], files: Sequence[PreparedFile]) -> tuple[dict[str, Any], list[PreparedFile]]:
    """Adds the checksums of `files` to `meta`, or a list of them to `files`."""
    if CHECKSUMS_KEY in meta:
        raise LosslessError(f"the key {CHECKSUMS_KEY} of meta is reserved for the checksums")
    whole = {**meta, CHECKSUMS_KEY: {file.name: file.sha256 for file in files}}
    if _fits(whole):
        return whole, list(files)
    sums = prepared_bytes(_free_name(files), _list_of((file.name, file.sha256) for file in files))
    short = {**meta, CHECKSUMS_KEY: {sums.name: sums.sha256}}
    if not _fits(short):
        raise LosslessError(f"meta is too large: it may have {JSON_META_BYTES_MAX} bytes of JSON")
    if len(files) == FILES_PER_VERSION_MAX:
        raise LosslessError(f"there is no room for the list of checksums: at most {FILES_PER_VERSION_MAX - 1} files")
    return short, [*files, sums]


def checksums_in(record: Mapping[str, Any]) -> Checksums:
    value = record["meta"].get(CHECKSUMS_KEY)
    if not isinstance(value, dict):
        return Checksums()
    entries = {name: each for name, each in value.items() if isinstance(each, str) and _HEXADECIMAL.match(each)}
    if len(entries) == 1 and len(record["files"]) > 1:
        ((name, sha256),) = entries.items()
        if name.startswith(_LIST_NAME):
            return Checksums(list_name=name, list_sha256=sha256)
    return Checksums(entries)


def digest_of(sums: Checksums) -> str:
    """Returns the SHA-256 of the list of checksums, whether a version has that or not."""
    # The order of files in a version: prepared_files.py.
    ordered = sorted(sums.by_name.items(), key=lambda each: each[0].encode("utf-16-be", "surrogatepass"))
    return sums.list_sha256 if sums.list_name else hashlib.sha256(_list_of(ordered)).hexdigest()


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Returns the SHA-256 of a file. Raises OSError."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _list_of(sums: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"{sha256}  {name}\n" for name, sha256 in sums).encode("utf-8", "surrogatepass")


def parse_list(text: str) -> dict[str, str]:
    matches = (_LINE.fullmatch(line) for line in text.split("\n"))
    return {match[2]: match[1] for match in matches if match is not None}


def _fits(meta: Mapping[str, Any]) -> bool:
    """Whether a meta fits. Requests are ASCII, in which no text is shorter than in UTF-8."""
    try:
        text = json.dumps(meta, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LosslessError(f"meta is not JSON: {error}") from None
    return len(text.encode("utf-8")) <= JSON_META_BYTES_MAX


def _free_name(files: Sequence[PreparedFile]) -> str:
    """Returns a name that is neither a file nor a directory of the writer."""
    taken = {file.name.split("/")[0] for file in files}
    name, number = _LIST_NAME, 1
    while name in taken:
        number += 1
        name = f"{_LIST_NAME}.{number}"
    return name
