"""`wandb.plot`: kept as what is drawn and the numbers of it, for pages that draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._ground.unsupported import Unsupported
from .._media.media import Plot, Table

# A curve has a point for each score: so many are kept, the ends among them.
_POINTS_MAX = 1_000


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
        fields = _given(actual="Actual", predicted="Predicted", value="nPredictions", title=title)
        return Plot("confusion_matrix", fields, lambda: _confusion(probs, y_true, preds, class_names))

    def roc_curve(
        self,
        y_true: Any = None,
        y_probas: Any = None,
        labels: Any = None,
        classes_to_plot: Any = None,
        *_: Any,
        **more: Any,
    ) -> Plot:
        """A line for each class: how many of it are found, and how many others with them."""
        fields = _given(x="fpr", y="tpr", stroke="class", title=more.get("title") or "ROC")
        return Plot("line", fields, lambda: _roc(_Scored(y_true, y_probas, labels, classes_to_plot)))

    def pr_curve(
        self,
        y_true: Any = None,
        y_probas: Any = None,
        labels: Any = None,
        classes_to_plot: Any = None,
        *_: Any,
        **more: Any,
    ) -> Plot:
        """A line for each class: how many of it are found, and how many found are of it."""
        fields = _given(x="recall", y="precision", stroke="class", title=more.get("title") or "Precision v. Recall")
        return Plot("line", fields, lambda: _precision(_Scored(y_true, y_probas, labels, classes_to_plot)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return Unsupported(f"plot.{name}", hint="; log the numbers of it as a Table, or a figure of matplotlib")

    def __repr__(self) -> str:
        return "<lossless: plot>"


def _confusion(probs: Any, y_true: Any, preds: Any, class_names: Any) -> Table:
    truth = _numbers(y_true)
    guesses = _numbers(preds) if preds is not None else [_largest(row) for row in _lists(probs)]
    count = max([*truth, *guesses, -1]) + 1
    names = (
        [str(each) for each in class_names] if class_names is not None else [f"Class_{each}" for each in range(count)]
    )
    counts: dict[tuple[int, int], int] = {}
    for actual, guess in zip(truth, guesses):
        counts[actual, guess] = counts.get((actual, guess), 0) + 1
    rows = [[names[a], names[b], counts.get((a, b), 0)] for a in range(len(names)) for b in range(len(names))]
    return Table(columns=["Actual", "Predicted", "nPredictions"], data=rows)


class _Scored:
    """What a classifier gave: `y_probas` has a column for each class, in their order."""

    def __init__(self, y_true: Any, y_probas: Any, labels: Any, classes_to_plot: Any) -> None:
        truth = y_true.tolist() if hasattr(y_true, "tolist") else list(y_true)
        scores = _lists(y_probas)
        classes = sorted(set(truth))
        if len(truth) != len(scores) or any(len(row) < len(classes) for row in scores):
            raise ValueError("y_probas has a row for each of y_true, with a number for each class")
        wanted = classes if classes_to_plot is None else [each for each in classes if each in classes_to_plot]
        self.names = {each: str(each if labels is None else labels[classes.index(each)]) for each in wanted}
        self._truth, self._scores, self._classes = truth, scores, classes

    def lines(self) -> Iterator[tuple[str, list[tuple[int, int]], int, int]]:
        """
        For each class its name, how many of it and of others have each score or more, and how many
        there are.
        """
        for each, name in self.names.items():
            place = self._classes.index(each)
            pairs = sorted(
                ((float(row[place]), own == each) for row, own in zip(self._scores, self._truth)), reverse=True
            )
            found, counts = [0, 0], []
            for at, (score, is_it) in enumerate(pairs):
                found[0 if is_it else 1] += 1
                if at + 1 == len(pairs) or pairs[at + 1][0] != score:
                    counts.append((found[0], found[1]))
            every = max(1, -(-len(counts) // _POINTS_MAX))
            yield name, [*counts[:-1:every], counts[-1]], found[0], found[1]


def _roc(scored: _Scored) -> Table:
    rows: list[list[Any]] = []
    for name, counts, own, others in scored.lines():
        rows += [[name, wrong / max(others, 1), right / max(own, 1)] for right, wrong in [(0, 0), *counts]]
    return Table(columns=["class", "fpr", "tpr"], data=rows)


def _precision(scored: _Scored) -> Table:
    rows: list[list[Any]] = []
    for name, counts, own, _ in scored.lines():
        rows += [[name, right / max(own, 1), right / (right + wrong)] for right, wrong in counts]
    return Table(columns=["class", "recall", "precision"], data=rows)


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
