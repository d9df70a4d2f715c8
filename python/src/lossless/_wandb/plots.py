"""`wandb.plot`: kept as what is drawn and the numbers of it, for pages that draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._ground.unsupported import Unsupported
from .._media.media import Plot, Table

_COLUMNS = ("x", "y", "label", "value")


class Plots:
    def line(
        self, table: Any, x: Any = None, y: Any = None, stroke: Any = None, title: str = "", *_: Any, **__: Any
    ) -> Plot:
        return Plot("line", _given(x=x, y=y, stroke=stroke, title=title), table)

    def scatter(self, table: Any, x: Any = None, y: Any = None, title: str = "", *_: Any, **__: Any) -> Plot:
        return Plot("scatter", _given(x=x, y=y, title=title), table)

    def bar(self, table: Any, label: Any = None, value: Any = None, title: str = "", *_: Any, **__: Any) -> Plot:
        return Plot("bar", _given(label=label, value=value, title=title), table)

    def histogram(self, table: Any, value: Any = None, title: str = "", *_: Any, **__: Any) -> Plot:
        return Plot("histogram", _given(value=value, title=title), table)

    def line_series(
        self, xs: Any = (), ys: Any = (), keys: Any = None, title: str = "", xname: str = "x", *_: Any, **__: Any
    ) -> Plot:
        rows: list[list[Any]] = []
        for place, y in enumerate(_lists(ys)):
            x = _lists(xs)[place] if _is_nested(xs) else list(xs)
            key = str(keys[place]) if keys is not None else f"line {place}"
            rows += [[one, key, other] for one, other in zip(x, y)]
        table = Table(columns=["x", "key", "y"], data=rows)
        return Plot("line_series", _given(x="x", y="y", stroke="key", title=title, xname=xname), table)

    def confusion_matrix(
        self,
        probs: Any = None,
        y_true: Any = None,
        preds: Any = None,
        class_names: Any = None,
        title: str = "",
        *_: Any,
        **__: Any,
    ) -> Plot:
        """Counts pairs of classes (rows: the truth), by the most probable one or by `preds`."""
        truth = _numbers(y_true)
        guesses = _numbers(preds) if preds is not None else [_largest(row) for row in _lists(probs)]
        count = max([*truth, *guesses, -1]) + 1
        names = (
            [str(each) for each in class_names]
            if class_names is not None
            else [f"Class_{each}" for each in range(count)]
        )
        counts: dict[tuple[int, int], int] = {}
        for actual, guess in zip(truth, guesses):
            counts[actual, guess] = counts.get((actual, guess), 0) + 1
        rows = [[names[a], names[b], counts.get((a, b), 0)] for a in range(len(names)) for b in range(len(names))]
        fields = _given(actual="Actual", predicted="Predicted", value="nPredictions", title=title)
        return Plot("confusion_matrix", fields, Table(columns=["Actual", "Predicted", "nPredictions"], data=rows))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return Unsupported(f"plot.{name}", hint="; log the numbers of it as a Table, or a figure of matplotlib")

    def __repr__(self) -> str:
        return "<lossless: plot>"


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _lists(values: Any) -> list[list[Any]]:
    values = values.tolist() if hasattr(values, "tolist") else values
    return [each.tolist() if hasattr(each, "tolist") else list(each) for each in values or ()]


def _is_nested(values: Any) -> bool:
    return (
        isinstance(values, Sequence)
        and len(values) > 0
        and (hasattr(values[0], "__len__") and not isinstance(values[0], str))
    )


def _numbers(values: Any) -> list[int]:
    values = values.tolist() if hasattr(values, "tolist") else values
    return [int(each) for each in values or ()]


def _largest(row: list[Any]) -> int:
    return max(range(len(row)), key=lambda place: float(row[place]))
