"""
One Parquet file, read row by row: a page of each column is in memory at a time.

Texts, numbers, truth values, lists and structs are those of Python. Times are Unix milliseconds,
decimals are exact. A group of rows that is damaged is left at the damage, and the next one is read.
"""

from __future__ import annotations

import datetime
import functools
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from .damage import Damaged
from .nesting import column_of, merged
from .pages import CODECS, KNOWN_ENCODINGS, pages_of
from .schema import leaves_of
from .thrift import struct_at

_MAGIC = b"PAR1"
_BATCH_ROWS = 10_000


class ParquetFile:
    """Raises Damaged if the file has no readable footer: nothing in it can be read then."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Damages that the last reading has met.
        self.problems: list[str] = []
        # The number in the file of the row that was read last, whatever was damaged before it.
        self.row = -1
        with open(path, "rb") as file:
            footer = _footer(file)
        try:
            self.rows = int(footer.get(3, 0))
            self._groups: list[dict[int, Any]] = list(footer.get(4, []))
            # A damaged end is met here, and not within the reading.
            for group in self._groups:
                int(group.get(3, 0))
                for chunk in group.get(1, []):
                    meta = chunk.get(3, {})
                    hash(meta.get(4, 0))
                    set(meta.get(2, []))
            self._leaves = leaves_of(footer.get(2, []))
        except (TypeError, ValueError, AttributeError):
            raise Damaged("its end is damaged, without which no Parquet file can be read") from None
        # Made once, since tables of training runs have hundreds of columns.
        self.columns = list(dict.fromkeys(leaf.top for leaf in self._leaves))

    def read(self, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yields the named columns of each row; a column that is missing is None in all of them."""
        self.problems = []
        lacking = self._lacking(names)
        if lacking:
            yield from self._read_with_pyarrow(names, lacking)
            return
        read = 0
        with open(self.path, "rb") as file:
            for group in self._groups:
                count, problem = 0, ""
                rows = zip(*(self._column(file, group, name) for name in names))
                while True:
                    try:
                        row = next(rows, None)
                    except Exception as error:
                        # Numbers of a damaged header may mean anything.
                        problem = str(error) if isinstance(error, Damaged) else type(error).__name__
                        row = None
                    if row is None:
                        break
                    self.row = read + count
                    yield row
                    count += 1
                wanted = int(group.get(3, 0))
                if problem or count < wanted:
                    told = problem or "a column ends early"
                    self.problems.append(
                        f"damaged: {self.path}: {wanted - count:,} rows behind row {read + count:,} cannot be read: {told}"
                    )
                read += wanted

    def _column(self, file: BinaryIO, group: dict[int, Any], name: str) -> Iterator[Any]:
        found: list[Iterator[Any]] = []
        for leaf, chunk in zip(self._leaves, group.get(1, [])):
            if leaf.top == name:
                # Each has a place of its own in the file, which pages_of seeks.
                found.append(column_of(leaf, pages_of(file, leaf, chunk.get(3, {}))))
        if not found:
            return itertools.repeat(None, int(group.get(3, 0)))
        if len(found) == 1:
            return found[0]
        return (functools.reduce(merged, row) for row in zip(*found))

    def _lacking(self, names: Sequence[str]) -> str:
        """Returns what of these columns only pyarrow can unpack."""
        wanted = set(names)
        for group in self._groups:
            for leaf, chunk in zip(self._leaves, group.get(1, [])):
                meta = chunk.get(3, {})
                if leaf.top not in wanted:
                    continue
                if meta.get(4, 0) in CODECS:
                    return f"compressed with {CODECS[meta[4]]}"
                if not KNOWN_ENCODINGS.issuperset(meta.get(2, [])):
                    return "encoded by differences"
        return ""

    def _read_with_pyarrow(self, names: Sequence[str], lacking: str) -> Iterator[tuple[Any, ...]]:
        try:
            import pyarrow.parquet  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError:
            raise Damaged(f"it is {lacking}, which needs a package: pip install pyarrow") from None
        count = 0
        try:
            with pyarrow.parquet.ParquetFile(str(self.path)) as file:
                known = [name for name in names if name in self.columns]
                for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=known):
                    columns = batch.to_pydict()
                    none = [None] * batch.num_rows
                    for row in zip(*(columns.get(name, none) for name in names)):
                        self.row = count
                        yield tuple(_plain(each) for each in row)
                        count += 1
        except (pyarrow.ArrowException, OSError) as error:
            self.problems.append(f"damaged: {self.path} behind row {count}: {error}")


def _footer(file: BinaryIO) -> dict[int, Any]:
    size = file.seek(0, 2)
    if size < 12:
        raise Damaged("it is too short for a Parquet file")
    file.seek(size - 8)
    end = file.read(8)
    if end[4:] != _MAGIC:
        raise Damaged("its end is missing, without which no Parquet file can be read")
    length = int.from_bytes(end[:4], "little")
    if length > size - 8:
        raise Damaged("its end is damaged, without which no Parquet file can be read")
    file.seek(size - 8 - length)
    return struct_at(file.read(length), 0)[0]


def _plain(value: Any) -> Any:
    """Returns values of pyarrow as this file's own reading has them."""
    if isinstance(value, datetime.datetime):
        moment = value if value.tzinfo is not None else value.replace(tzinfo=datetime.timezone.utc)
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return (moment - epoch) // datetime.timedelta(milliseconds=1)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value
