"""One run of Neptune, from its parts."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..._console.line_maker import last_state
from ..._ground.errors import LosslessError
from ..._media.media import FILE_BYTES_MAX, Histogram
from ..parquet_files.damage import Damaged
from ..parquet_files.parquet_file import ParquetFile
from ..source import Item, Line, Logged, Number, SourceRun, StoredFile, Text
from ..stored_file import FileMedia, is_inside, kind_of_file

_COLUMNS = (
    "attribute_path",
    "attribute_type",
    "step",
    "timestamp",
    "int_value",
    "float_value",
    "string_value",
    "bool_value",
    "datetime_value",
    "string_set_value",
    "file_value",
    "histogram_value",
)
_STREAMS = {"stdout": "stdout", "stderr": "stderr", "traceback": "stderr"}
# The exporter has six digits behind the point.
_DIGITS_MAX = 6


class _Row(NamedTuple):
    path: str
    kind: str
    step: decimal.Decimal | None
    timestamp_ms: int | None
    integer: int | None
    number: float | None
    text: str | None
    truth: bool | None
    moment_ms: int | None
    texts: list[str] | None
    file: dict[str, Any] | None
    histogram: dict[str, Any] | None


class NeptuneRun(SourceRun):
    def __init__(self, directory: Path, stem: str, parts: list[Path], files: Path) -> None:
        self._parts = parts
        self._files_root = files
        project, run_id = self._identity()
        # A run that cannot be read at all is told under the name of its files.
        self.key = f"{project}/{run_id}" if run_id else f"{directory.name}/{stem}"
        self.slug = self.key
        self._reset()

    def _reset(self) -> None:
        super()._reset()
        self._files: list[StoredFile] = []
        self._sys: dict[str, Any] = {}
        self._multiplier = 1
        self._start_ms = 0
        self._paths: dict[str, str] = {}

    @property
    def place(self) -> str:
        return str(self._parts[0])

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self._parts)

    def items(self) -> Iterator[Item]:
        self._reset()
        files = self._readable()
        self._multiplier = self._fractions(files)
        if self._multiplier > 1:
            reason = f"all steps of the run are multiplied by {self._multiplier}, which makes them whole"
            self.leave_out("fractions of steps", reason)
            self.head.facts["stepMultiplier"] = self._multiplier
        for file in files:
            for row in file.read(_COLUMNS):
                yield from self._item(_Row(*row))
            self.problems += file.problems
        self._describe()

    def files(self) -> Iterable[StoredFile]:
        return self._files

    # ---- parts

    def _identity(self) -> tuple[str, str]:
        for path in self._parts:
            try:
                file = ParquetFile(path)
                if not {"project_id", "run_id"}.issubset(file.columns):
                    continue
                for project, run_id in file.read(("project_id", "run_id")):
                    if project and run_id:
                        return str(project), str(run_id)
            except Exception:
                # Told when its content is read.
                continue
        return "", ""

    def _readable(self) -> list[ParquetFile]:
        """Opens the parts; those that are damaged are named, and the others read."""
        found: list[ParquetFile] = []
        for path in self._parts:
            try:
                file = ParquetFile(path)
            except Damaged as error:
                self.problems.append(f"damaged: {path}: {error}")
                continue
            if "attribute_path" not in file.columns:
                self.problems.append(f"{path} is no part of an export: it has no column attribute_path")
                continue
            found.append(file)
        if not found:
            raise LosslessError(self.problems[0])
        if not any(path.name.endswith("_part_0.parquet") for path in self._parts):
            self.problems.append(f"{self._parts[0]} is without its part 0: the export of this run did not end")
        return found

    def _fractions(self, files: list[ParquetFile]) -> int:
        digits = 0
        for file in files:
            for (step,) in file.read(("step",)):
                if isinstance(step, decimal.Decimal) and step != step.to_integral_value():
                    exponent = step.normalize().as_tuple().exponent
                    digits = max(digits, -exponent if isinstance(exponent, int) else 0)
        return int(10 ** min(digits, _DIGITS_MAX))

    # ---- rows

    def _item(self, row: _Row) -> Iterator[Item]:
        if not isinstance(row.path, str):
            self.problems.append(f"{self.place} has a row without an attribute")
            return
        kind = row.kind
        if kind == "float_series":
            # The exporter writes NaN as null.
            value = math.nan if row.number is None else row.number
            yield Number(self._id(row), _metric(row.path), self._step(row), self._time(row), value)
        elif kind == "string_series":
            yield from self._text(row)
        elif kind == "histogram_series":
            yield from self._histogram(row)
        elif kind == "file_series":
            yield from self._file_of_series(row)
        elif kind in ("file", "file_set", "artifact"):
            self._file(row)
        else:
            self._value(row)

    def _text(self, row: _Row) -> Iterator[Item]:
        if row.text is None:
            self.leave_out(f"texts of {row.path}", "they are null")
            return
        above, _, last = row.path.rpartition("/")
        if last in _STREAMS and above.split("/")[0] in ("monitoring", "runtime"):
            for text in row.text.removesuffix("\n").split("\n"):
                yield Line(self._time(row), _STREAMS[last], last_state(text), row.path)
        else:
            yield Text(self._id(row), row.path, self._step(row), self._time(row), row.text)

    def _histogram(self, row: _Row) -> Iterator[Item]:
        found = row.histogram or {}
        edges, values = found.get("edges"), found.get("values")
        if not isinstance(edges, list) or not isinstance(values, list) or len(edges) != len(values) + 1:
            self.leave_out(f"histograms of {row.path}", "they have no edges and values that fit")
            return
        histogram = Histogram(np_histogram=(values, edges))
        yield Logged(self._id(row), row.path, self._step(row), self._time(row), [histogram])

    def _file_of_series(self, row: _Row) -> Iterator[Item]:
        path = self._path_of(row)
        if path is None:
            return
        kind = kind_of_file(path) if path.is_file() and path.stat().st_size <= FILE_BYTES_MAX else None
        if kind is not None:
            media = FileMedia(kind[0], path, kind[1])
            yield Logged(self._id(row), row.path, self._step(row), self._time(row), [media])
        else:
            self._add(path, f"{row.path}/{self._step(row)}")

    def _file(self, row: _Row) -> None:
        path = self._path_of(row)
        if path is not None:
            if row.kind == "artifact":
                reason = "Neptune's exporter has only the list of their files"
                self.leave_out(f"contents of the artifact {row.path}", reason)
            self._add(path, row.path)

    def _add(self, path: Path, name: str) -> None:
        if path.is_dir():
            for directory, inner, names in os.walk(path):
                inner.sort()
                for each in sorted(names):
                    whole = Path(directory, each)
                    if not is_inside(whole, self._files_root):
                        self.leave_out(f"file {name}", f"it is a link out of {self._files_root}: {each}")
                        continue
                    self._files.append(StoredFile(whole, f"{name}/{whole.relative_to(path).as_posix()}"))
            return
        end = path.suffix
        self._files.append(StoredFile(path, name if not end or name.endswith(end) else f"{name}{end}"))

    def _path_of(self, row: _Row) -> Path | None:
        told = (row.file or {}).get("path")
        if not told:
            return None
        path = self._files_root / str(told)
        # An export is somebody else's: no path in it leads out of its files.
        if not is_inside(path, self._files_root) or not path.exists():
            self.leave_out(f"file {row.path}", f"it is not in {self._files_root}: {told}")
            return None
        return path

    def _value(self, row: _Row) -> None:
        value: Any = None
        if row.kind == "int":
            value = row.integer
        elif row.kind == "float":
            value = row.number
        elif row.kind == "string":
            value = row.text
        elif row.kind == "bool":
            value = row.truth
        elif row.kind == "datetime":
            value = row.moment_ms
        elif row.kind == "string_set":
            value = None if row.texts is None else sorted(str(each) for each in row.texts)
        else:
            self.leave_out(f"{row.path} of the kind {row.kind}", "it is not known")
            return
        # Each of several runs that were exported together has rows for the values of the others.
        if value is None:
            return
        if row.path.startswith("sys/"):
            self._sys[row.path.removeprefix("sys/")] = value
            if row.path == "sys/creation_time":
                self._start_ms = int(value)
        else:
            self.head.config[row.path] = _moment(value) if row.kind == "datetime" else value

    def _describe(self) -> None:
        head, known = self.head, self._sys
        head.config = dict(sorted(head.config.items()))
        head.name = known.pop("name", None) or known.get("custom_run_id") or None
        head.notes = str(known.pop("description", "") or "")
        head.tags = list(known.pop("tags", []))
        groups = known.pop("group_tags", [])
        head.group = groups[0] if len(groups) == 1 else None
        if len(groups) > 1:
            known["group_tags"] = groups
        if known.get("failed") is True:
            head.status, head.error = "error", "Neptune says that the run failed"
        times = {name: known.pop(name, None) for name in ("creation_time", "ping_time", "modification_time")}
        head.facts.update(
            {
                "startedAtMs": times["creation_time"],
                "endedAtMs": times["ping_time"],
                "user": known.pop("owner", None),
                "host": known.pop("hostname", None),
                "neptune": dict(sorted(known.items())) or None,
            }
        )

    def _step(self, row: _Row) -> int:
        return 0 if row.step is None else int(row.step * self._multiplier)

    def _time(self, row: _Row) -> int:
        return self._start_ms if row.timestamp_ms is None else row.timestamp_ms

    def _id(self, row: _Row) -> str:
        """
        Made of attribute and step, which Neptune has once: the next export may have another order.
        """
        path = self._paths.get(row.path)
        if path is None:
            path = self._paths[row.path] = hashlib.blake2s(
                row.path.encode("utf-8", "replace"), digest_size=8
            ).hexdigest()
        step = "none" if row.step is None else str(int(row.step * 10**_DIGITS_MAX))
        return f"{path}-{step}"


def _metric(path: str) -> str:
    """Metrics of the machine have the name that the client gives them."""
    return f"system/{path.removeprefix('monitoring/')}" if path.startswith("monitoring/") else path


def _moment(milliseconds: int) -> str:
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    return f"{moment.isoformat(timespec='milliseconds')}Z"
