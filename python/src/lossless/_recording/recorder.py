"""Turns what a script logs into lines of the spool: see _values/records.py."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._ground.signal_handlers import is_of_signal_handler
from .._ground.unsupported import Unsupported
from .._ground.wire_numbers import (
    ANNOTATION_CHARACTERS_MAX,
    DESCRIPTION_CHARACTERS_MAX,
    ERROR_CHARACTERS_MAX,
    JSON_META_BYTES_MAX,
    TIMESTAMP_MS_MAX,
)
from .._spool.spool import SpoolWriter
from .._values.records import encode, packer
from .._values.size_limit import is_too_large, listed, short, smaller
from .._values.values import (
    flattened,
    integer_of,
    meta_json,
    name_problem,
    number_of,
    step_of,
    storable,
    with_point_meta,
)
from .kept_lines import KeptLines
from .logged_texts import TEXTS_MAX
from .media_of_log import MediaOfLog
from .nonfinite_notes import NonfiniteNotes
from .refusals import Refusals
from .run_summary import RunSummary
from .sender_pipe import SenderPipe

# Names kept at most: a script may make up names, and beyond, all are checked again.
_NAMES_MAX = 100_000
_SHAPES_MAX = 1_000
# Leaves room for the rest of the annotation.
_SUMMARY_BYTES_MAX = JSON_META_BYTES_MAX - 64
_FLOATS = {float}
_NAN = float("nan")
_NO_TIMESTAMP = "its timestamp is not from 0 to 2^53 - 1"
# Values under names that the service refuses: the new name, the value, the original.
_Renamed = list[tuple[str, "float | int", Mapping[str, Any]]]

_time_ns = time.time_ns


class _Shape(NamedTuple):
    names: str
    packed: Callable[..., str]


class Recorder:
    """
    The records of one process. `warn(kind, text)` warns the user once for each kind,
    `too_late(points)` is called for points after `close`; without a spool everything is lost, and
    counted. May raise anything that a script's own values raise. Not for several threads at once.
    """

    def __init__(
        self,
        spool: SpoolWriter | None,
        base_meta: Mapping[str, str],
        warn: Callable[[str, str], None],
        too_late: Callable[[int], None],
        next_step: int = 0,
        pipe: Callable[[], SenderPipe | None] = lambda: None,
    ) -> None:
        self._warn = warn
        self._lines = KeptLines(spool, self._disk_failed, too_late, pipe)
        self._base_meta = base_meta
        self._base_meta_json = meta_json(base_meta) if base_meta else "null"
        # The number of the next point: ids are in order, and never repeat.
        self.counter = 1
        # As in W&B, a repeated key replaces its value within a step, until a commit.
        self.keeps_last = False
        # The step of the next call without one.
        self.next_step = next_step
        # The step of the last call of this process.
        self.last_step: int | None = None
        self.summary = RunSummary()
        self._last = self.summary.last
        # Shapes of calls with only valid names, by their names.
        self._shapes: dict[tuple[str, ...], _Shape] = {}
        self._refusals = Refusals()
        self._texts = self.summary.texts
        self.media = MediaOfLog(None if spool is None else spool.directory, warn, self.refuse, self._lines.lose)
        self._nonfinite = NonfiniteNotes(self.annotate)

    @property
    def lost(self) -> int:
        """Points lost because the disk and the memory for them were full."""
        return self._lines.lost

    @property
    def lost_unless_sent(self) -> int:
        """Number of these that are only in the sender's memory."""
        return self._lines.lost_unless_sent

    def refused_by_reason(self) -> dict[str, int]:
        return self._refusals.by_reason()

    # ---- points

    def log(
        self,
        metrics: Mapping[str, Any],
        step: Any,
        commit: bool | None,
        meta: Mapping[str, Any] | None,
        timestamp_ms: int | None,
    ) -> None:
        """Records as described for Experiment.log."""
        if step is None:
            at = self.next_step
            if commit is not False:
                self.next_step = at + 1
        else:
            # Plain integers, which most steps are, need no further checks.
            at = step if type(step) is int and 0 <= step < 2**53 - 1 else self._checked_step(step, metrics)
            if at < 0:
                return
            # A call without a step belongs to it, until a commit.
            self.next_step = at + 1 if commit else at
        self.last_step = at
        # A further member marks a step that goes on.
        end = ",1]" if self.keeps_last and (commit is False or (commit is None and step is not None)) else "]"
        now_ms = _time_ns() // 1_000_000 if timestamp_ms is None else int(timestamp_ms)
        shape = self._shapes.get(tuple(metrics))
        if shape is not None and timestamp_ms is None:
            # The usual call: known names, and floats.
            values = metrics.values()
            total = sum(values) if set(map(type, values)) == _FLOATS else _NAN
            # The sum minus itself is not 0 if it has NaN or infinities.
            if total - total == 0.0:
                partition = self._base_meta_json if meta is None else self._partition(meta, len(values))
                if partition is None:
                    return
                self._last.update(metrics)
                if self.summary.metrics is not None:
                    self.summary.metrics.take(metrics)
                number = self.counter
                self.counter = number + len(values)
                text = f'["p",{number},{now_ms},{at},{shape.names},"{shape.packed(*values)}",{partition}{end}'
                return self._lines.append(text, len(values))
        good = self._take_all(metrics, at, now_ms, meta, end)
        if not good:
            return
        if shape is None and tuple(good) == tuple(metrics) and len(self._shapes) < _SHAPES_MAX:
            self._shapes[tuple(good)] = _Shape(encode(list(good)), packer(len(good)))
        self._write(good, at, now_ms, meta, end)

    def log_row(self, metrics: Mapping[str, Any], step: int, timestamp_ms: int) -> None:
        """Records values counted elsewhere: the steps of `log` do not advance."""
        at = self._checked_step(step, metrics)
        if at >= 0:
            good = self._take_all(metrics, at, timestamp_ms, None, "]")
            if good:
                self._write(good, at, timestamp_ms, None, "]")

    def _take_all(
        self, metrics: Mapping[str, Any], at: int, now_ms: int, meta: Mapping[str, Any] | None, end: str
    ) -> dict[str, float | int]:
        """
        Returns the values that may be written as they are; all others are written, noted or
        refused.
        """
        known = self._last
        good: dict[str, float | int] = {}
        renamed: _Renamed = []
        for name, value in metrics.items():
            # Only NaN and infinities are floats that minus themselves are not 0.
            if type(value) is float and value - value == 0.0 and name in known and name not in good:
                good[name] = value
            else:
                self._take(name, value, good, renamed, at, now_ms, meta)
        for fitting, single, tag in renamed:
            self._write({fitting: single}, at, now_ms, meta, end, tag)
        return good

    def _write(
        self,
        good: dict[str, float | int],
        at: int,
        now_ms: int,
        meta: Mapping[str, Any] | None,
        end: str,
        tag: Mapping[str, Any] | None = None,
    ) -> None:
        self._last.update(good)
        if self.summary.metrics is not None:
            self.summary.metrics.take(good)
        if len(self._last) > _NAMES_MAX:
            self._last.clear()
        if not 0 <= now_ms <= TIMESTAMP_MS_MAX:
            return self.refuse(len(good), _NO_TIMESTAMP)
        partition = self._partition_of(meta, len(good), tag)
        if partition is not None:
            number = self.counter
            self.counter = number + len(good)
            self._lines.append(f'["m",{number},{now_ms},{at},{encode(good)},{partition}{end}', len(good))

    def _take(
        self,
        name: Any,
        value: Any,
        good: dict[str, float | int],
        renamed: _Renamed,
        step: int,
        now_ms: int,
        meta: Mapping[str, Any] | None,
    ) -> None:
        """Handles everything that is not a plain float under a known name."""
        if isinstance(value, Mapping):
            for inner, each in flattened(value, f"{name}."):
                self._take(inner, each, good, renamed, step, now_ms, meta)
            return
        name = str(name)
        if name in good:
            return self.refuse(1, f"{short(name)}: twice in one call")
        if isinstance(value, Unsupported) or _are_unsupported(value):
            # It warned when it was created.
            return
        why = ""
        try:
            number = number_of(value)
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            if isinstance(error, OverflowError):
                return self.refuse(1, f"{short(name)}: a number beyond those of 64 bits")
            # An error of the GPU, for instance, is from an earlier call.
            number, why = None, f" ({type(error).__name__}: {str(error)[:100]})"
        if number is None:
            if isinstance(value, str):
                return self._note_text(name, str(value), step, now_ms, meta)
            if self.media.take(name, value, step, now_ms, lambda: self._partition_of(meta, 1, None)):
                return
            why = "; a Table or a Histogram keeps several" if isinstance(value, (list, tuple)) else why
            return self.refuse(1, f"{short(name)}: {type(value).__name__} is not a number{why}")
        if isinstance(number, float) and abs(number) >= 2**53:
            exact = integer_of(value)
            if exact is not None and exact != number:
                self._warn(f"rounded {name}", f"{short(name)}: {exact} is rounded to {number!r}, a 64-bit number")
        if name not in self._last:
            problem = name_problem(name)
            if problem is not None:
                return self._take_renamed(name, number, problem, renamed, step, now_ms, meta)
        if number - number == 0:
            good[name] = number
        else:
            self._last[name] = number
            if self.summary.metrics is not None:
                self.summary.metrics.take_nonfinite(name, number)
            self._note_nonfinite(name, number, step, now_ms, meta)

    def _take_renamed(
        self,
        tag: str,
        number: float | int,
        problem: str,
        renamed: _Renamed,
        step: int,
        now_ms: int,
        meta: Mapping[str, Any] | None,
    ) -> None:
        """Renames a metric as `lossless import tensorboard` does."""
        if not tag:
            return self.refuse(1, "a metric without a name")
        from .._values.metric_names import metric_name

        name, original = metric_name(tag)
        if any((each, meta_of) == (name, original) for each, _, meta_of in renamed):
            return self.refuse(1, f"{short(tag)}: twice in one call")
        self._warn("metric name", f"{short(tag)}: {problem}: recorded as {short(name)}, with the name in its meta")
        if number - number == 0:
            renamed.append((name, number, original))
        else:
            self._note_nonfinite(name, number, step, now_ms, meta, original)

    def _note_text(self, name: str, text: str, step: int, now_ms: int, meta: Mapping[str, Any] | None) -> None:
        """Notes a text once until it changes, such as the name of a schedule."""
        partition = self._partition_of(meta, 1, None)
        if partition is None or self._texts.is_again(name, partition, text):
            return
        if self._texts.is_full:
            return self.refuse(1, f"{short(name)}: more than {TEXTS_MAX} texts")
        self._texts.take(name, partition, text)
        note = {"kind": "text", "metricName": storable(name), "step": step, "timestampMs": now_ms}
        self.annotate(f"{name}: {text}", with_point_meta(note, partition))

    def _note_nonfinite(
        self,
        name: str,
        value: float,
        step: int,
        now_ms: int,
        meta: Mapping[str, Any] | None,
        tag: Mapping[str, Any] | None = None,
    ) -> None:
        if not 0 <= now_ms <= TIMESTAMP_MS_MAX:
            return self.refuse(1, _NO_TIMESTAMP)
        partition = self._partition_of(meta, 1, tag)
        if partition is not None:
            self._nonfinite.take(name, value, step, now_ms, partition)

    def _checked_step(self, step: Any, metrics: Mapping[str, Any]) -> int:
        try:
            checked = step_of(step)
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            checked = None
        if checked is None:
            self._warn("step", f"{short(str(step))} is not a step")
            self.refuse(len(metrics), "its step is not an integer from 0 to 2^53 - 2")
            return -1
        return checked

    def _partition_of(self, meta: Mapping[str, Any] | None, points: int, tag: Mapping[str, Any] | None) -> str | None:
        if tag is None:
            return self._base_meta_json if meta is None else self._partition(meta, points)
        return self._partition({} if meta is None else meta, points, tag)

    def _partition(self, meta: Mapping[str, Any], points: int, tag: Mapping[str, Any] | None = None) -> str | None:
        try:
            return meta_json({**(tag or {}), **self._base_meta, **meta})
        except (ValueError, TypeError, AttributeError) as error:
            if is_of_signal_handler(error):
                raise
            self.refuse(points, str(error))
            return None

    # ---- everything else

    def open(self, meta: Mapping[str, Any], description: str, folder: list[str] | None) -> None:
        """Opens the experiment. Empty values are left out: the experiment keeps its own."""
        content = dict(meta)
        if is_too_large(content, encode(content)):
            content, left_out = smaller(content)
            self._warn("config", f"the config has more than {JSON_META_BYTES_MAX} bytes: without {listed(left_out)}")
        given: dict[str, Any] = {"meta": content} if content else {}
        if description:
            given["description"] = storable(description)[:DESCRIPTION_CHARACTERS_MAX]
        if folder is not None:
            given["folder"] = folder
        self._lines.append(f'["o",{encode(given)}]', 0)

    def start(self) -> None:
        self._lines.append('["s"]', 0)

    def annotate(self, text: str, meta: Any) -> None:
        if not text:
            return self.refuse(1, "an annotation without text")
        text = storable(text)
        if len(text) > ANNOTATION_CHARACTERS_MAX:
            self._warn("annotation", f"an annotation was cut to {ANNOTATION_CHARACTERS_MAX} characters")
            text = text[:ANNOTATION_CHARACTERS_MAX]
        encoded = encode(meta)
        if is_too_large(meta, encoded):
            return self.refuse(1, f"an annotation's meta has more than {JSON_META_BYTES_MAX} bytes")
        self._lines.append(f'["a",{encode(text)},{encoded}]', 1)

    def refuse(self, points: int, reason: str) -> None:
        self._warn(f"refused {reason}", f"not recorded: {reason}")
        for count, told in self._refusals.add(points, reason):
            self._append_refusal(count, told)

    def end(self, error: str | None, summary: Mapping[str, Any]) -> None:
        """Writes the last lines; `error` ends it as failed."""
        self._nonfinite.end()
        noted = self.summary.noted(summary)
        if noted:
            self._note_summary(noted)
        for count, reason in self._refusals.rest():
            self._append_refusal(count, reason)
        if error is None:
            self._lines.append('["d"]', 0)
        else:
            self._lines.append(f'["e",{encode(storable(error)[:ERROR_CHARACTERS_MAX] or "error")},{{}}]', 0)

    def _note_summary(self, summary: dict[str, Any]) -> None:
        """Notes the summary. A value that is too large, such as a list, costs no other."""
        if is_too_large(summary, encode(summary), _SUMMARY_BYTES_MAX):
            summary, left_out = smaller(summary, _SUMMARY_BYTES_MAX)
            self.refuse(
                len(left_out), f"the summary has more than {_SUMMARY_BYTES_MAX} bytes: without {listed(left_out)}"
            )
        if summary:
            self.annotate("summary", {"kind": "summary", "summary": summary})

    def write_kept(self) -> bool:
        """Writes what waits in memory, or hands it to the sender; returns whether nothing waits."""
        return self._lines.write_kept()

    def give_up(self) -> None:
        """Counts what still waits in memory as lost."""
        self._lines.give_up()

    def close(self) -> None:
        """Ends it: later calls, from one that a signal handler interrupted, come too late."""
        self._lines.close()

    def _append_refusal(self, count: int, reason: str) -> None:
        self._lines.append(f'["x",{count},{encode(reason)}]', 0)

    def _disk_failed(self, error: OSError) -> None:
        self._warn("disk", f"the spool cannot be written ({error}): points wait in memory")


def _are_unsupported(value: Any) -> bool:
    """Whether it is a list of unsupported pictures."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(each, Unsupported) for each in value)
