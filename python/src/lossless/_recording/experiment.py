"""The object that a training script holds: one recording."""

from __future__ import annotations

import dataclasses
import io
import os
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._ground.fresh_word import fresh_word
from .._ground.interpreter import sync_command
from .._ground.signal_handlers import is_of_signal_handler
from .._ground.warning import counted, say, tell
from .._spool.head import RunInfo

# Not imported at the end, when descriptors may have run out or another version may be installed.
from .._spool.report import Report, report_of_nothing
from .._spool.spool import SpoolWriter
from .._values.config import Config, jsonable
from .._values.metric_definitions import KEY as METRICS_KEY
from .._values.summary import Summary
from .._values.values import storable
from .begun_capture import begun_capture
from .last_writes import write_lines_until, write_media_until
from .new_spool import new_spool
from .parent_mark import mark, unmark
from .process_end import ProcessEnd, error_of_exit, text_of, words_of_error
from .recorder import Recorder
from .run_artifacts import RunArtifacts
from .run_names import RunNames
from .termination import Termination

if TYPE_CHECKING:
    from .._console.capture import Capture
    from .._saving.experiment_artifacts import ExperimentArtifacts
    from .._tensorboard.following import FollowedEvents, Row
    from .background import Background
    from .resuming import Found, LastRun


