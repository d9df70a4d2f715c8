"""Parquet files about selected experiments, by what their rows are."""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from .._ground.endpoints import export_annotations, export_experiments, export_lineage, export_lines, export_points
from .._ground.errors import IncompleteStream, SettingsError
from .._service.service import Service

ExportOf = Literal["points", "experiments", "annotations", "lineage", "lines"]

_ENDPOINTS = {
    "points": export_points,
    "experiments": export_experiments,
    "annotations": export_annotations,
    "lineage": export_lineage,
    "lines": export_lines,
}
_MAGIC = b"PAR1"


def export_path(of: ExportOf, chosen: Mapping[str, str], names: Sequence[str] | None) -> str:
    if of not in _ENDPOINTS:
        raise SettingsError(f"points, experiments, annotations, lineage or lines can be exported, not {of!r}")
    if names is not None and of != "points":
        raise SettingsError("names choose the series of points")
    series = {} if names is None else {"seriesNames": json.dumps(list(names))}
    _, address = _ENDPOINTS[of]()
    query = urllib.parse.urlencode({**chosen, **series})
    return f"{address}?{query}" if query else address


def write_export(new_service: Callable[[], Service], address: str, path: str) -> None:
    """Writes a file in one attempt, completely or not at all: under another name, then renamed."""
    partial = f"{path}.{os.getpid()}.partial"
    service = new_service()
    try:
        end = b""
        with open(partial, "wb") as file:
            for piece in service.pieces("GET", address):
                file.write(piece)
                end = (end + piece)[-len(_MAGIC) :]
            if end != _MAGIC:
                raise IncompleteStream("the file is incomplete")
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        service.close()
        if os.path.exists(partial):
            os.remove(partial)
