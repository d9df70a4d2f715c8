"""Artifacts given to `log_artifact`, saved one after another while the training continues."""

from __future__ import annotations

import os
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._artifacts import versions
from .._artifacts.calls import ArtifactCalls
from .._artifacts.checksums import with_checksums
from .._artifacts.names import FIRST_VERSION, Found, link, set_aliases
from .._artifacts.version_rivals import despite_rivals
from .._artifacts.writer_place import place_of
from .._ground.errors import ConnectionFailed, LosslessError, RequestRefused
from .._ground.settings import Settings
from .._ground.warning import warn
from .._service.client import Client

if TYPE_CHECKING:
    from .._artifacts.artifact import Artifact
    from .._artifacts.prepared_files import PreparedFile
    from .recording import Recording

_UNSAVED_PREFIX = "lossless-unsaved-artifact-"
_NAMED_MAX = 100


class _Job(NamedTuple):
    artifact: Artifact
    path: str
    aliases: list[str]
    # The registered model to link it to, whose aliases they are then.
    model: str | None
    # The step of the experiment at which it was logged.
    step: int | None
    settled: threading.Event


class ArtifactQueue:
    """
    Saves one recording's artifacts in a thread. The thread ends when none waits, and the script
    does not end before.
    """

    def __init__(self, experiment: Recording, settings: Settings) -> None:
        self._experiment = experiment
        self._settings = settings
        self._moved = threading.Condition()
        self._jobs: deque[_Job] = deque()
        self._is_running = False
        self._client: Client | None = None
        self._losses: list[dict[str, Any]] = []
        self._lost = 0

    def calls(self) -> ArtifactCalls:
        """Raises SettingsError without a credential."""
        with self._moved:
            if self._client is None:
                self._client = Client(self._settings)
            return ArtifactCalls(self._client)

    def put(
        self, artifact: Artifact, path: str, aliases: list[str], model: str | None = None, step: int | None = None
    ) -> None:
        job = _Job(artifact, path, aliases, model, step, threading.Event())
        artifact.begun(job.settled)
        with self._moved:
            self._jobs.append(job)
            if self._is_running:
                return
            self._is_running = True
        threading.Thread(target=self._run, name="lossless-artifacts").start()

    def wait(self, seconds: float) -> None:
        with self._moved:
            self._moved.wait_for(lambda: not self._jobs, max(0.0, seconds))

    def unsaved(self) -> tuple[int, list[dict[str, Any]]]:
        with self._moved:
            way = [_loss(job.path, "it is still being saved", None) for job in self._jobs]
            return self._lost + len(way), [*self._losses, *way]

    def _run(self) -> None:
        away: ConnectionFailed | None = None
        while True:
            with self._moved:
                if not self._jobs:
                    self._is_running = False
                    self._moved.notify_all()
                    return
                job = self._jobs[0]
            found: Found | None = None
            try:
                if away is not None and self._experiment.is_finished:
                    # The end of the script does not wait for the service twice.
                    raise away
                found = self._save(job)
                away = None
            except BaseException as error:
                away = error if isinstance(error, ConnectionFailed) else None
                self._lose(job, error)
            job.artifact.ended(found)
            job.settled.set()
            with self._moved:
                self._jobs.popleft()
                self._moved.notify_all()

    def _save(self, job: _Job) -> Found:
        artifact = job.artifact
        if artifact.problem is not None:
            raise LosslessError(artifact.problem)
        if self._experiment.offline:
            raise LosslessError("the recording is offline")
        calls = self.calls()
        if not artifact.is_draft():
            # An existing artifact gets its aliases.
            known = artifact._saved
            assert known is not None
            self._name(calls, job, known.artifact, known.version)
            return known
        meta = {**artifact.meta(self._experiment.slug), **({} if job.step is None else {"step": job.step})}
        version, files = despite_rivals(lambda: self._version(calls, job.path, artifact.staged, meta))
        artifact.hashed({file.name: file.sha256 for file in files})
        self._name(calls, job, job.path, version)
        artifact.discard()
        size = sum(file.size for file in files)
        note = {"kind": "artifact", "artifact": job.path, "version": version, "bytes": size, "type": artifact.type}
        self._experiment.annotate(f"saved {job.path} {version}", {**note, "aliases": job.aliases})
        return Found(job.path, version, {"meta": meta})

    def _name(self, calls: ArtifactCalls, job: _Job, artifact: str, version: str) -> None:
        """Sets the aliases, on the artifact or on the model that it is linked to."""
        if job.model is None:
            set_aliases(calls, artifact, version, job.aliases)
            return
        number = link(calls, job.model, artifact, version, job.aliases)
        note = {"kind": "artifact-linked", "artifact": artifact, "version": version, "model": job.model}
        told = f"linked {artifact} {version} to {job.model} {number}"
        self._experiment.annotate(told, {**note, "number": number, "aliases": job.aliases})

    def _version(
        self, calls: ArtifactCalls, path: str, staged: Path, meta: dict[str, Any]
    ) -> tuple[str, list[PreparedFile]]:
        """Saves it, unless it equals the latest version. The first is number 0, as in W&B."""
        assert self._client is not None, "BUG: calls without a client"
        saving = versions._Saving(calls, self._settings.url, path, staged, None, meta, False, False)
        files = saving.read()
        latest = self._latest(calls, path)
        if latest is not None and _content(latest["meta"]) == _content(with_checksums(saving.meta, files)[0]):
            return str(latest["version"]), files
        writer = versions.opened(self._client, path, "auto", None, place_of(None))
        if writer.latest is None:
            saving.version = FIRST_VERSION
        return saving.run(writer, None).version, files

    def _latest(self, calls: ArtifactCalls, path: str) -> Any:
        try:
            return calls.latest(path)
        except RequestRefused as error:
            if error.status != 404:
                raise
            return None

    def _lose(self, job: _Job, error: BaseException) -> None:
        kept = self._kept(job)
        reason = str(error) or type(error).__name__
        where = (
            "" if kept is None else f"; its files are kept: lossless.save_artifact({kept!r}, {job.path!r}) sends them"
        )
        warn(f"artifact {job.path} {type(error).__name__}", f"the artifact {job.path} was not saved: {reason}{where}")
        with self._moved:
            self._lost += 1
            if len(self._losses) < _NAMED_MAX:
                self._losses.append(_loss(job.path, reason, kept))

    def _kept(self, job: _Job) -> str | None:
        if job.artifact._held is None or not job.artifact._entries:
            return None
        staged = job.artifact.staged
        kept = staged.parent.parent / f"{_UNSAVED_PREFIX}{staged.parent.name.rpartition('-')[2]}"
        try:
            os.rename(staged, kept)
        except OSError:
            return None
        job.artifact.discard()
        return str(kept)


def _content(meta: dict[str, Any]) -> dict[str, Any]:
    """A version's meta without the run that saved it and its step."""
    return {name: value for name, value in meta.items() if name not in ("experiment", "step")}


def _loss(path: str, reason: str, file: str | None) -> dict[str, Any]:
    return {"kind": "artifact", "artifact": path, "step": None, "reason": reason, "file": file}
