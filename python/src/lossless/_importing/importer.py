"""
`lossless import SOURCE`: reads, maps, sends and compares, the same way for every source.

Nothing is kept on this machine. Ids follow from the source, so an import that is repeated, or goes
on after it was killed, sends the same ids and stores nothing twice. A run whose series the store
has already, equal in all sums, is not sent again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from .._ground.errors import LosslessError
from .._ground.settings import Settings
from .._ground.version import __version__
from .._ground.warning import counted
from .._service.login import LoginCredential
from .._service.service import Service
from .._tensorboard.names import slug_of
from .._tensorboard.progress_bar import ProgressBar
from .._tensorboard.stopping import Patience, Stop
from .comparison import Comparison, compared
from .report import Outcome, tell, write_report
from .run_import import RunImport, Stopped
from .source import Source, SourceRun, StoredArtifact
from .survey import Survey, surveyed


class Options(NamedTuple):
    # Put before the names of experiments.
    prefix: str = ""
    # Names of folders, from the outermost.
    folder: tuple[str, ...] = ()
    is_dry: bool = False
    with_files: bool = True
    report: Path | None = None
    patience: float = 60.0


def import_source(source: Source, settings: Settings, options: Options, printed: TextIO) -> bool:
    """Imports all runs of a source. True: all of it is stored, and equal to the source."""
    out = ProgressBar(printed)
    stop = Stop()
    service: Service | None = None
    if not options.is_dry:
        service = _service_of(settings)
    patience = Patience(options.patience, 0.0, stop, out)
    importer = _Importer(source, settings, service, options, out, patience, lambda: stop.is_asked)
    try:
        with stop:
            return importer.run()
    finally:
        out.clear()
        if service is not None:
            service.close()


def _service_of(settings: Settings) -> Service:
    key = settings.credential
    if key is None:
        raise LosslessError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
    credential: Callable[[], str] = (
        LoginCredential(settings.url) if settings.organization is not None else lambda: str(key)
    )
    return Service(settings.url, credential, settings.organization)


class _Importer:
    def __init__(
        self,
        source: Source,
        settings: Settings,
        service: Service | None,
        options: Options,
        out: ProgressBar,
        patience: Patience,
        is_stopped: Callable[[], bool],
    ) -> None:
        self._source = source
        self._settings = settings
        self._service = service
        self._options = options
        self._out = out
        self._patience = patience
        self._is_stopped = is_stopped
        self._outcomes: list[Outcome] = []
        self._slugs: dict[str, SourceRun] = {}

    def run(self) -> bool:
        runs = list(self._source.runs())
        for skipped in self._source.skipped:
            print(f"skipped: {skipped}", file=self._out)
        bar = _Bar(self._out, runs)
        is_cut = False
        for number, run in enumerate(runs):
            bar.begin(number)
            try:
                outcome = self._outcome(run, bar)
            except Stopped:
                outcome = None
            if outcome is None:
                is_cut = True
                break
            self._outcomes.append(outcome)
            tell(outcome, self._out, is_dry=self._options.is_dry)
        self._conclude(len(runs), is_cut)
        return bool(runs) and not is_cut and all(self._is_done(each) for each in self._outcomes)

    def _is_done(self, outcome: Outcome) -> bool:
        return not outcome.problem if self._options.is_dry else outcome.is_whole

    def _outcome(self, run: SourceRun, bar: _Bar) -> Outcome | None:
        slug = slug_of(self._options.prefix + run.slug, ".")
        survey = Survey()
        try:
            found = surveyed(run, self._source.format, self._is_stopped)
            if found is None:
                return None
            survey = found
            other = self._slugs.setdefault(slug, run)
            if other is not run:
                raise LosslessError(f"{other.place} becomes the experiment of this name already")
            if self._service is None:
                return self._read(run, slug, survey)
            return self._sent(run, slug, survey, bar)
        except Stopped:
            raise
        except (LosslessError, OSError) as error:
            return Outcome(run, slug, survey, run.left_out + survey.left_out, problem=str(error))
        except Exception as error:
            # Content that no program has written: the other runs are imported nevertheless.
            problem = f"it cannot be read ({type(error).__name__}: {error})"
            return Outcome(run, slug, survey, run.left_out + survey.left_out, problem=problem)

    def _read(self, run: SourceRun, slug: str, survey: Survey) -> Outcome:
        """Reads it, and sends nothing: a dry run."""
        files: list[dict[str, Any]] = []
        if self._options.with_files:
            found = [StoredArtifact("its files", {}, list(run.files())), *run.artifacts()]
            files = [{"artifact": each.name, "files": len(each.files)} for each in found if each.files]
        return Outcome(run, slug, survey, run.left_out + survey.left_out, files=tuple(files))

    def _sent(self, run: SourceRun, slug: str, survey: Survey, bar: _Bar) -> Outcome:
        assert self._service is not None, "BUG: sent in a dry run"
        folder = list(self._options.folder)
        sent = RunImport(
            run,
            self._source.format,
            self._source.title,
            slug,
            folder,
            self._service,
            self._settings,
            self._patience.wait,
            self._is_stopped,
        )
        existed = sent.open()
        before = self._compared(survey, sent) if existed else None
        if before is None or not before.is_equal:
            bar.items = survey.items
            sent.sent = bar.advance
            sent.send()
        if self._options.with_files:
            sent.send_files()
        sent.end()
        comparison = self._compared(survey, sent)
        left_out = run.left_out + survey.left_out + sent.left_out
        return Outcome(
            run,
            slug,
            survey,
            left_out,
            comparison,
            sent.tally.stored - sent.tally.deduplicated,
            tuple(sent.files),
            refusals=tuple(sent.tally.refusals),
        )

    def _compared(self, survey: Survey, sent: RunImport) -> Comparison:
        service = self._service
        assert service is not None, "BUG: compared in a dry run"
        found: list[Comparison] = []
        sent.until_done(lambda: found.append(compared(survey, sent, service)))
        return found[-1]

    def _conclude(self, runs: int, is_cut: bool) -> None:
        done = [each for each in self._outcomes if self._is_done(each)]
        points = sum(each.survey.points for each in self._outcomes)
        if self._options.is_dry:
            print(f"{counted(runs, 'run')}, {counted(points, 'point')}: nothing was sent", file=self._out)
        elif runs:
            new = sum(each.new_points for each in self._outcomes)
            print(
                f"{len(done):,} of {counted(runs, 'run')} imported and equal to the source: "
                f"{counted(points, 'point')}, {new:,} of them new",
                file=self._out,
            )
        if is_cut:
            print("stopped early: the same command imports the rest", file=self._out)
        if self._options.report is not None:
            about = {
                "source": self._source.title,
                "format": self._source.format,
                "service": None if self._options.is_dry else self._settings.url,
                "client": __version__,
                "madeAtMs": round(time.time() * 1000),
                "stopped": is_cut,
                "skipped": self._source.skipped,
            }
            write_report(self._options.report, self._outcomes, about)


class _Bar:
    """The part that is done, and an estimate of the rest, by the bytes of the runs."""

    def __init__(self, out: ProgressBar, runs: list[SourceRun]) -> None:
        self._out = out
        self._sizes = [max(run.size, 1) for run in runs]
        self._whole = sum(self._sizes)
        self._began = time.monotonic()
        self._number = 0
        self._done = 0
        self.items = 0
        self.points = 0

    def begin(self, number: int) -> None:
        self._number, self._done, self.items = number, 0, 0
        self._show()

    def advance(self, count: int) -> None:
        self._done += count
        self.points += count
        self._show()

    def _show(self) -> None:
        if not self._out.is_due:
            return
        before = sum(self._sizes[: self._number])
        inner = self._sizes[self._number] * min(1.0, self._done / max(self.items, 1))
        part = (before + inner) / max(self._whole, 1)
        passed = time.monotonic() - self._began
        left = f", {_duration(passed / part - passed)} left" if part > 0.02 and passed > 2 else ""
        self._out.show(part, f"{self._number} of {len(self._sizes)} runs, {self.points:,} items{left}")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"
