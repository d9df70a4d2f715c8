"""Artifacts of one recording: below its name, noted in it, one writer each as long as it records."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _artifacts
from ._artifacts import ArtifactWriter, SavedVersion, below
from ._client import Client
from ._errors import Superseded
from ._settings import Settings

if TYPE_CHECKING:
    from ._checkpoint import Checkpoints, PendingCheckpoint
    from ._experiment import Experiment


class _Own:
    """What a recording holds of one artifact: the writer, so that it is told when somebody else has opened it."""

    def __init__(self, artifact: str) -> None:
        self.artifact = artifact
        self.lock = threading.Lock()
        self.writer: ArtifactWriter | None = None
        # Since then nothing is saved any more.
        self.superseded: Superseded | None = None
        self.checkpoints: Checkpoints | None = None


class ExperimentArtifacts:
    def __init__(self, experiment: Experiment, settings: Settings) -> None:
        self._experiment = experiment
        self._client = Client(settings)
        self._lock = threading.Lock()
        self._own: dict[str, _Own] = {}

    def save(
        self,
        path: str | os.PathLike[str],
        name: str | None,
        version: str | None,
        step: int | None,
        meta: Mapping[str, Any] | None,
        take_over: bool,
        is_remembered: bool = True,
    ) -> SavedVersion:
        own = self._of(below(self._experiment.slug, name, path))
        own_meta = {"experiment": self._experiment.slug, **({} if step is None else {"step": step}), **(meta or {})}
        with own.lock:
            if own.superseded is not None and not take_over:
                raise own.superseded
            try:
                if own.writer is None or take_over:
                    saved, own.writer = _artifacts.save(
                        self._client,
                        path,
                        own.artifact,
                        version,
                        step,
                        own_meta,
                        take_over,
                        is_remembered=is_remembered,
                    )
                else:
                    saved = own.writer.save_once(path, version, step, own_meta, is_remembered)
                own.superseded = None
            except Superseded as error:
                own.superseded = error
                raise
        self._note(saved)
        return saved

    def checkpoint(self, state: Any, name: str, step: int | None, meta: Mapping[str, Any] | None) -> PendingCheckpoint:
        from ._checkpoint import Checkpoints

        own = self._of(below(self._experiment.slug, name, ""))
        with self._lock:
            if own.checkpoints is None:
                own.checkpoints = Checkpoints(
                    own.artifact,
                    lambda path, step, meta: self.save(path, name, None, step, meta, False, is_remembered=False),
                )
        return own.checkpoints.take(state, step, meta)

    def _of(self, artifact: str) -> _Own:
        with self._lock:
            return self._own.setdefault(artifact, _Own(artifact))

    def _note(self, saved: SavedVersion) -> None:
        if not self._experiment.is_finished:
            note = {"kind": "artifact", "artifact": saved.artifact, "version": saved.version, "bytes": saved.bytes}
            self._experiment.annotate(f"saved {saved.artifact} {saved.version}", note)
