"""Artifacts of one recording: below its name, noted in it, with one writer each."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._artifacts import versions
from .._artifacts.calls import ArtifactCalls
from .._artifacts.versions import ArtifactWriter, SavedVersion, below
from .._artifacts.writer_place import place_of
from .._ground.errors import LosslessError, Superseded
from .._ground.settings import Settings
from .._ground.warning import warn
from .._service.client import Client
from .patience import TRAINING_SECONDS, Patience

if TYPE_CHECKING:
    from .._spool.report import Report
    from .artifact_queue import ArtifactQueue
    from .checkpoint import Checkpoints, PendingCheckpoint
    from .recording import Recording


class _Own:
    """A recording's state for one artifact: its writer, which notices when another one opens it."""

    def __init__(self, artifact: str) -> None:
        self.artifact = artifact
        self.lock = threading.Lock()
        self.writer: ArtifactWriter | None = None
        # From then on nothing is saved.
        self.superseded: Superseded | None = None
        self.checkpoints: Checkpoints | None = None


class ExperimentArtifacts:
    def __init__(self, experiment: Recording, settings: Settings) -> None:
        self._experiment = experiment
        self._settings = settings
        self._patience = Patience()
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._own: dict[str, _Own] = {}
        self._calm: Client | None = None
        self._patient: Client | None = None
        self._queue: ArtifactQueue | None = None

    def save(
        self,
        path: str | os.PathLike[str],
        name: str | None,
        version: str | int | None,
        step: int | None,
        meta: Mapping[str, Any] | None,
        take_over: bool,
    ) -> SavedVersion:
        own = self._of(below(self._experiment.slug, name, path))
        own_meta = self._meta(step, meta)
        with own.lock:
            if own.superseded is not None and not take_over:
                raise own.superseded
            try:
                if own.writer is None or take_over:
                    client = self._client()
                    saved, own.writer = versions.save(client, path, own.artifact, version, step, own_meta, take_over)
                else:
                    saved = own.writer.save(path, version, step=step, meta=own_meta)
                own.superseded = None
            except Superseded as error:
                own.superseded = error
                raise
        self._note(saved)
        return saved

    def checkpoint(
        self, state: Any, name: str, step: int | None, meta: Mapping[str, Any] | None, every_rank: bool
    ) -> PendingCheckpoint:
        from .._ground.ranks import ranks_of_launch
        from .checkpoint import PendingCheckpoint
        from .copied_state import is_sharded

        rank, ranks = ranks_of_launch()
        if ranks > 1 and (every_rank or is_sharded(state)):
            name = f"{name}-rank{rank}"
        elif rank > 0:
            warn("checkpoint ranks", "of several ranks only the first saves checkpoints, unless every_rank=True")
            return PendingCheckpoint.nothing()
        checkpoints = self._checkpoints(name)
        if self._settings.credential is None:
            pending = PendingCheckpoint(step)
            checkpoints.lose(pending, LosslessError("the recording is offline, without a credential"))
            return pending
        return checkpoints.take(state, step, meta)

    def queue(self) -> ArtifactQueue:
        """Returns the queue for artifacts of `log_artifact`."""
        from .artifact_queue import ArtifactQueue

        if self._pid != os.getpid():
            self._begin()
        with self._lock:
            if self._queue is None:
                self._queue = ArtifactQueue(self._experiment, self._settings)
            return self._queue

    def wait(self, seconds: float) -> None:
        """Waits until all checkpoints and artifacts are saved or lost, or the time is over."""
        end = time.monotonic() + seconds
        if self._queue is not None and self._pid == os.getpid():
            self._queue.wait(seconds)
        for checkpoints in self._all_checkpoints():
            checkpoints.wait(max(0.0, end - time.monotonic()))

    def told(self, report: Report) -> Report:
        """Adds to the report the checkpoints and artifacts that the service lacks."""
        unsaved = [checkpoints.unsaved() for checkpoints in self._all_checkpoints()]
        if self._queue is not None and self._pid == os.getpid():
            unsaved.append(self._queue.unsaved())
        return report.with_checkpoints(sum(count for count, _ in unsaved), [one for _, some in unsaved for one in some])

    def _checkpoints(self, name: str) -> Checkpoints:
        from .checkpoint import Checkpoints

        own = self._of(below(self._experiment.slug, name, ""))
        with self._lock:
            if own.checkpoints is None:
                save: Any = lambda path, step, meta: self._save_checkpoint(  # noqa: E731
                    own, path, step, meta
                )
                own.checkpoints = Checkpoints(own.artifact, save, self._patience)
            return own.checkpoints

    def _all_checkpoints(self) -> list[Checkpoints]:
        if self._pid != os.getpid():
            return []
        with self._lock:
            return [own.checkpoints for own in self._own.values() if own.checkpoints is not None]

    def _save_checkpoint(self, own: _Own, path: Path, step: int | None, meta: Mapping[str, Any] | None) -> SavedVersion:
        """Tries once, with many retries. The artifact is opened once, however often it fails."""
        with own.lock:
            if own.superseded is not None:
                raise own.superseded
            client = self._patient_client()
            try:
                if own.writer is None:
                    own.writer = versions.opened(client, own.artifact, "auto", None, place_of(None))
                saved, latest = own.writer.save_checkpoint(ArtifactCalls(client), path, step, self._meta(step, meta))
            except Superseded as error:
                own.superseded = error
                raise
        if latest is not None:
            warn(
                f"steps {own.artifact}",
                f"step {step} of {own.artifact} is not after its latest version {latest}: the "
                "checkpoint is version "
                f"{saved.version}, with its step in the meta; so are the next ones, until the step is greater",
            )
        self._note(saved)
        return saved

    def _meta(self, step: int | None, meta: Mapping[str, Any] | None) -> dict[str, Any]:
        return {"experiment": self._experiment.slug, **({} if step is None else {"step": step}), **(meta or {})}

    def _client(self) -> Client:
        with self._lock:
            if self._calm is None:
                self._calm = Client(self._settings)
            return self._calm

    def _patient_client(self) -> Client:
        """Returns a client of its own, so that no other call waits behind one that takes hours."""
        with self._lock:
            if self._patient is None:
                self._patient = Client(self._settings, TRAINING_SECONDS, self._patience.is_at_end)
            return self._patient

    def _of(self, artifact: str) -> _Own:
        if self._pid != os.getpid():
            # In a forked process locks, writers and threads are the parent's.
            self._begin()
        with self._lock:
            return self._own.setdefault(artifact, _Own(artifact))

    def _note(self, saved: SavedVersion) -> None:
        if not self._experiment.is_finished:
            note = {"kind": "artifact", "artifact": saved.artifact, "version": saved.version, "bytes": saved.bytes}
            self._experiment.annotate(f"saved {saved.artifact} {saved.version}", note)
