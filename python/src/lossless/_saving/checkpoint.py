"""Checkpoints of PyTorch states, written and sent while the training continues."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from .._artifacts.versions import SavedVersion
from .._ground.errors import LosslessError, RequestRefused, StoreFailed, Superseded
from .._ground.held_directory import HeldDirectory
from .._ground.signal_handlers import is_of_signal_handler
from .._ground.warning import say, warn
from .._service.retry import LONGEST_DELAY, delay, is_transient
from .copied_state import copied_state
from .patience import Patience

FILE_NAME = "checkpoint.pt"
DIRECTORY_PREFIX = "lossless-checkpoint-"
# Prefix of a checkpoint that could not be saved, which no sweep removes.
UNSAVED_PREFIX = "lossless-unsaved-checkpoint-"
# Seconds for which the training is held when two are unsent; a longer save ends the holding.
_HOLD_SECONDS = 30.0
_NAMED_MAX = 100
# Attempts after `not_found`: the upload has expired, and a new one helps; or the artifact is gone
# for good.
_NOT_FOUND_TRIES_MAX = 3

Save = Callable[[Path, "int | None", "Mapping[str, Any] | None"], "SavedVersion | None"]


class Skipped(LosslessError):
    """A newer checkpoint replaced it before it was sent."""


class PendingCheckpoint:
    """A checkpoint being saved."""

    def __init__(self, step: int | None = None) -> None:
        self.step = step
        self._ended = threading.Event()
        self._saved: SavedVersion | None = None
        self._error: BaseException | None = None

    @classmethod
    def nothing(cls) -> PendingCheckpoint:
        """Returns the pending checkpoint of a recording, or a rank, that saves nothing."""
        pending = cls()
        pending._ended.set()
        return pending

    @property
    def is_done(self) -> bool:
        """Whether it was saved, or failed."""
        return self._ended.is_set()

    def wait(self, timeout: float | None = None) -> SavedVersion | None:
        """Waits until the service has it. Raises the error of saving, or TimeoutError."""
        if not self._ended.wait(timeout):
            raise TimeoutError(f"the checkpoint is not saved after {timeout} seconds")
        if self._error is not None:
            raise self._error
        return self._saved

    def end(self, saved: SavedVersion | None, error: BaseException | None) -> None:
        """Called by Checkpoints when it is saved or lost."""
        self._saved, self._error = saved, error
        self._ended.set()


@dataclasses.dataclass(frozen=True)
class _Written:
    """A checkpoint in a file, not sent yet."""

    pending: PendingCheckpoint
    directory: HeldDirectory
    meta: Mapping[str, Any] | None


class Checkpoints:
    """
    The checkpoints of one artifact. One copy is in memory: the next one waits until the last is in
    a file. Files are sent one after another; of those that wait behind a slow one, the newest is
    kept, the others are skipped.
    """

    def __init__(self, artifact: str, save: Save, patience: Patience) -> None:
        self._artifact = artifact
        self._save = save
        self._patience = patience
        self._taking = threading.Lock()
        self._in_file = threading.Event()
        self._in_file.set()
        # Guards the following fields, and is notified when one was sent.
        self._moved = threading.Condition()
        self._waiting: _Written | None = None
        self._is_sending = False
        self._holds = True
        self._open: list[PendingCheckpoint] = []
        self._unsaved: Path | None = None
        self._lost = 0
        self._losses: list[dict[str, Any]] = []

    def take(self, state: Any, step: int | None, meta: Mapping[str, Any] | None) -> PendingCheckpoint:
        """Copies the state. Raises only without torch, on Ctrl-C, or for a signal handler."""
        torch = _torch()
        pending = PendingCheckpoint(step)
        with self._taking:
            self._in_file.wait()
            self._hold()
            # In a list, since the arguments of a thread live as long as it runs. Taking it out
            # includes ending the checkpoint: by the thread, or here when interrupted.
            copied: list[Any] = [None]
            try:
                with self._moved:
                    self._open.append(pending)
                copied[0] = copied_state(state, torch)
                self._in_file.clear()
                # No daemon: the end of the script waits for it.
                threading.Thread(
                    target=self._write, args=(torch, copied, pending, meta), name="lossless-checkpoint"
                ).start()
            except BaseException as error:
                if _taken(copied):
                    self._in_file.set()
                    self.lose(pending, error)
                if not isinstance(error, Exception) or is_of_signal_handler(error):
                    raise
        return pending

    def lose(self, pending: PendingCheckpoint, error: BaseException, file: Path | None = None) -> None:
        """Counts it as lost, and warns once for each reason, since many scripts never wait."""
        step = "" if pending.step is None else f" of step {pending.step}"
        kept = "" if file is None else f"; its file is kept: lossless.save_artifact({str(file)!r}, {self._artifact!r})"
        reason = str(error) or type(error).__name__
        text = f"a checkpoint{step} of {self._artifact} was not saved: {reason}{kept}"
        with self._moved:
            # Visible at once: a lost checkpoint is no longer pending.
            self._open = [each for each in self._open if each is not pending]
            self._lost += 1
            # The first ones are kept, and the last one, whose file may be kept.
            del self._losses[_NAMED_MAX - 1 :]
            self._losses.append(_loss(self._artifact, pending.step, reason, file))
        if threading.main_thread().is_alive():
            warn(f"checkpoint {self._artifact} {type(error).__name__}", text)
        else:
            say(f"lossless: {text}")
        self._ended(pending, None, error)

    def wait(self, timeout: float) -> None:
        """Waits until all are saved or lost, or the time is over."""
        end = time.monotonic() + timeout
        with self._moved:
            self._moved.wait_for(lambda: not self._open, max(0.0, end - time.monotonic()))

    def unsaved(self) -> tuple[int, list[dict[str, Any]]]:
        """
        Returns the number that the service lacks, including pending ones; the first hundred by
        name.
        """
        with self._moved:
            kept = None if self._unsaved is None else str(self._unsaved)
            lost = [{**one, "file": one["file"] if one["file"] == kept else None} for one in self._losses]
            way = [_loss(self._artifact, pending.step, "it is still being saved", None) for pending in self._open]
            return self._lost + len(way), [*lost, *way]

    def _hold(self) -> None:
        """
        Holds the training loop, so that every checkpoint is saved as long as a save is shorter than
        the wait. A longer save, of much data or to an unreachable service, costs the loop one wait;
        until one is shorter again, the newest replaces the one that waits.
        """
        with self._moved:
            if self._holds and not self._moved.wait_for(lambda: self._waiting is None, _HOLD_SECONDS):
                self._holds = False

    def _write(self, torch: Any, copied: list[Any], pending: PendingCheckpoint, meta: Mapping[str, Any] | None) -> None:
        own = _taken(copied)
        if not own:
            return
        try:
            try:
                directory = _new_directory()
                try:
                    torch.save(own.pop(), directory.path / FILE_NAME)
                except BaseException:
                    directory.remove()
                    raise
            finally:
                own.clear()
        except BaseException as error:
            self._in_file.set()
            return self.lose(pending, error)
        with self._moved:
            older, self._waiting = self._waiting, _Written(pending, directory, meta)
            is_first, self._is_sending = not self._is_sending, True
        if older is not None:
            older.directory.remove()
            reason = f"skipped: a newer one replaced it, because the one before took longer than {_HOLD_SECONDS:g} s"
            self.lose(older.pending, Skipped(reason))
        self._in_file.set()
        if is_first:
            self._send_all()

    def _send_all(self) -> None:
        while True:
            with self._moved:
                written, self._waiting = self._waiting, None
                self._moved.notify_all()
                if written is None:
                    self._is_sending = False
                    return
            saved: SavedVersion | None = None
            failure: BaseException | None = None
            file: Path | None = None
            began = time.monotonic()
            try:
                saved = self._sent(written)
                # A save that takes longer would make the loop wait again and again.
                self._holds = self._holds or time.monotonic() - began < _HOLD_SECONDS
                self._forget()
            except BaseException as error:
                failure = error
                file = None if isinstance(error, Superseded) else self._keep(written)
            written.directory.remove()
            if failure is None:
                self._ended(written.pending, saved, None)
            else:
                self.lose(written.pending, failure, file)

    def _sent(self, written: _Written) -> SavedVersion | None:
        failing_since: float | None = None
        tries = not_found = 0
        while True:
            refusal: str | None = None
            try:
                return self._save(written.directory.path / FILE_NAME, written.pending.step, written.meta)
            except LosslessError as error:
                tries += 1
                if failing_since is None:
                    failing_since = time.monotonic()
                not_found += getattr(error, "code", None) == "not_found"
                if not _may_pass(error, not_found) or self._patience.is_over(failing_since):
                    raise
                wait = delay(tries, error)
                if _is_refused(error):
                    refusal = f"a checkpoint of {self._artifact} is refused, and retried: {error}"
            if refusal is not None and threading.main_thread().is_alive():
                warn(f"checkpoint {self._artifact} refused", refusal)
            # The end of the script does not wait for long pauses.
            time.sleep(wait if threading.main_thread().is_alive() else min(wait, LONGEST_DELAY))

    def _keep(self, written: _Written) -> Path | None:
        """Keeps the file of the newest failed checkpoint where no sweep removes it."""
        path = written.directory.path
        kept = path.with_name(UNSAVED_PREFIX + path.name.removeprefix(DIRECTORY_PREFIX))
        try:
            kept.mkdir(mode=0o700)
            os.rename(path / FILE_NAME, kept / FILE_NAME)
        except OSError:
            return None
        self._forget()
        self._unsaved = kept / FILE_NAME
        return self._unsaved

    def _forget(self) -> None:
        if self._unsaved is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._unsaved)
                os.rmdir(self._unsaved.parent)
            self._unsaved = None

    def _ended(self, pending: PendingCheckpoint, saved: SavedVersion | None, error: BaseException | None) -> None:
        with self._moved:
            self._open = [each for each in self._open if each is not pending]
            pending.end(saved, error)
            self._moved.notify_all()


def _taken(copied: list[Any]) -> list[Any]:
    """Takes the copy out of its list; empty when another thread has taken it."""
    try:
        return [copied.pop()]
    except IndexError:
        return []


def _new_directory() -> HeldDirectory:
    """Makes a directory in TMPDIR; leftovers of killed processes are removed first."""
    parent = Path(tempfile.gettempdir())
    for directory in HeldDirectory.forgotten(parent, DIRECTORY_PREFIX):
        directory.remove()
    return HeldDirectory.made(parent, DIRECTORY_PREFIX)


def _may_pass(error: LosslessError, not_found: int) -> bool:
    """Whether another attempt may succeed. `not_found`: the number of such errors so far."""
    if is_transient(error) or isinstance(error, StoreFailed) or _is_refused(error):
        return True
    code = error.code if isinstance(error, RequestRefused) else None
    return code == "not_ready" or (code == "not_found" and not_found < _NOT_FOUND_TRIES_MAX)


def _is_refused(error: LosslessError) -> bool:
    """
    Whether it is refused: by a gateway, while a key is replaced, or for good, which cannot be
    distinguished.
    """
    if not isinstance(error, RequestRefused) or is_transient(error):
        return False
    return error.status in (401, 403) or error.code.startswith("http_")


def _loss(artifact: str, step: int | None, reason: str, file: Path | None) -> dict[str, Any]:
    return {"artifact": artifact, "step": step, "reason": reason, "file": None if file is None else str(file)}


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise LosslessError("checkpoint() needs torch, which is not installed") from None
