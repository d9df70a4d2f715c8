"""Values of a file with a JSON object in each line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..source import Item, LeftOut, Number, Text
from ..tree import leaves, number_or_text
from .lines import Lines
from .table import BASE_MS

_STEPS = ("step", "_step", "global_step", "trainer/global_step", "iteration", "iter", "epoch")
_TIMES = ("_timestamp", "timestamp", "timestamp_ms", "time", "wall_time")
_WRONG_TOLD = 20


class JsonLines:
    def __init__(self, path: Path, step_column: str | None = None) -> None:
        self._path = path
        self._steps = _STEPS if step_column is None else (step_column,)
        self.problems: list[str] = []
        self.left_out: Counter[LeftOut] = Counter()
        self.facts: dict[str, object] = {}

    def items(self) -> Iterator[Item]:
        self.problems, self.left_out = [], Counter()
        lines = Lines(self._path)
        wrong = row = 0
        for line in lines:
            if not line.text.strip():
                continue
            try:
                content = json.loads(line.text)
                if not isinstance(content, dict):
                    raise ValueError("it is no object")
            except ValueError as error:
                wrong += 1
                if wrong <= _WRONG_TOLD:
                    cut = "" if line.is_whole else ", the file ends within it"
                    self.problems.append(f"{self._path}:{line.number}: no JSON object: {error}{cut}")
                continue
            yield from self.row(content, f"{line.number}", line.text, row)
            row += 1
        if wrong > _WRONG_TOLD:
            self.problems.append(f"{self._path}: and {wrong - _WRONG_TOLD} more wrong lines")
        if lines.problem is not None:
            self.problems.append(lines.problem)

    def is_numbered(self, content: dict[str, Any]) -> bool:
        """Whether the row has a step and a time of its own, so that its number is not needed."""
        return None not in self._names_in(content)

    def _names_in(self, content: dict[str, Any]) -> tuple[str | None, str | None]:
        """Returns the names of step and time."""
        step_name = next((name for name in self._steps if _is_step(content.get(name))), None)
        return step_name, next((name for name in _TIMES if _is_time(content.get(name))), None)

    def row(self, content: dict[str, Any], place: str, text: str, row: int) -> Iterator[Item]:
        step_name, time_name = self._names_in(content)
        step = row if step_name is None else int(content[step_name])
        timestamp_ms = BASE_MS + row + 1
        if time_name is not None:
            stamp = float(content[time_name])
            timestamp_ms = round(stamp) if stamp > 1e11 else round(stamp * 1000)
        digest = hashlib.blake2s(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        for name, inner, value in leaves({k: v for k, v in content.items() if k not in (step_name, time_name)}):
            id, value = f"{place}-{digest}-{inner}", number_or_text(value)
            if isinstance(value, (bool, int, float)):
                yield Number(id, name, step, timestamp_ms, int(value) if isinstance(value, bool) else value)
            elif isinstance(value, str):
                yield Text(id, name, step, timestamp_ms, value)
            elif value is None:
                self.left_out[LeftOut(f"null of {name}", "it is no value")] += 1
            else:
                yield Text(id, name, step, timestamp_ms, json.dumps(value, ensure_ascii=False, default=str))


def _is_step(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value and value % 1 == 0


def _is_time(value: Any) -> bool:
    """Whether it is a time since 1970: seconds since the start are a metric."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 1e8 < value < 1e14
