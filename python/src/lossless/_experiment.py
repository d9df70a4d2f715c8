"""What a training script holds: one recording."""

from __future__ import annotations

import dataclasses
import os
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._config import Config, jsonable
from ._kept_lines import KeptLines
from ._parent_mark import mark, unmark
from ._process_end import ProcessEnd, error_of_exit
from ._records import encode
from ._refusals import Refusals
from ._run_names import RunNames
from ._settings import fallback_spool
from ._spool import RunInfo, SpoolWriter, fresh_word
from ._unsupported import Unsupported
from ._values import flattened, meta_json, name_problem, number_of, step_of, storable
from ._warning import tell
from ._wire import (
    ANNOTATION_CHARACTERS_MAX,
    DESCRIPTION_CHARACTERS_MAX,
    ERROR_CHARACTERS_MAX,
    JSON_META_BYTES_MAX,
    TIMESTAMP_MS_MAX,
)

if TYPE_CHECKING:
    from ._artifacts import SavedVersion
    from ._background import Background
    from ._checkpoint import PendingCheckpoint
    from ._experiment_artifacts import ExperimentArtifacts
    from ._report import Report

_NONFINITE_NOTES_MAX = 10_000
_DISK_AGAIN_SECONDS = 0.05

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
        folder: list[str] | None = None,
        begins: bool = True,
    ) -> None:
        self._info = info
        self._root = root
        self._background = background
        self._description = description
        self._reserved = dict(reserved)
        # Where the script wants it to be, also when it exists elsewhere already.
        self._folder = folder
        self._base_meta = dict(base_meta)
        self._base_meta_json = meta_json(base_meta) if base_meta else "null"
        self._lock = threading.RLock()
        # The process that the spool is of; 0: of none, as after unpickling.
        self._pid = os.getpid()
        self._spool: SpoolWriter | None = None
        self._lines = KeptLines(None, self._disk_failed)
        self._end: ProcessEnd | None = None
        self._counter = 1
        self._next_step = 0
        # Names that are good; most calls use the same ones.
        self._names: set[str] = set()
        self._warned: set[str] = set()
        self._nonfinite = 0
        self._uncounted: dict[str, list[Any]] = {}
        self._is_finished = False
        self._refusals = Refusals()
        # Points that came after finish().
        self._late = 0
        self.report: Report | None = None
        self._artifacts: ExperimentArtifacts | None = None
        self.summary = Config({}, lambda: None)
        self.config = Config(config, self._config_changed)
        if hasattr(os, "register_at_fork"):
            myself = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _forked(myself()))
        if begins:
            self._begin()
        else:
            self._pid = 0

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
        `commit=False` the next call has the same; without metrics it ends the step. `meta` tells partitions of a
        series apart (rank, split). A NaN or infinity becomes an annotation. Nothing is ever raised: what cannot be
        recorded is counted and told.
        """
        try:
            with self._lock:
                if self._pid != os.getpid():
                    self._begin_in_child()
                self._log({} if metrics is None else metrics, step, commit, meta, timestamp_ms)
        except Exception as error:
            self._failed("log", error, metrics)

    def annotate(self, text: str, meta: Mapping[str, Any] | None = None) -> None:
        """A note at this moment: 1 to 16,000 characters, and up to 64 KiB of JSON. Never raises."""
        try:
            with self._lock:
                if self._pid != os.getpid():
                    self._begin_in_child()
                self._annotate(str(text), jsonable(meta or {}))
        except Exception as error:
            self._failed("annotate", error, None)

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
        self,
        state: Any,
        name: str = "checkpoint",
        *,
        step: int | None = None,
        meta: Mapping[str, Any] | None = None,
        every_rank: bool = False,
    ) -> PendingCheckpoint:
        """
        Saves a PyTorch state (dicts of tensors) as a version of the artifact `<slug>/<name>` while the training goes
        on: see lossless.checkpoint.
        """
        return self._writers().checkpoint(state, name, step, meta, every_rank)

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
        if self._artifacts is not None and not self._is_finished and self._pid == os.getpid():
            # Their notes belong before the end, for which some of the time is left.
            began = time.monotonic()
            self._artifacts.wait(0.75 * max(0.0, timeout))
            timeout -= time.monotonic() - began
        with self._lock:
            if self._is_finished or self._pid != os.getpid():
                return self.report
            self._is_finished = True
            self._write_end(error_of_exit(exit_code) if error is None else error)
        ends = time.monotonic() + max(0.0, timeout)
        if self._end is not None:
            self._end.forget()
        unmark(self._info.slug)
        from ._module import ended

        ended(self)
        self._write_kept_until(ends)
        from ._report import report_of_nothing

        interrupt = None
        here = self._refusals.by_reason()
        if self._spool is None:
            self.report = report_of_nothing(self._lines.lost, here, "there was no place to write it to")
        else:
            interrupt = self._background.wait(self._spool.directory, ends - time.monotonic())
            self._spool.close()
            self.report = self._background.report(self._spool.directory, self._lines.lost, here)
        if self._artifacts is not None:
            self.report = self._artifacts.told(self.report)
        if not quiet or interrupt is not None:
            self.report.show(sys.stderr)
        if interrupt is not None:
            raise interrupt
        return self.report

    @property
    def place(self) -> int:
        """Grows with every point."""
        return self._counter

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, SystemExit):
            self.finish(error=error_of_exit(error.code))
        else:
            self.finish(error=None if error is None else _text_of(error))

    def __del__(self) -> None:
        """Nobody holds it any more: it is over, and its sender goes on alone."""
        if getattr(self, "_spool", None) is not None and not self._is_finished:
            self.finish(quiet=True, timeout=0.0)

    def __deepcopy__(self, _memo: Any) -> Experiment:
        return self

    def __reduce__(self) -> Any:
        """In another process it is a recording of its own into the same experiment, which begins when it is used."""
        root = self._root if self._spool is None else self._spool.directory.parent
        return _elsewhere, (dataclasses.asdict(self._info), str(root), self._background.is_offline, self._base_meta)

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
        self._spool = self._new_spool()
        self._lines = KeptLines(self._spool, self._disk_failed)
        self._end = ProcessEnd(self)
        if self._spool is None:
            return
        self._write_opening()
        if self._info.is_primary:
            mark(self._info.slug)
            self._append('["s"]', 0)
        self._background.start(self._spool.directory, samples=self._info.system is not None)

    def _new_spool(self) -> SpoolWriter | None:
        try:
            return SpoolWriter(self._root, self._info)
        except OSError as error:
            problem = error
        try:
            root = fallback_spool()
            spool = SpoolWriter(root, self._info)
        except OSError as error:
            self._warn("spool", f"nothing is recorded: {self._root}: {problem}; {error}")
            return None
        self._warn("spool", f"{self._root} cannot be written ({problem}): recording into {spool.directory}")
        return spool

    def _begin_in_child(self) -> None:
        """After a fork: the parent's file and ids stay the parent's."""
        self._pid = os.getpid()
        self._refusals = Refusals()
        self._uncounted = {}
        self._counter = 1
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
            given["description"] = storable(self._description)[:DESCRIPTION_CHARACTERS_MAX]
        if self._folder is not None:
            given["folder"] = self._folder
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
            return self._too_late("log", len(metrics))
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
                if inner in good:
                    self._refuse(1, f"{_short(inner)}: twice in one call")
                else:
                    self._take(inner, each, good, step)
            return
        name = str(name)
        if isinstance(value, Unsupported):
            # It has said so when it was made.
            return
        try:
            number = number_of(value)
        except Exception:
            number = None
        if number is None:
            return self._refuse(1, f"{_short(name)}: {type(value).__name__} is no number")
        if isinstance(value, int) and number != value:
            self._warn(f"rounded {name}", f"{_short(name)}: {value} is rounded to {number!r}, a 64-bit number")
        if name not in self._names:
            problem = name_problem(name)
            if problem is not None:
                return self._refuse(1, f"{_short(name)}: {problem}")
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
            return self._too_late("annotate", 1)
        if not text:
            return self._refuse(1, "an annotation without text")
        self._append_annotation(storable(text), meta)

    def _append_annotation(self, text: str, meta: Any) -> None:
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
            self._warn("step", f"{_short(str(step))} is no step")
            self._refuse(len(metrics), "its step is no integer from 0 to 2^53 - 2")
            return -1
        return checked

    def _partition(self, meta: Mapping[str, Any], points: int) -> str | None:
        try:
            return meta_json({**self._base_meta, **meta})
        except (ValueError, TypeError, AttributeError) as error:
            self._refuse(points, str(error))
            return None

    def _refuse(self, points: int, reason: str) -> None:
        self._warn(f"refused {reason}", f"not recorded: {reason}")
        for count, told in self._refusals.add(points, reason):
            self._append_refusal(count, told)

    def _append_refusal(self, count: int, reason: str) -> None:
        self._append(f'["x",{count},{encode(reason)}]', 0)

    def _failed(self, call: str, error: Exception, metrics: Any) -> None:
        """Of a call that nobody thought of: it must not fail again."""
        try:
            with self._lock:
                self._refuse(
                    len(metrics) if isinstance(metrics, Mapping) else 1, storable(f"{call}() failed: {error!r}")[:500]
                )
        except Exception:
            self._warn(call, f"{call}() failed")

    def _too_late(self, call: str, count: int) -> None:
        before = self._late
        self._late += count
        # At the first, and whenever there are ten times as many.
        if before == 0 or len(str(before)) < len(str(self._late)):
            tell(f"{call}() after finish(): nothing is recorded any more, so far {self._late} points are not")

    def _write_end(self, error: str | None) -> None:
        for name, (step, word, count) in self._uncounted.items():
            note = {"kind": "nonfinite", "metricName": name, "step": step, "value": word, "count": count}
            text = f"{name} is not finite {count} more times from step {step} on"
            self._append_annotation(text, note)
        summary = jsonable(self.summary.as_dict())
        if summary:
            self._append_annotation("summary", {"kind": "summary", "summary": summary})
        for count, reason in self._refusals.rest():
            self._append_refusal(count, reason)
        if error is None:
            self._append('["d"]', 0)
        else:
            self._append(f'["e",{encode(storable(error)[:ERROR_CHARACTERS_MAX] or "error")},{{}}]', 0)

    # ---- the spool

    def _append(self, text: str, points: int) -> None:
        self._lines.append(text, points)
        if self._spool is not None:
            self._background.look_after(self._spool.directory)

    def _write_kept_until(self, ends: float) -> None:
        """What waits in memory has so much time to get to the disk; then it is lost."""
        while True:
            with self._lock:
                is_written = self._lines.write_kept()
                if not is_written and time.monotonic() >= ends:
                    return self._lines.give_up()
            if is_written:
                return
            time.sleep(_DISK_AGAIN_SECONDS)

    def _disk_failed(self, error: OSError) -> None:
        self._warn("disk", f"the spool takes nothing ({error}): points wait in memory")

    def _warn(self, what: str, text: str) -> None:
        """Once for each kind; a training script that turns warnings into errors must not be stopped by it either."""
        if what in self._warned or len(self._warned) > 1_000:
            return
        self._warned.add(what)
        tell(text)


def _forked(experiment: Experiment | None) -> None:
    """Another thread of the parent may have held the lock; it is not here to let it go."""
    if experiment is not None:
        experiment._lock = threading.RLock()


def _elsewhere(info: dict[str, Any], root: str, is_offline: bool, base_meta: dict[str, str]) -> Experiment:
    """Unpickled. The key is not in the pickle: it is asked for as `init` does."""
    from ._background import Background
    from ._settings import settings_of

    known = RunInfo(**info)
    settings = settings_of(known.url, None, root)
    is_offline = is_offline or settings.credential is None
    background = Background(settings, is_offline)
    return Experiment(
        known, Path(root), background, config={}, description="", reserved={}, base_meta=base_meta, begins=False
    )


def _text_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS_MAX]


def _short(name: str) -> str:
    return repr(name if len(name) <= 80 else f"{name[:77]}…")


def _smaller(meta: dict[str, Any], limit: int) -> dict[str, Any]:
    left = dict(sorted(meta.items(), key=lambda item: len(encode(item[1]))))
    while left and len(encode(left).encode("utf-8")) > limit:
        left.popitem()
    return left
