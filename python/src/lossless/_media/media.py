"""`wandb.Image`, `Table`, `Histogram` and so on, which become files when logged: logged_media.py"""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from .._ground.counterparts import instead_of
from .._ground.unsupported import Unsupported
from .._ground.warning import warn
from .._values.config import jsonable
from .._values.nonfinite import word_of
from .png import film_of, png_of

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg")
_BINS_MAX = 512
# Bins in an annotation, from which a heat map over steps is drawn.
_BINS_SHOWN = 64
# Numbers from which differences may overflow.
_FAR = 4e307
_ROWS_MAX = 10_000
# Bytes of the largest file that is logged.
FILE_BYTES_MAX = 32 * 2**20


class Media:
    """A medium made of any value; whether that can become a file is decided when it is logged."""

    _is_lossless_media: ClassVar[bool] = True
    _kind: str = ""
    _own: tuple[Any, ...] = ()
    # Width and height, once known.
    _size: tuple[int, int] | None = None

    def __init__(self, data: Any = None, *args: Any, caption: Any = None, **others: Any) -> None:
        self._data = data
        self._caption = caption
        self._others = others

    def _file(self) -> tuple[bytes, str]:
        """
        Returns the content of the file and the end of its name. May raise what the script's values
        raise.
        """
        raise TypeError(f"{type(self).__name__} cannot be stored")

    def _described(self) -> dict[str, Any]:
        """Describes it for its annotation, once it has become a file."""
        size = {} if self._size is None else {"width": int(self._size[0]), "height": int(self._size[1])}
        return {**({} if self._caption is None else {"caption": str(self._caption)[:1_000]}), **size}

    def _shown(self) -> dict[str, Any]:
        """Content for its annotation alone, where that is small enough to be shown from there."""
        return {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "item":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Unsupported(f"{type(self).__name__}.{name}", hint=instead_of(name))


class Image(Media):
    _kind = "image"

    def __init__(self, data_or_path: Any = None, mode: Any = None, caption: Any = None, **others: Any) -> None:
        super().__init__(data_or_path, caption=caption, **others)
        for name, what in (("boxes", "BoundingBoxes2D"), ("masks", "ImageMask")):
            if others.get(name):
                warn(f"Image.{name}", f"Image({name}=…) has no counterpart and is ignored{instead_of(what)}")
        if str(others.get("file_type") or "png").lower() != "png":
            warn("Image.file_type", "Image(file_type=…) is ignored: a file stays as it is, all else becomes a PNG")

    def _file(self) -> tuple[bytes, str]:
        data = self._data
        if isinstance(data, Image):
            return data._file()
        if isinstance(data, (str, os.PathLike)):
            return _content(data, _PICTURES)
        figure = _figure_of(data)
        if figure is not None:
            return _drawn(figure), ".png"
        if callable(getattr(data, "save", None)) and hasattr(data, "size") and hasattr(data, "mode"):
            out = io.BytesIO()
            data.save(out, format="PNG")
            self._size = tuple(data.size)
            return out.getvalue(), ".png"
        content, width, height = png_of(data)
        self._size = (width, height)
        return content, ".png"


class Table(Media):
    """Rows, as they are when logged. A picture in a cell becomes a file of its own."""

    _kind = "table"
    MAX_ROWS = _ROWS_MAX
    MAX_ARTIFACT_ROWS = _ROWS_MAX
    _left_out = 0

    def __init__(
        self, columns: Any = None, data: Any = None, rows: Any = None, dataframe: Any = None, *_args: Any, **others: Any
    ) -> None:
        super().__init__(None, **others)
        if others.get("log_mode") not in (None, "IMMUTABLE", "MUTABLE"):
            warn("Table.log_mode", "Table(log_mode=…) is ignored: each log records the whole current table")
        frame = dataframe if dataframe is not None else data if hasattr(data, "columns") else None
        if frame is not None:
            self.columns = [str(each) for each in frame.columns]
            self.data = [list(row) for row in frame.itertuples(index=False)]
            return
        given = data if data is not None else rows
        given = given.tolist() if hasattr(given, "tolist") else given
        self.data = [list(row) for row in given or []]
        width = len(self.data[0]) if self.data else 0
        default = ["Input", "Output", "Expected"] if given is None else [str(each) for each in range(width)]
        self.columns = [str(each) for each in (columns if columns is not None else default)]

    def add_data(self, *row: Any) -> None:
        self.data.append(list(row))

    add_row = add_data

    def add_column(self, name: str, data: Iterable[Any], *_args: Any, **_others: Any) -> None:
        self.columns.append(str(name))
        for place, value in enumerate(data):
            if place == len(self.data):
                self.data.append([None] * (len(self.columns) - 1))
            self.data[place].append(value)

    def get_column(self, name: str, *_args: Any, **_others: Any) -> list[Any]:
        place = self.columns.index(name)
        return [row[place] for row in self.data]

    def get_dataframe(self) -> Any:
        from importlib import import_module

        return import_module("pandas").DataFrame(self.data, columns=self.columns)

    def iterrows(self) -> Iterator[tuple[int, list[Any]]]:
        yield from enumerate(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __bool__(self) -> bool:
        return True

    def _cells(self) -> list[Media]:
        """The media in its cells, which become files beside it."""
        return [cell for row in self.data[:_ROWS_MAX] for cell in row if isinstance(cell, Media)]

    def _file(self, paths: dict[int, str] | None = None) -> tuple[bytes, str]:
        """`paths` has the files of its cells, by the cell's identity."""
        rows = [[_cell(cell, paths or {}) for cell in row] for row in self.data[:_ROWS_MAX]]
        left_out = len(self.data) - len(rows) + self._left_out
        content = {"columns": self.columns, "data": rows, **({"rowsLeftOut": left_out} if left_out else {})}
        return _json(content), ".table.json"

    def _described(self) -> dict[str, Any]:
        return {"rows": len(self.data) + self._left_out, "columns": len(self.columns)}


class Frame(Table):
    """A DataFrame logged as it is: no more rows are read than are kept."""

    def __init__(self, frame: Any) -> None:
        Media.__init__(self, frame)

    def _cells(self) -> list[Media]:
        frame = self._data
        self._left_out = max(0, len(frame) - _ROWS_MAX)
        super().__init__(dataframe=frame.iloc[:_ROWS_MAX])
        return super()._cells()


class Histogram(Media):
    _kind = "histogram"
    MAX_LENGTH = _BINS_MAX

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        super().__init__(sequence)
        self._np_histogram = np_histogram
        self._bins = num_bins
        # Numbers that are NaN or infinite, and in no bin.
        self._left_out = 0
        self._parts: tuple[list[float], list[float]] | None = None

    @property
    def histogram(self) -> list[float]:
        """The count of each bin. Raises ValueError where there is no number to count."""
        return [int(each) if each.is_integer() else each for each in self._counted()[0]]

    @property
    def bins(self) -> list[float]:
        """The edges of the bins, one more than these."""
        return list(self._counted()[1])

    def _counted(self) -> tuple[list[float], list[float]]:
        if self._parts is None and self._np_histogram is not None:
            counts, edges = ([float(each) for each in part] for part in self._np_histogram[:2])
            self._parts = counts, edges
        elif self._parts is None:
            counts, edges, self._left_out = _counted(self._data, max(1, min(int(self._bins), _BINS_MAX)))
            self._parts = counts, edges
        return self._parts

    def _file(self) -> tuple[bytes, str]:
        counts, edges = self._counted()
        if len(edges) != len(counts) + 1 or len(counts) > _BINS_MAX:
            raise ValueError(f"a histogram has at most {_BINS_MAX} bins, and one edge more")
        if self._left_out:
            warn("histogram", f"{self._left_out} numbers of a histogram are not finite: they are only counted")
        return _json({"values": counts, "bins": edges, **self._described()}), ".histogram.json"

    def _described(self) -> dict[str, Any]:
        return {"nonfinite": self._left_out} if self._left_out else {}

    def _shown(self) -> dict[str, Any]:
        """Its bins; of many, neighbouring ones are summed, exactly as far as numbers are."""
        return {"histogram": self._bins_of(_BINS_SHOWN)}

    def _bins_of(self, most: int) -> dict[str, Any]:
        counts, edges = self._counted()
        values, bins = summed(counts, edges, most)
        whole = [int(each) if each.is_integer() and each < 2**53 else each for each in values]
        return {"values": whole, "bins": bins, **({"of": len(counts)} if len(counts) > len(values) else {})}


def summed(counts: list[float], edges: list[float], most: int) -> tuple[list[float], list[float]]:
    """Sums neighbouring bins so that there are at most so many."""
    together = -(-len(counts) // most)
    values = [math.fsum(counts[at : at + together]) for at in range(0, len(counts), together)]
    return values, [*edges[:-1:together], edges[-1]]


class Encoded(Media):
    """A medium whose file is made already, as in an event file of TensorBoard."""

    def __init__(
        self, kind: str, content: bytes, end: str, size: tuple[int, int] | None = None, caption: str | None = None
    ) -> None:
        super().__init__(content, caption=caption)
        self._kind = kind
        self._end = end
        self._size = size

    def _file(self) -> tuple[bytes, str]:
        return self._data, self._end


class Html(Media):
    _kind = "html"

    def __init__(self, data: Any = None, inject: bool = True, **others: Any) -> None:
        super().__init__(data, **others)

    def _file(self) -> tuple[bytes, str]:
        read = getattr(self._data, "read", None)
        text = read() if callable(read) else self._data
        if isinstance(text, os.PathLike) or (isinstance(text, str) and text.endswith(".html") and os.path.isfile(text)):
            return _content(text, (".html",))
        if not isinstance(text, str):
            raise TypeError(f"{type(text).__name__} is not a text")
        return text.encode("utf-8", "replace"), ".html"


class Audio(Media):
    _kind = "audio"

    def __init__(self, data_or_path: Any = None, sample_rate: Any = None, caption: Any = None, **others: Any) -> None:
        super().__init__(data_or_path, caption=caption, **others)
        self._rate = sample_rate

    def _file(self) -> tuple[bytes, str]:
        if isinstance(self._data, (str, os.PathLike)):
            return _content(self._data, (".wav", ".mp3", ".ogg", ".flac", ".m4a"))
        import struct
        import wave

        data = self._data.tolist() if hasattr(self._data, "tolist") else list(self._data)
        channels = len(data[0]) if data and isinstance(data[0], (list, tuple)) else 1
        flat = [float(each) for row in data for each in (row if channels > 1 else (row,))]
        if len(flat) > _SAMPLES_MAX:
            raise ValueError(f"it has more than {_SAMPLES_MAX} samples: give a file")
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(2)
            file.setframerate(int(self._rate))
            file.writeframes(struct.pack(f"<{len(flat)}h", *(int(32767 * max(-1.0, min(1.0, each))) for each in flat)))
        return out.getvalue(), ".wav"


class Video(Media):
    """A film from a file, or from frames, which become an animated PNG."""

    _kind = "video"

    def __init__(
        self, data_or_path: Any = None, caption: Any = None, fps: Any = None, format: Any = None, **others: Any
    ) -> None:
        super().__init__(data_or_path, caption=caption, **others)
        self._format = format
        self._frames_a_second = fps

    def _file(self) -> tuple[bytes, str]:
        if isinstance(self._data, io.BytesIO):
            return self._data.getvalue(), f".{self._format or 'mp4'}"
        if not isinstance(self._data, (str, os.PathLike)):
            content, *size = film_of(self._data, float(self._frames_a_second or 4))
            self._size = (size[0], size[1])
            return content, ".png"
        return _content(self._data, (".mp4", ".gif", ".webm", ".ogg", ".avi", ".mov"))


class Plotly(Media):
    _kind = "plotly"

    def __init__(self, val: Any = None, **others: Any) -> None:
        super().__init__(val, **others)

    def _file(self) -> tuple[bytes, str]:
        text = (
            self._data.to_json() if callable(getattr(self._data, "to_json", None)) else json.dumps(jsonable(self._data))
        )
        return str(text).encode("utf-8", "replace"), ".plotly.json"


class Plot(Media):
    """A plot of `wandb.plot`: its kind and its numbers."""

    _kind = "plot"

    def __init__(self, plot: str, fields: dict[str, Any], table: Any) -> None:
        super().__init__(table)
        self._plot = plot
        self._fields = fields

    def _file(self) -> tuple[bytes, str]:
        # An error while it was made is raised here, where it does not reach the script.
        if isinstance(self._data, Exception):
            raise self._data
        table = self._data if isinstance(self._data, Table) else Table(columns=[], data=[])
        content = json.loads(table._file()[0])
        return _json({"plot": self._plot, **jsonable(self._fields), "table": content}), ".plot.json"

    def _described(self) -> dict[str, Any]:
        title = self._fields.get("title")
        return {"plot": self._plot, **({} if not title else {"caption": str(title)[:1_000]})}


CLASSES = {each.__name__: each for each in (Image, Table, Histogram, Html, Audio, Video, Plotly, Media)}
_SAMPLES_MAX = 5_000_000


def media_of(value: Any) -> Media | None:
    """
    Returns the media in a logged value: a figure of matplotlib or Plotly, a PIL picture, a
    DataFrame, an array of numbers (its histogram), or media itself.
    """
    if isinstance(value, Media):
        return value
    package = type(value).__module__.partition(".")[0]
    if package == "plotly" and callable(getattr(value, "to_json", None)):
        return Plotly(value)
    if _figure_of(value) is not None or (package == "PIL" and callable(getattr(value, "save", None))):
        return Image(value)
    if package == "pandas" and hasattr(value, "columns") and hasattr(value, "itertuples"):
        return Frame(value)
    if package in ("numpy", "torch") and _is_of_numbers(value):
        return Histogram(value)
    return None


def _is_of_numbers(value: Any) -> bool:
    shape, kind = getattr(value, "shape", ()), str(getattr(value, "dtype", ""))
    is_some = len(shape) > 0 and 0 < math.prod(shape) <= _SAMPLES_MAX
    return is_some and any(word in kind for word in ("float", "int"))


def _figure_of(value: Any) -> Any:
    """Returns the figure that a value is, or has, as `matplotlib.pyplot` and axes do."""
    if callable(getattr(value, "savefig", None)):
        return value
    if type(value).__module__.partition(".")[0] == "matplotlib" and hasattr(value, "figure"):
        return value.figure
    return None


def _drawn(figure: Any) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()


def _content(path: Any, suffixes: tuple[str, ...]) -> tuple[bytes, str]:
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in suffixes:
        raise ValueError(f"{os.fspath(path)!r} must end in one of {', '.join(suffixes)}")
    if os.path.getsize(path) > FILE_BYTES_MAX:
        raise ValueError(f"it has more than {FILE_BYTES_MAX} bytes: save_artifact saves files of any size")
    with open(path, "rb") as file:
        return file.read(), suffix


def _counted(data: Any, bins: int) -> tuple[list[float], list[float], int]:
    """Returns counts by bins, their edges, and the number of non-finite values."""
    if callable(getattr(data, "detach", None)):
        data = data.detach().cpu()
        # numpy has no bfloat16.
        data = (data.float() if "bfloat16" in str(data.dtype) else data).numpy()
    if hasattr(data, "astype") and hasattr(data, "shape"):
        import numpy

        size = data.size
        data = data[numpy.isfinite(data)]
        if not data.size:
            raise ValueError("none of its numbers is finite")
        # The distance of the largest numbers would overflow.
        scale = 4.0 if max(float(data.max()), -float(data.min())) > _FAR else 1.0
        counts, edges = numpy.histogram(data / scale if scale > 1 else data, bins=bins)
        return [float(each) for each in counts], [float(each) * scale for each in edges], int(size - data.size)
    given = [float(each) for each in _flat(data)]
    numbers = [each for each in given if each - each == 0]
    if not numbers or len(numbers) > _SAMPLES_MAX:
        raise ValueError(f"1 to {_SAMPLES_MAX} finite numbers are needed for a histogram")
    low, high = min(numbers), max(numbers)
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    scale = 4.0 if max(-low, high) > _FAR else 1.0
    low, high, numbers = low / scale, high / scale, [each / scale for each in numbers]
    counts = [0.0] * bins
    for each in numbers:
        counts[min(int((each - low) / (high - low) * bins), bins - 1)] += 1
    edges = [(low + (high - low) * (place / bins)) * scale for place in range(bins + 1)]
    return counts, edges, len(given) - len(numbers)


def _flat(data: Any) -> Iterator[Any]:
    for each in data:
        if isinstance(each, (list, tuple)):
            yield from _flat(each)
        else:
            yield each


def _cell(cell: Any, paths: dict[int, str]) -> Any:
    if isinstance(cell, Media):
        return {"_media": {"kind": cell._kind, "path": paths.get(id(cell)), **cell._described()}}
    number = cell.item() if type(cell).__module__ == "numpy" and getattr(cell, "ndim", None) == 0 else cell
    if isinstance(number, float) and number - number != 0:
        # JSON has no such numbers, and a text would be another value.
        return {"_number": word_of(number)}
    return jsonable(cell)


def _json(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")
