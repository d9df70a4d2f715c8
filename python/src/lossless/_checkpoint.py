"""Checkpoints of PyTorch states, written while the training goes on."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from ._artifacts import SavedVersion
from ._copied_state import copied_state
from ._errors import LosslessError
from ._module import current, warn

FILE_NAME = "checkpoint.pt"

Save = Callable[[Path, "int | None", "Mapping[str, Any] | None"], "SavedVersion | None"]


class PendingCheckpoint:
    """A checkpoint on its way."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._saved: SavedVersion | None = None
        self._error: BaseException | None = None

    @classmethod
    def nothing(cls) -> PendingCheckpoint:
        """Of a recording that records nothing."""
        pending = cls()
        pending._ended.set()
        return pending

    @property
    def is_done(self) -> bool:
        """Saved, or failed."""
        return self._ended.is_set()

    def wait(self, timeout: float | None = None) -> SavedVersion | None:
        """Until the service has it. Raises what saving raised (Superseded, …), TimeoutError."""
        if not self._ended.wait(timeout):
            raise TimeoutError(f"the checkpoint is not saved after {timeout} seconds")
        if self._error is not None:
            raise self._error
        return self._saved

    def end(self, saved: SavedVersion | None, error: BaseException | None) -> None:
        """For Checkpoints."""
        self._saved, self._error = saved, error
        self._ended.set()


class Checkpoints:
    """Those of one artifact, one after the other: the next one waits for the last, so that one copy is in memory."""

    def __init__(self, artifact: str, save: Save) -> None:
        self._artifact = artifact
        self._save = save
        self._lock = threading.Lock()
        self._last: PendingCheckpoint | None = None

    def take(self, state: Any, step: int | None, meta: Mapping[str, Any] | None) -> PendingCheckpoint:
        """Returns when the state is copied."""
        torch = _torch()
        with self._lock:
            if self._last is not None:
                self._last._ended.wait()
            copied = copied_state(state, torch)
            pending = self._last = PendingCheckpoint()
            # No daemon: the end of the script waits for it.
            thread = threading.Thread(
                target=self._write, args=(torch, copied, step, meta, pending), name="lossless-checkpoint"
            )
            thread.start()
        return pending

    def _write(
        self,
        torch: Any,
        state: Any,
        step: int | None,
        meta: Mapping[str, Any] | None,
        pending: PendingCheckpoint,
    ) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="lossless-checkpoint-") as directory:
                path = Path(directory) / FILE_NAME
                torch.save(state, path)
                # From here on the file is enough.
                del state
                saved = self._save(path, step, meta)
        except BaseException as error:
            # Also told at once: many scripts never wait.
            warn(f"checkpoint {self._artifact} {type(error).__name__}", f"a checkpoint was not saved: {error}")
            pending.end(None, error)
        else:
            pending.end(saved, None)


def checkpoint(
    state: Any,
    name: str = "checkpoint",
    *,
    step: int | None = None,
    meta: Mapping[str, Any] | None = None,
    experiment: Any = None,
) -> PendingCheckpoint:
    """
    Saves a PyTorch state (`{"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}`) as a
    version of the artifact `<experiment>/<name>`, in one file `checkpoint.pt`.

    Copies the tensors to the memory of the CPU and returns; a thread writes and sends them while the training goes
    on. The next checkpoint of the same name waits for the last one. `wait()` gives the version, or raises.

    `experiment` is that of the last `init` when it is left out. Without torch: LosslessError.
    """
    recording = current() if experiment is None else experiment
    if recording is None:
        raise LosslessError("checkpoint() before init(): there is no experiment to save it below")
    pending: PendingCheckpoint = recording.checkpoint(state, name, step=step, meta=meta)
    return pending


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise LosslessError("checkpoint() needs torch, which is not installed") from None
