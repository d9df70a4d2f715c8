"""What a training script holds: one recording."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._config import Config, jsonable
from ._records import encode, line_of
from ._run_names import RunNames
from ._spool import RunInfo, SpoolWriter, new_directory
from ._values import flattened, meta_json, name_problem, number_of, step_of
from ._wire import ANNOTATION_CHARACTERS_MAX, ERROR_CHARACTERS_MAX, JSON_META_BYTES_MAX, TIMESTAMP_MS_MAX

if TYPE_CHECKING:
    from ._artifacts import SavedVersion
    from ._background import Background
    from ._checkpoint import PendingCheckpoint
    from ._experiment_artifacts import ExperimentArtifacts
    from ._report import Report

# Lines that wait in memory while the disk takes none: some minutes of a fast loop.
_KEPT_LINES_MAX = 20_000
_NONFINITE_NOTES_MAX = 10_000
_RETRY_DISK_NS = 500_000_000

_time_ns = time.time_ns


class Experiment(RunNames):
    """
    One recording into one experiment. `log` only appends to a file on this machine: it never waits for a network and
    never raises. A process beside this one sends the file.

    May be used from several threads. A forked child that logs gets a recording of its own into the same experiment.
    """

    def __init__(
        self,
        info: RunInfo,
        root: Path,
        background: Background,
        *,
        config: Mapping[str, Any],
        description: str,
        reserved: Mapping[str, Any],
        base_meta: Mapping[str, str],
    ) -> None:
        self._info = info
        self._root = root
        self._background = background
        self._description = description
        self._reserved = dict(reserved)
        self._base_meta = dict(base_meta)
        self._base_meta_json = meta_json(base_meta) if base_meta else "null"
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._spool: SpoolWriter | None = None
        self._kept: deque[tuple[bytes, int]] = deque()
        self._disk_failed_ns = 0
        self._counter = 1
        self._next_step = 0
        # Names that are good; most calls use the same ones.
        self._names: set[str] = set()
        self._warned: set[str] = set()
        self._nonfinite = 0
        self._uncounted: dict[str, list[Any]] = {}
        self._is_finished = False
        # Points that are nowhere: the disk was full, and so was the memory for them.
        self._lost = 0
        self._refused_here = 0
        self.report: Report | None = None
        self._artifacts: ExperimentArtifacts | None = None
        self.summary = Config({}, lambda: None)
        self.config = Config(config, self._config_changed)
        self._begin()

    # ---- what a script uses

    @property
    def directory(self) -> Path | None:
        """Where this recording waits on this machine; None when it is not recorded."""
        return None if self._spool is None else self._spool.directory

    @property
    def is_finished(self) -> bool:
        return self._is_finished

    @property
    def step(self) -> int:
        """Of the next call of `log` without one."""
        return self._next_step

    def log(
        self,
        metrics: Mapping[str, Any] | None = None,
        step: Any = None,
        *,
        commit: bool | None = None,
        meta: Mapping[str, Any] | None = None,
        timestamp_ms: int | None = None,
        **_ignored: Any,
    ) -> None:
        """
        Records one value for each name. `step` is an integer from 0; left out, it counts calls, and with
        `commit=False` the next call has the same; without metrics it ends the step. `meta` tells partitions of a series apart (rank, split).
        A NaN or infinity becomes an annotation. Nothing is ever raised: what cannot be recorded is counted and told.
        """
        try:
            with self._lock:
                if self._pid != os.getpid():
                    self._begin_in_child()
                self._log({} if metrics is None else metrics, step, commit, meta, timestamp_ms)
        except Exception as error:
            self._warn("log", f"log() failed: {error!r}")

    def annotate(self, text: str, meta: Mapping[str, Any] | None = None) -> None:
        """A note at this moment: 1 to 16,000 characters, and up to 64 KiB of JSON. Never raises."""
        try:
            with self._lock:
                if self._pid != os.getpid():
                    self._begin_in_child()
                self._annotate(str(text), jsonable(meta or {}))
        except Exception as error:
            self._warn("annotate", f"annotate() failed: {error!r}")

    def alert(self, title: str, text: str = "", level: Any = None, **_ignored: Any) -> None:
        """As other trackers call it: an annotation."""
        self.annotate(f"{title}: {text}" if text else title, {"kind": "alert", "level": str(level or "INFO")})

    def save_artifact(
        self,
        path: str | os.PathLike[str],
        name: str | None = None,
        version: str | None = None,
        *,
        step: int | None = None,
        meta: Mapping[str, Any] | None = None,
        take_over: bool = False,
    ) -> SavedVersion:
        """
        Saves a file or a directory as a version of the artifact `<slug>/<name>`, and notes it here. Unlike `log` it
        waits until the service has it, and raises: see ArtifactWriter.save. The first save takes the artifact over;
        after Superseded this recording saves nothing there any more, but with `take_over`.
        """
        return self._writers().save(path, name, version, step, meta, take_over)

    def checkpoint(
        self, state: Any, name: str = "checkpoint", *, step: int | None = None, meta: Mapping[str, Any] | None = None
    ) -> PendingCheckpoint:
        """
        Saves a PyTorch state (dicts of tensors) as a version of the artifact `<slug>/<name>` while the training goes
        on: see lossless.checkpoint.
        """
        return self._writers().checkpoint(state, name, step, meta)

    def finish(
        self,
        exit_code: int | None = None,
        *,
        error: str | None = None,
        quiet: bool | None = None,
        timeout: float = 30.0,
    ) -> Report | None:
        """
        Ends the recording: waits at most `timeout` seconds until the service has everything, then tells what is
        missing, and the command that sends it. `error` (or an exit code that is not 0) ends it as failed.
        """
        with self._lock:
            if self._is_finished or self._pid != os.getpid():
                return self.report
            self._is_finished = True
            if error is None and exit_code:
                error = f"exit code {exit_code}"
            self._write_end(error)
        self._background.forget(self)
        from ._module import ended

        ended(self)
        if self._spool is None:
            return None
        self.report = self._background.finish(self._spool.directory, timeout, self._lost, self._refused_here)
        self._spool.close()
        if not quiet:
            self.report.show(sys.stderr)
        return self.report

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.finish(error=None if error is None else _text_of(error))

    def __repr__(self) -> str:
        return f"<lossless.Experiment {self._info.slug!r}>"

    def _writers(self) -> ExperimentArtifacts:
        from ._experiment_artifacts import ExperimentArtifacts

        with self._lock:
            if self._artifacts is None:
                self._artifacts = ExperimentArtifacts(self, self._background.settings)
            return self._artifacts

    # ---- beginning

    def _begin(self) -> None:
        try:
            self._spool = SpoolWriter(new_directory(self._root, self._info))
        except OSError as error:
            self._warn("spool", f"nothing is recorded: {self._root}: {error}")
            return
        self._write_opening()
        if self._info.is_primary:
            self._append('["s"]', 0)
        self._background.start(self, self._spool.directory, samples=self._info.system is not None)

    def _begin_in_child(self) -> None:
        """After a fork: the parent's file and ids stay the parent's."""
        from ._spool import fresh_word

        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._kept = deque()
        self._lost = self._refused_here = 0
        self._counter = 1
        import dataclasses

        self._info = dataclasses.replace(self._info, prefix=fresh_word(16), is_primary=False, system=None)
        self._background = self._background.in_child()
        self._artifacts = None
        self._is_finished = False
        self._begin()

    def _write_opening(self) -> None:
        content = jsonable(self.config.as_dict() if isinstance(self.config, Config) else {})
        meta = {**content, **self._reserved}
        text = encode(meta)
        if len(text.encode("utf-8")) > JSON_META_BYTES_MAX:
            self._warn(
                "config", f"the config has more than {JSON_META_BYTES_MAX} bytes: its largest values are left out"
            )
            meta = _smaller(meta, JSON_META_BYTES_MAX)
        given: dict[str, Any] = {"meta": meta} if meta else {}
        if self._description:
            given["description"] = self._description[:ANNOTATION_CHARACTERS_MAX]
        self._append(f'["o",{encode(given)}]', 0)

    def _config_changed(self) -> None:
        if hasattr(self, "_spool") and self._spool is not None and not self._is_finished:
            try:
                with self._lock:
                    self._write_opening()
            except Exception as error:
                self._warn("config", f"the config was not recorded: {error!r}")

    # ---- recording

    def _log(
        self,
        metrics: Mapping[str, Any],
        step: Any,
        commit: bool | None,
        meta: Mapping[str, Any] | None,
        timestamp_ms: int | None,
    ) -> None:
        if self._is_finished:
            self._warn("finished", "log() after finish(): nothing is recorded any more")
            return
        if step is None:
            at = self._next_step
            if commit is not False:
                self._next_step = at + 1
        else:
            # Plain integers, which most steps are, need no second look.
            at = step if type(step) is int and 0 <= step < 2**53 - 1 else self._checked_step(step, metrics)
            if at < 0:
                return
            self._next_step = at + 1 if commit is not False else at
        now_ms = _time_ns() // 1_000_000 if timestamp_ms is None else int(timestamp_ms)
        known = self._names
        good: dict[str, float | int] = {}
        for name, value in metrics.items():
            # NaN and infinities are the floats that are not 0 when they are taken from themselves.
            if type(value) is float and value - value == 0.0 and name in known:
                good[name] = value
            else:
                self._take(name, value, good, at)
        if not good:
            return
        if not 0 <= now_ms <= TIMESTAMP_MS_MAX:
            return self._refuse(len(good), "its timestamp is not from 0 to 2^53 - 1")
        partition = self._base_meta_json if meta is None else self._partition(meta, len(good))
        if partition is not None:
            number = self._counter
            self._counter = number + len(good)
            self._append(f'["m",{number},{now_ms},{at},{encode(good)},{partition}]', len(good))

    def _take(self, name: Any, value: Any, good: dict[str, float | int], step: int) -> None:
        """The way of everything that is not a plain float under a name that was seen before."""
        if isinstance(value, Mapping):
            for inner, each in flattened(value, f"{name}."):
                self._take(inner, each, good, step)
            return
        name = str(name)
        try:
            number = number_of(value)
        except Exception:
            number = None
        if number is None:
            self._warn(f"kind {name}", f"{name!r} is not recorded: {type(value).__name__} is no number")
            return
        if name not in self._names:
            problem = name_problem(name)
            if problem is not None:
                return self._refuse(1, f"{name!r}: {problem}")
            self._names.add(name)
        if number - number == 0:
            good[name] = number
        else:
            self._note_nonfinite(name, number, step)

    def _note_nonfinite(self, name: str, value: float, step: int) -> None:
        """JSON has no NaN, and a point with one would sink its batch. A run that has diverged writes one each step."""
        word = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        if self._nonfinite < _NONFINITE_NOTES_MAX:
            self._nonfinite += 1
            note = {"kind": "nonfinite", "metricName": name, "step": step, "value": word}
            return self._annotate(f"{name} is {word} at step {step}", note)
        first = self._uncounted.setdefault(name, [step, word, 0])
        first[2] += 1

    def _annotate(self, text: str, meta: Any) -> None:
        if self._is_finished:
            return self._warn("finished", "annotate() after finish(): nothing is recorded any more")
        if not text:
            return self._refuse(1, "an annotation without text")
        text = _storable(text)
        if len(text) > ANNOTATION_CHARACTERS_MAX:
            self._warn("annotation", f"an annotation was cut to {ANNOTATION_CHARACTERS_MAX} characters")
            text = text[:ANNOTATION_CHARACTERS_MAX]
        encoded = encode(meta)
        if len(encoded.encode("utf-8")) > JSON_META_BYTES_MAX:
            return self._refuse(1, f"an annotation's meta has more than {JSON_META_BYTES_MAX} bytes")
        self._append(f'["a",{encode(text)},{encoded}]', 1)

    def _checked_step(self, step: Any, metrics: Mapping[str, Any]) -> int:
        try:
            checked = step_of(step)
        except Exception:
            checked = None
        if checked is None:
            self._refuse(len(metrics), f"step {step!r} is no integer from 0 to 2^53 - 2")
            return -1
        return checked

    def _partition(self, meta: Mapping[str, Any], points: int) -> str | None:
        try:
            return meta_json({**self._base_meta, **meta})
        except (ValueError, TypeError, AttributeError) as error:
            self._refuse(points, str(error))
            return None

    def _refuse(self, points: int, reason: str) -> None:
        self._refused_here += points
        self._warn(f"refused {reason}", f"not recorded: {reason}")
        self._append(f'["x",{points},{encode(_storable(reason)[:500])}]', 0)

    def _write_end(self, error: str | None) -> None:
        for name, (step, word, count) in self._uncounted.items():
            note = {"kind": "nonfinite", "metricName": name, "step": step, "value": word, "count": count}
            text = f"{name} is not finite {count} more times from step {step} on"
            self._append(f'["a",{encode(text)},{encode(note)}]', 1)
        summary = jsonable(self.summary.as_dict())
        if summary:
            self._append(f'["a","summary",{encode({"kind": "summary", "summary": summary})}]', 1)
        if error is None:
            self._append('["d"]', 0)
        else:
            self._append(f'["e",{encode(_storable(error)[:ERROR_CHARACTERS_MAX] or "error")},{{}}]', 0)

    # ---- the spool

    def _append(self, text: str, points: int) -> None:
        """A line that the disk does not take waits in memory, in its order; beyond 20,000 lines it is lost and counted."""
        spool = self._spool
        if spool is None:
            self._lost += points
            return
        line = line_of(text)
        if not self._kept:
            try:
                return spool.write(line)
            except OSError as error:
                self._warn("disk", f"the spool takes nothing ({error}): points wait in memory")
        self._keep(line, points)

    def _keep(self, line: bytes, points: int) -> None:
        if len(self._kept) >= _KEPT_LINES_MAX:
            self._lost += points
        else:
            self._kept.append((line, points))
        now = time.monotonic_ns()
        if now - self._disk_failed_ns < _RETRY_DISK_NS:
            return
        self._disk_failed_ns = now
        assert self._spool is not None
        try:
            while self._kept:
                self._spool.write(self._kept[0][0])
                self._kept.popleft()
        except OSError:
            pass

    def _warn(self, what: str, text: str) -> None:
        """Once for each kind; a training script that turns warnings into errors must not be stopped by it either."""
        if what in self._warned or len(self._warned) > 1_000:
            return
        self._warned.add(what)
        try:
            warnings.warn(f"lossless: {text}", RuntimeWarning, stacklevel=4)
        except Warning:
            print(f"lossless: {text}", file=sys.stderr)


def _text_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS_MAX]


def _storable(text: str) -> str:
    """NUL and lone surrogates are refused by the service."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _smaller(meta: dict[str, Any], limit: int) -> dict[str, Any]:
    left = dict(sorted(meta.items(), key=lambda item: len(encode(item[1]))))
    while left and len(encode(left).encode("utf-8")) > limit:
        left.popitem()
    return left
