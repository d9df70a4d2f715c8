"""One run of tables: a file, or a directory of DVCLive with a file for each metric."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..._ground.errors import LosslessError
from ..._tensorboard.hparams import yaml_hparams
from ..._tensorboard.plain_yaml import plain_yaml
from ..source import Item, LeftOut, Note, SourceRun, StoredFile
from .json_lines import JsonLines
from .table import Table

JSON_ENDS = (".jsonl", ".ndjson", ".jsonlines")


class TableRun(SourceRun):
    """A file. Lightning's `hparams.yaml` beside it is its config."""

    def __init__(self, path: Path, slug: str, step_column: str | None) -> None:
        self.key = slug
        self.slug = slug
        self._path = path
        self._step_column = step_column
        self._reset()

    @property
    def place(self) -> str:
        return str(self._path)

    @property
    def size(self) -> int:
        return self._path.stat().st_size

    def items(self) -> Iterator[Item]:
        self._reset()
        if (self._path.parent / "hparams.yaml").is_file():
            try:
                config, problem = yaml_hparams(self._path.parent)
                self.head.config = dict(config)
                self.problems += [] if problem is None else [problem]
            except LosslessError as error:
                self.problems.append(str(error))
        if is_json_lines(self._path):
            file = JsonLines(self._path, self._step_column)
            yield from file.items()
            self.problems += file.problems
            self.left_out.update(file.left_out)
            return
        table = Table(self._path, self._step_column)
        yield from table.numbers()
        self.problems += table.problems
        self.left_out.update(table.left_out)
        self.head.facts.update(table.facts)


class DvcLiveRun(SourceRun):
    """A directory of DVCLive: a table for each metric, `metrics.json`, `params.yaml`, plots."""

    def __init__(self, directory: Path, slug: str) -> None:
        self.key = slug
        self.slug = slug
        self._directory = directory
        self._reset()

    @property
    def place(self) -> str:
        return str(self._directory)

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self._tables())

    def items(self) -> Iterator[Item]:
        self._reset()
        self._read_params()
        root = self._directory / "plots" / "metrics"
        for path in self._tables():
            # The column has the last part of the name; the file all of it.
            name = path.relative_to(root).with_suffix("").as_posix()
            table = Table(path, "step", os.path.dirname(name) + "/" if "/" in name else "")
            for number in table.numbers():
                yield number._replace(id=f"{name}-{number.id}")
            self.problems += table.problems
            self.left_out.update(table.left_out)
        summary = self._metrics()
        if summary:
            yield Note("summary", "summary of the run", {"kind": "summary", "summary": summary})

    def files(self) -> Iterable[StoredFile]:
        return [
            StoredFile(path, path.relative_to(self._directory).as_posix())
            for path in sorted(self._directory.rglob("*"))
            if path.is_file() and path not in self._tables()
        ]

    def _tables(self) -> list[Path]:
        return sorted((self._directory / "plots" / "metrics").rglob("*.tsv"))

    def _read_params(self) -> None:
        path = self._directory / "params.yaml"
        if path.is_file():
            config, beyond = plain_yaml(path.read_text(encoding="utf-8", errors="replace"))
            self.head.config = config
            self.left_out.update({LeftOut(f"param {name}", "its YAML is not understood"): 1 for name in beyond})

    def _metrics(self) -> dict[str, Any]:
        try:
            content = json.loads((self._directory / "metrics.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}


def is_json_lines(path: Path) -> bool:
    return path.name.removesuffix(".gz").lower().endswith(JSON_ENDS)


def is_dvclive(directory: Path) -> bool:
    return (directory / "plots" / "metrics").is_dir()
