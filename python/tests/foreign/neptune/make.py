"""
Writes `export/` with neptune-exporter's own code: commit 8d3f44a of its repository, which PyPI
does not have, pyarrow 21 and pandas 2.3.3. Neptune's service is gone: its answers are made here.

    python make.py
"""

from __future__ import annotations

import math
import shutil
import struct
import zlib
from pathlib import Path

import neptune_exporter.exporters.neptune3 as neptune3
import pandas as pd
from neptune_exporter.export_manager import ExportManager
from neptune_exporter.exporters.error_reporter import ErrorReporter
from neptune_exporter.progress.listeners import NoopProgressListenerFactory
from neptune_exporter.storage.parquet_reader import ParquetReader
from neptune_exporter.storage.parquet_writer import ParquetWriter
from neptune_query.types import Histogram

HERE = Path(__file__).parent / "export"
START = pd.Timestamp("2025-03-01T10:00:00Z")


def png() -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    rows = b"".join(b"\x00" + bytes([200, 30, 30] * 2) for _ in range(2))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PARAMETERS = {
    "sys/id:string": ["DEMO-1", "DEMO-2"],
    "sys/custom_run_id:string": ["first", "half/steps"],
    "sys/name:string": ["my experiment", "other"],
    "sys/description:string": ["notes of the run", None],
    "sys/tags:string_set": [["b", "a"], None],
    "sys/group_tags:string_set": [["g1"], None],
    "sys/owner:string": ["ada", "ada"],
    "sys/creation_time:datetime": [START, START],
    "sys/ping_time:datetime": [START + pd.Timedelta(hours=1), START],
    "sys/failed:bool": [False, True],
    "parameters/lr:float": [0.1, None],
    "parameters/layers:int": [12, 2**40],
    "parameters/name:string": ["größe", None],
    "parameters/fp16:bool": [True, None],
    "parameters/when:datetime": [START, None],
}
METRICS = {
    ("first", "metrics/loss"): [(step, 1 / (step + 1)) for step in range(50)],
    ("first", "metrics/odd"): [(0, math.nan), (1, math.inf), (2, -math.inf), (3, 5e-324), (4, -0.0)],
    ("first", "monitoring/cpu"): [(step, 10.0 + step) for step in range(3)],
    ("half/steps", "metrics/loss"): [(step / 4, float(step)) for step in range(8)],
}
SERIES = {
    ("first", "runtime/stdout"): [(step, f"line {step}\n") for step in range(4)],
    ("first", "note"): [(2, "warm"), (3, "cold")],
    ("first", "weights"): [(1, Histogram("COUNTING", [0.0, 1.0, 2.0], [3.0, 4.0]))],
}
FILES = {("first", "files/config"): ("config.yaml", b"a: 1\n"), ("half/steps", "files/config"): ("c.bin", b"\0\1")}
PICTURES = {("first", "pictures"): [(0, png()), (5, png())]}


class Answers:
    """What neptune-query would say."""

    def list_runs(self, project, runs):
        return ["first", "half/steps"]

    def fetch_runs_table(self, project, runs, attributes, **_):
        kinds = attributes.type
        if "file" in kinds:
            frame = {f"{path}:file": [None] * len(runs) for _, path in FILES}
            for (run, path), (name, content) in FILES.items():
                frame[f"{path}:file"][runs.index(run)] = (run, path, name, content)
        elif "string_series" in kinds:
            frame = {
                f"{path}:{'histogram' if path == 'weights' else 'string'}_series": [None] * 2 for _, path in SERIES
            }
        else:
            frame = PARAMETERS
        return pd.DataFrame(frame, index=pd.Index(runs, name="run"))

    def list_attributes(self, project, runs, attributes):
        known = {"float_series": METRICS, "file": FILES, "file_series": PICTURES}[attributes.type[0]]
        return sorted({path for _, path in known})

    def fetch_metrics(self, project, runs, attributes, **_):
        return self._series(METRICS, attributes)

    def fetch_series(self, project, runs, attributes, **_):
        if not isinstance(attributes, list):
            return self._series(PICTURES, attributes.name)
        return self._series(SERIES, attributes)

    def _series(self, known, attributes):
        cells: dict = {}
        for (run, path), rows in known.items():
            if path in attributes:
                for step, value in rows:
                    cells.setdefault((run, float(step)), {})[path, "value"] = value
                    cells[run, float(step)][path, "absolute_time"] = START + pd.Timedelta(seconds=step)
        frame = pd.DataFrame.from_dict(cells, orient="index")
        frame.index = pd.MultiIndex.from_tuples(frame.index, names=["run", "step"])
        frame.columns = pd.MultiIndex.from_tuples(frame.columns)
        return frame.sort_index()

    def download_files(self, files, destination):
        rows: dict = {}
        for (run, path), each in {**FILES, **PICTURES}.items():
            for step, content in each if isinstance(each, list) else [(None, each[1])]:
                wanted = isinstance(files.index, pd.MultiIndex) == isinstance(each, list)
                if not wanted:
                    continue
                name = path if step is None else f"{path}/step_{step}"
                target = destination / run.replace("/", "_") / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                rows.setdefault((run, step), {})[path] = str(target)
        return pd.DataFrame(list(rows.values()), index=pd.MultiIndex.from_tuples(rows, names=["run", "step"]))


shutil.rmtree(HERE, ignore_errors=True)
neptune3.nq_runs = Answers()
exporter = neptune3.Neptune3Exporter(error_reporter := ErrorReporter(HERE.parent / "errors.jsonl"), api_token=None)
ExportManager(
    exporter=exporter,
    reader=ParquetReader(HERE / "data"),
    writer=ParquetWriter(HERE / "data"),
    files_destination=HERE / "files",
    error_reporter=error_reporter,
    progress_listener_factory=NoopProgressListenerFactory(),
).run(project_ids=["team/demo"])
exporter.close()
