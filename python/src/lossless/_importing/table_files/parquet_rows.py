"""Values of Parquet files with a row for each step, such as W&B's exported history."""

from __future__ import annotations

import decimal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..._ground.errors import LosslessError
from ..._ground.warning import counted
from ..parquet_files.damage import Damaged
from ..parquet_files.parquet_file import ParquetFile
from ..source import Item, SourceRun
from .json_lines import JsonLines


class ParquetRun(SourceRun):
    """One file, or the parts `0000.parquet`, `0001.parquet` … of one run."""

    def __init__(self, paths: list[Path], slug: str, step_column: str | None) -> None:
        self.key = slug
        self.slug = slug
        self._paths = paths
        self._step_column = step_column
        self._reset()

    @property
    def place(self) -> str:
        return str(self._paths[0]) + (f" and {len(self._paths) - 1} more" if len(self._paths) > 1 else "")

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self._paths)

    def items(self) -> Iterator[Item]:
        self._reset()
        rows = JsonLines(self._paths[0], self._step_column)
        read = before = 0
        # A part that cannot be opened does not say how many rows it has.
        is_counted = True
        for path in self._paths:
            unnumbered = 0
            part = f"{path.stem}." if path.stem.isdigit() else ""
            try:
                file = ParquetFile(path)
            except Damaged as error:
                self.problems.append(f"damaged: {path}: {error}")
                is_counted = False
                continue
            try:
                for values in file.read(file.columns):
                    # A null says that the row has no value of this column.
                    content = {
                        name: _plain(value)
                        for name, value in zip(file.columns, values)
                        if value is not None and _is_own(name)
                    }
                    if is_counted or rows.is_numbered(content):
                        yield from rows.row(content, f"{part}{file.row}", repr(content), before + file.row)
                    else:
                        unnumbered += 1
                self.problems += file.problems
                read += 1
            except Damaged as error:
                self.problems.append(f"damaged: {path}: {error}")
            before += file.rows
            if unnumbered:
                self.problems.append(
                    f"{path}: {counted(unnumbered, 'row')} without a step and a time of their own cannot be numbered, "
                    "because a part before it cannot be read"
                )
        if read == 0:
            # Without any content there is no experiment either.
            raise LosslessError("; ".join(self.problems))
        self.left_out.update(rows.left_out)


def _plain(value: Any) -> Any:
    """Returns the value with numbers of JSON in the place of decimals."""
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def _is_own(name: str) -> bool:
    """Whether it is the run's: pandas and W&B have columns of their own."""
    return name != "_wandb" and not name.startswith("__index_level_")