class Experiment(RunArtifacts, RunNames):
    """
    One recording into one experiment. `log` only appends to a file on this machine: it never waits
    for a network and never raises. A separate process sends the file.

    May be used from several threads. A forked child gets its own recording of the experiment.
    """

    def __init__(
        self,
        info: RunInfo,
        root: Path | None,
        background: Background,
        *,
        config: Mapping[str, Any],
        description: str,
        reserved: Mapping[str, Any],
        base_meta: Mapping[str, str],
        folder: list[str] | None = None,
        label: str = "",
        last_run: LastRun | None = None,
        keeps_last: bool = False,
        is_silent: bool = False,
        begins: bool = True,
    ) -> None:
        self._info = info
        self._root = root
        self._background = background
        self._description = description
        self._reserved = dict(reserved)
        # Folder that the script wants for the experiment, even if it exists elsewhere already.
        self._folder = folder
        self._mark_label = label
        self._keeps_last = keeps_last
        self._is_silent = is_silent
        # The record for resume="auto".
        self._last_run = last_run
        self._sweep_id: str | None = None
        self._base_meta = dict(base_meta)
        self._lock = threading.RLock()
        # The process that owns the spool; 0: there is none, as after unpickling.
        self._pid = os.getpid()
        self._spool: SpoolWriter | None = None
        self._recorder = Recorder(None, self._base_meta, self._warn, self._count_late, info.starting_step)
        self._warned: set[str] = set()
        self._is_finished = False
        # A signal handler that finishes may have interrupted log().
        self._is_logging = False
        # Points that came after finish().
        self._late = 0
        self.report: Report | None = None
        self._artifacts: ExperimentArtifacts | None = None
        self._saved: dict[tuple[str, str], None] = {}
        self._noted_uses: dict[tuple[str, str, str], None] = {}
        self._followed: FollowedEvents | None = None
        self._capture: Capture | None = None
        self.summary = Summary(lambda: self._recorder.summary.shown, self._replace, self._forget, self._summary_changed)
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
        """Directory of this recording on this machine; None when it is not recorded."""
        return None if self._spool is None else self._spool.directory

    @property
    def is_finished(self) -> bool:
        return self._is_finished

    @property
    def step(self) -> int:
        """The step of the next call of `log` without one."""
        return self._recorder.next_step

    @property
    def _last_step(self) -> int | None:
        """The step of the last call of `log`, at which an artifact was logged."""
        return self._recorder.last_step

    def log(
        self,
        metrics: Mapping[str, Any] | None = None,
        step: Any = None,
        *,
        commit: bool | None = None,
        meta: Mapping[str, Any] | None = None,
        timestamp_ms: int | None = None,
        **others: Any,
    ) -> None:
        """
        Records one value for each name. `step` is an integer from 0; by default it counts calls,
        and with `commit=False` the next call has the same; a call without metrics ends the step.
        `meta` distinguishes partitions of a series (rank, split). A NaN or infinity becomes an
        annotation. Never raises: what cannot be recorded is counted and reported.
        """
        try:
            with self._lock:
                if self._pid != os.getpid():
                    self._begin_in_child()
                if others:
                    from .current import heard

                    metrics = heard(metrics, others)
                if self._is_finished:
                    self._too_late("log", 1 if metrics is None else len(metrics))
                else:
                    self._is_logging = True
                    self._recorder.log({} if metrics is None else metrics, step, commit, meta, timestamp_ms)
                    self._is_logging = False
        except Exception as error:
            self._is_logging = False
            if is_of_signal_handler(error):
                raise
            self._failed("log", error, metrics)
        try:
            # One of several threads restarts it, and none does while finish() waits for it.
            with self._lock:
                if not self._is_finished:
                    self._tell_problem(self._look_after())
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            self._warn("sender", f"the sender could not be checked: {error!r}")

    def annotate(self, text: str, meta: Mapping[str, Any] | None = None) -> None:
        """Adds a note of 1 to 16,000 characters with up to 64 KiB of JSON. Never raises."""
        try:
            with self._lock:
                if self._pid != os.getpid():
                    self._begin_in_child()
                if self._is_finished:
                    self._too_late("annotate", 1)
                else:
                    # Ranks may write the same text: two notes, also after one's reply was lost.
                    rank = {name: each for name, each in self._base_meta.items() if name == "rank"}
                    self._recorder.annotate(str(text), {**rank, **jsonable(meta or {})})
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            self._failed("annotate", error, None)

    def alert(self, title: str, text: str = "", level: Any = None, **_ignored: Any) -> None:
        """Annotates, under the name used by other trackers."""
        self.annotate(f"{title}: {text}" if text else title, {"kind": "alert", "level": str(level or "INFO")})

    def finish(
        self,
        exit_code: int | None = None,
        *,
        error: str | None = None,
        quiet: bool | None = None,
        timeout: float = 30.0,
    ) -> Report | None:
        """
        Ends the recording: waits at most `timeout` seconds until the service has everything, then
        reports what is missing, and the command that sends it. `error` (or a nonzero exit code)
        ends it as failed.
        """
        if not self._is_finished and self._pid == os.getpid():
            # Their records belong before the end, so some of the time is reserved.
            self._finish_saved()
            for waited in (self._followed, self._artifacts):
                if waited is not None:
                    began = time.monotonic()
                    waited.wait(0.75 * max(0.0, timeout))
                    timeout -= time.monotonic() - began
        with self._lock:
            if self._is_finished or self._pid != os.getpid():
                return self.report
            self._is_finished = True
        ends = time.monotonic() + max(0.0, timeout)
        try:
            return self._finish(error_of_exit(exit_code) if error is None else text_of(error), ends, quiet)
        except Exception as unexpected:
            if is_of_signal_handler(unexpected):
                raise
            self._warn("finish", f"finish() failed: {unexpected!r}")
            if self.report is None:
                self.report = self._report_of_failure(unexpected)
            return self.report

    @property
    def place(self) -> int:
        """The number of the next point, which grows with each."""
        return self._recorder.counter

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, SystemExit):
            self.finish(error=error_of_exit(error.code))
        else:
            self.finish(error=None if error is None else words_of_error(error))

    def __del__(self) -> None:
        """Ends an unreferenced recording; its sender continues alone."""
        if getattr(self, "_spool", None) is not None and not self._is_finished:
            self.finish(quiet=True, timeout=0.0)

    def __deepcopy__(self, _memo: Any) -> Experiment:
        return self

    def __reduce__(self) -> Any:
        """Pickles it: when used elsewhere it records into the same experiment by itself."""
        root = self._root if self._spool is None else self._spool.directory.parent
        known = (dataclasses.asdict(self._info), None if root is None else str(root))
        return _elsewhere, (*known, self._background.is_offline, self._base_meta)

    def __repr__(self) -> str:
        return f"<lossless.Experiment {self._info.slug!r}>"

    def _follow_events(self, root: str | None = None) -> None:
        """Also records what this process writes for TensorBoard, and everything below `root`."""
        from .._tensorboard.following import FollowedEvents

        if self._followed is None:
            self._followed = FollowedEvents(self, root)
        elif root:
            self._followed.add_root(root)

    def _log_rows(self, rows: list[Row]) -> None:
        """Records numbers with a step and a time of their own."""
        with self._lock:
            if not self._is_finished:
                for metrics, step, timestamp_ms in rows:
                    self._recorder.log_row(metrics, step, timestamp_ms)

    def _writers(self) -> ExperimentArtifacts:
        from .._saving.experiment_artifacts import ExperimentArtifacts

        with self._lock:
            if self._artifacts is None:
                self._artifacts = ExperimentArtifacts(self, self._background.settings)
            return self._artifacts

    # ---- beginning

    def _resume(self, found: Found) -> None:
        """Takes over the state of the experiment, to continue it."""
        self.summary.update(self._recorder.summary.resume(found.stored, found.meta.get(METRICS_KEY)))

    def _begin(self) -> None:
        self._spool = new_spool(self._root, self._info, self._warn)
        self._recorder = Recorder(
            self._spool, self._base_meta, self._warn, self._count_late, self._recorder.next_step, self._background.pipe
        )
        self._recorder.keeps_last = self._keeps_last
        ProcessEnd.watch(self)
        if self._spool is None:
            return
        Termination.watch(self._spool.directory)
        self._capture = begun_capture(self._info.console, self._spool.directory, self._warn)
        self._write_opening()
        if self._info.is_primary:
            mark(self._info.slug, self._mark_label, (self._info.attempt or {}).get("id", ""))
            self._recorder.start()
        is_needed = self._info.system is not None or self._info.origin is not None
        self._tell_problem(self._background.start(self._spool.directory, is_needed))

    def _begin_in_child(self) -> None:
        """Begins anew after a fork: the parent's file and ids stay the parent's."""
        self._pid = os.getpid()
        nothing: dict[str, Any] = {"system": None, "console": None, "attempt": None, "origin": None}
        self._info = dataclasses.replace(self._info, prefix=fresh_word(16), is_primary=False, **nothing)
        self._background = self._background.in_child()
        self._artifacts = None
        self._followed = None
        self._is_finished = False
        self._begin()

    def _write_opening(self) -> None:
        config = self.config.as_dict() if isinstance(self.config, Config) else {}
        self._recorder.open({**jsonable(config), **jsonable(self._reserved)}, self._description, self._folder)

    def _replace(self, name: str) -> None:
        with self._lock:
            self._recorder.summary.replace(name)

    def _forget(self, name: str) -> None:
        with self._lock:
            self._recorder.summary.forget(name)

    def _summary_changed(self) -> None:
        if self._is_finished:
            self._warn("finished summary", "summary changed after finish(): not recorded")

    def _config_changed(self) -> None:
        if self._is_finished:
            return self._warn("finished config", "config changed after finish(): not recorded")
        if hasattr(self, "_spool") and self._spool is not None and not self._is_finished:
            try:
                with self._lock:
                    self._write_opening()
            except Exception as error:
                if is_of_signal_handler(error):
                    raise
                self._warn("config", f"the config was not recorded: {error!r}")

    # ---- ending

    def _finish(self, error: str | None, ends: float, quiet: bool | None) -> Report:
        if self._capture is not None:
            self._capture.end()
        now = time.monotonic()
        write_media_until(self._recorder, self._lock, now + (ends - now) / 2)
        with self._lock:
            self._recorder.end(error, jsonable(self.summary.as_dict()))
        ProcessEnd.forget(self)
        if self._spool is not None:
            Termination.forget(self._spool.directory)
        unmark(self._info.slug)
        if self._last_run is not None and self._info.is_primary and error is None:
            self._last_run.forget(self._info.slug)
        from .current import ended

        ended(self)
        write_lines_until(self._recorder, self._lock, self._look_after, ends)
        self._recorder.close()
        interrupt = None
        lost, refused = self._recorder.lost, self._recorder.refused_by_reason()
        if self._spool is None:
            self.report = report_of_nothing(lost, refused, "there was no place to write it to")
        else:
            interrupt = self._background.wait(self._spool.directory, ends - time.monotonic())
            self._spool.close(keeps_file=self._is_logging)
            self.report = self._background.report(self._spool.directory, lost, refused, self._recorder.lost_unless_sent)
        if self._artifacts is not None:
            self.report = self._artifacts.told(self.report)
        # Hundreds of ranks, and children, would print the same about one experiment.
        may_be_quiet = self._is_silent or not self._info.is_primary
        is_quiet = self.report.is_plain and may_be_quiet if quiet is None else quiet
        if not is_quiet or interrupt is not None:
            text = io.StringIO()
            self.report.show(text)
            say(text.getvalue(), end="")
        if interrupt is not None:
            raise interrupt
        return self.report

    def _look_after(self) -> str | None:
        """Restarts a sender that died; returns a problem to be told."""
        return None if self._spool is None else self._background.look_after(self._spool.directory)

    def _report_of_failure(self, error: Exception) -> Report:
        """Returns the report after finishing failed: the spool stays, and nothing more is known."""
        report = report_of_nothing(
            self._recorder.lost, self._recorder.refused_by_reason(), f"finish() failed: {error!r}"
        )
        directory = self.directory
        command = None if directory is None else sync_command(directory, self._info.url)
        return dataclasses.replace(
            report, directory=directory, command=command, slug=self._info.slug, url=self._info.url
        )

    # ---- telling

    def _failed(self, call: str, error: Exception, metrics: Any) -> None:
        """Reports an unexpected failure, without failing again."""
        try:
            is_mapping = metrics is None or isinstance(metrics, Mapping)
            points = 1 if metrics is None or not is_mapping else len(metrics)
            reason = f"{call}() failed: {error!r}"
            if not is_mapping:
                kind = type(metrics).__name__
                reason = f'{call}() takes a mapping, as in log({{"loss": 0.5}}), not {kind}'
            with self._lock:
                self._recorder.refuse(points, storable(reason)[:500])
        except Exception as again:
            if is_of_signal_handler(again):
                raise
            self._warn(call, f"{call}() failed")

    def _count_late(self, points: int) -> None:
        self._too_late("log", points)

    def _too_late(self, call: str, count: int) -> None:
        before = self._late
        self._late += count
        # Reported at the first, and whenever there are ten times as many.
        if before == 0 or len(str(before)) < len(str(self._late)):
            tell(f"{call}() after finish(): nothing is recorded any more; lost so far: {counted(self._late, 'point')}")

    def _tell_problem(self, problem: str | None) -> None:
        if problem is not None:
            self._warn(problem, problem)

    def _warn(self, what: str, text: str) -> None:
        """
        Warns once for each kind, without stopping the script, even one that turns warnings into
        errors.
        """
        if what in self._warned or len(self._warned) > 1_000:
            return
        self._warned.add(what)
        tell(text)


def _forked(experiment: Experiment | None) -> None:
    """Makes a new lock for the child: a thread of the parent may have held the old one."""
    if experiment is not None:
        experiment._lock = threading.RLock()


def _elsewhere(info: dict[str, Any], root: str | None, is_offline: bool, base_meta: dict[str, str]) -> Experiment:
    """
    Restores an unpickled recording. The key is not in the pickle: it is looked up as in `init`.
    """
    from .._ground.settings import settings_of
    from .background import Background

    known = RunInfo(**info)
    settings = settings_of(known.url, None, root)
    is_offline = is_offline or settings.credential is None
    background = Background(settings, is_offline)
    return Experiment(
        known, settings.spool, background, config={}, description="", reserved={}, base_meta=base_meta, begins=False
    )
