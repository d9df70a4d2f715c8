"""Lines of a text file, plain or gzip, in UTF-8, UTF-16 with its mark, or Latin-1."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

_LINE_BYTES_MAX = 16 * 2**20
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class TextLine(NamedTuple):
    """A line without its end; the first one has number 1."""

    number: int
    text: str
    # Whether it ends: the last one of a file that was cut does not.
    is_whole: bool = True


class Lines:
    def __init__(self, path: Path) -> None:
        self._path = path
        # Lines that are not UTF-8, and were read as Latin-1.
        self.latin = 0
        # Why the rest of the file could not be read.
        self.problem: str | None = None

    def __iter__(self) -> Iterator[TextLine]:
        self.latin, self.problem = 0, None
        try:
            with open(self._path, "rb") as raw:
                is_packed = raw.read(2) == b"\x1f\x8b"
                raw.seek(0)
                file: BinaryIO = gzip.open(raw) if is_packed else raw  # type: ignore[assignment]
                yield from self._read(file)
        except (OSError, EOFError, zlib.error) as error:
            self.problem = f"{self._path} cannot be read to its end: {error}"

    def _read(self, file: BinaryIO) -> Iterator[TextLine]:
        start = file.read(3)
        mark, encoding = next(((mark, name) for mark, name in _MARKS if start.startswith(mark)), (b"", "utf-8"))
        rest = start[len(mark) :]
        if encoding != "utf-8":
            text = (rest + file.read()).decode(encoding, "replace")
            for number, line in enumerate(text.splitlines(keepends=True), 1):
                yield TextLine(number, line.rstrip("\r\n"), line.endswith(("\n", "\r")))
            return
        number = 0
        while data := file.readline(_LINE_BYTES_MAX):
            data, rest = rest + data, b""
            # Old programs for the Mac end lines with CR alone.
            parts = data.split(b"\r") if b"\r" in data[:-2] and b'"' not in data else [data]
            for place, part in enumerate(parts):
                if place == len(parts) - 1 and len(parts) > 1 and part in (b"", b"\n"):
                    continue
                number += 1
                is_whole = place < len(parts) - 1 or part.endswith((b"\n", b"\r"))
                yield TextLine(number, self._decoded(part.rstrip(b"\r\n")), is_whole)
        if rest:
            yield TextLine(number + 1, self._decoded(rest.rstrip(b"\r\n")), rest.endswith(b"\n"))

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self.latin += 1
            return data.decode("latin-1")
