"""Reads the database of one project of Trackio, of any version: missing tables are empty."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class Project:
    """Opened for each read, to read only; raises sqlite3.Error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem
        self._columns: dict[str, set[str]] = {}
        with self._open() as database:
            names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for name in names:
                self._columns[name] = {row[1] for row in database.execute(f'PRAGMA table_info("{name}")')}
        if "metrics" not in self._columns:
            raise sqlite3.DatabaseError("it has no table of metrics")

    @property
    def has_ids(self) -> bool:
        """Whether runs have ids: those of old versions have only names."""
        return "run_id" in self._columns["metrics"]

    def runs(self) -> list[tuple[str, str]]:
        """Returns ids and names of the runs, oldest first."""
        found: dict[str, str] = {}
        column = "run_id" if self.has_ids else "run_name"
        for table in ("configs", "metrics", "system_metrics"):
            if column in self._columns.get(table, ()):
                for row in self._read(
                    f"SELECT {column} AS id, run_name FROM {table} GROUP BY {column} ORDER BY MIN(id)"
                ):
                    found[str(row["id"])] = str(row["run_name"])
        return list(found.items())

    def rows(self, table: str, run_id: str) -> Iterator[Row]:
        """Yields the rows of a run in the order of storage."""
        columns = self._columns.get(table, set())
        column = "run_id" if "run_id" in columns else "run_name"
        if column in columns:
            yield from self._read(f"SELECT rowid AS place, * FROM {table} WHERE {column} = ? ORDER BY rowid", run_id)

    def artifacts(self, run_id: str, name: str) -> list[Row]:
        if "artifact_versions" not in self._columns:
            return []
        return list(
            self._read(
                "SELECT artifacts.name, artifacts.type, artifacts.description, v.version, v.manifest, v.metadata "
                "FROM artifact_versions AS v JOIN artifacts ON artifacts.id = v.artifact_id "
                "WHERE v.producer_run_id = ? OR (v.producer_run_id IS NULL AND v.producer_run_name = ?) "
                "ORDER BY v.artifact_id, v.version",
                run_id,
                name,
            )
        )

    def _read(self, text: str, *values: str) -> Iterator[Row]:
        with self._open() as database:
            database.row_factory = sqlite3.Row
            for row in database.execute(text, values):
                yield dict(row)

    def _open(self) -> _Opened:
        return _Opened(self.path)


class _Opened:
    """A connection that closes at the end of `with`."""

    def __init__(self, path: Path) -> None:
        # Trackio may go on recording beside it.
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)

    def __enter__(self) -> sqlite3.Connection:
        return self._database

    def __exit__(self, *_: Any) -> None:
        self._database.close()


def json_in(text: Any) -> Any:
    """Parses a column; None: it has nothing, or no JSON."""
    try:
        return json.loads(text) if text else None
    except (TypeError, ValueError):
        return None
