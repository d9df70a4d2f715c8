"""The sender of a recording: a process of its own, so that sending never delays the training."""

from __future__ import annotations

import dataclasses
import functools
import os
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

from .._ground.interpreter import runs_python, sender_words, sync_command
from .._ground.settings import Settings
from .._ground.signal_handlers import is_of_signal_handler
from .._spool.report import Report, report_of
from .._spool.sent_state import State, console_stopped_of, others_of, problem_of
from .sender_pipe import SenderPipe

_LAST_SAMPLE_SECONDS = 2.0
# Seconds between checks by a recording script that its sender lives; longer when it keeps dying.
_LOOK_SECONDS = 2.0
_LOOK_SECONDS_MAX = 300.0


class Background:
    """Starts the sender, and waits for it at the end. Offline or without a key there is none."""

    def __init__(self, settings: Settings, is_offline: bool) -> None:
        self._settings = settings
        self._is_offline = is_offline
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: SenderPipe | None = None
        self._failure: str | None = None
        self._look_at = 0.0
        self._respawns = 0
        # Whether the user knows that nothing is sent for now.
        self._is_told = False
        # Notices that were told.
        self._told_notices: set[Callable[[Path], str | None]] = set()
        # The state reported by the last sender.
        self._state: State | None = None
        # Workers that never log must not hold the pipe: its end shows the sender that it is alone.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=functools.partial(_drop_pipe, weakref.ref(self)))

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def is_offline(self) -> bool:
        return self._is_offline

    def in_child(self) -> Background:
        """Returns the one for a forked process, which does not wait for the parent's sender."""
        return Background(self._settings, self._is_offline)

    def pipe(self) -> SenderPipe | None:
        """
        Returns the pipe to the sender, for what the disk does not accept; None: there is none.
        """
        is_there = self._process is not None and not self._is_offline and self._has_pipe()
        return self._pipe if is_there else None

    def start(self, directory: Path, is_needed: bool) -> str | None:
        """
        Starts the sender. `is_needed`: facts or metrics of the machine are wanted, for which an
        offline recording has a process too. Returns a warning for the user when nothing is sent.
        """
        if is_needed or not self._is_offline:
            self._spawn(directory)
        return self._untold(directory, self._failure)

    def look_after(self, directory: Path) -> str | None:
        """
        Called with each line: now and then restarts a sender that has died during the recording.
        Returns, once, why the service does not get the data: after days of training the end would
        be too late to learn it.
        """
        now = time.monotonic()
        if now < self._look_at:
            return None
        self._look_at = now + min(_LOOK_SECONDS * 2.0 ** min(self._respawns, 10), _LOOK_SECONDS_MAX)
        if self._process is None or self._is_offline:
            return None
        is_dead = self._process.poll() is not None
        for notice in (others_of, console_stopped_of):
            told = None if notice in self._told_notices else notice(directory)
            if told is not None:
                self._told_notices.add(notice)
                return told
        problem = None if self._is_told else problem_of(directory, is_dead)
        if is_dead:
            self._respawns += 1
            self._release()
            self._spawn(directory)
        return self._untold(directory, problem or self._failure)

    def _untold(self, directory: Path, reason: str | None) -> str | None:
        if reason is None or self._is_told or self._is_offline:
            return None
        self._is_told = True
        ends = (
            "and is sent later"
            if self._process is not None
            else f"until you send it: {sync_command(directory, self._settings.url)}"
        )
        return (
            f"nothing reaches {self._settings.url} at the moment: {reason.rstrip('.')}; the "
            f"recording waits in {directory} {ends}"
        )

    def wait(self, directory: Path, timeout: float) -> BaseException | None:
        """
        Waits until all is sent or the time is over. Returns what Ctrl-C or a signal handler raised.
        """
        end = time.monotonic() + max(0.0, timeout)
        if self._is_offline:
            # It sends nothing, and ends with its input.
            self._release()
            end = min(end, time.monotonic() + _LAST_SAMPLE_SECONDS)
        if self._process is None:
            return None
        try:
            if not self._is_offline and not self._has_pipe():
                # The sender takes the recording for ended, and may have read past its end.
                self._process.wait(max(0.0, end - time.monotonic()))
            if not self._is_offline and self._process.poll() is not None and not self._is_ended_well():
                # It died, or gave up, during the recording: a new one sends the rest, which is all
                # there.
                self._release()
                self._spawn(directory)
            self._tell_end()
            # Its last report fits into the socket.
            self._process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        except BaseException as error:
            if isinstance(error, Exception) and not is_of_signal_handler(error):
                raise
            return error
        if self._process.returncode not in (None, 0):
            self._failure = self._failure or f"the sender ended early (exit code {self._process.returncode})"
        return None

    def _tell_end(self) -> None:
        """
        Tells the sender that the end waits, so that it does not wait for a service that refuses it.
        """
        if self._pipe is not None:
            self._pipe.tell_end()

    def _pump(self) -> None:
        if self._pipe is not None:
            self._pipe.pump()
            self._state = self._pipe.state or self._state

    def report(self, directory: Path, lost: int, refused: Mapping[str, int], lost_unless_sent: int = 0) -> Report:
        """Returns the report, with what this process refused. From here on the sender is alone."""
        self._pump()
        report = report_of(directory, self._settings, lost, refused, self._is_offline, self._failure, self._state)
        report = dataclasses.replace(report, lost_unless_sent=lost_unless_sent)
        self._release()
        return report

    def _release(self) -> None:
        """Closes the pipe, by which the sender knows that it is alone."""
        if self._pipe is not None:
            self._pump()
            self._pipe.close()
            self._pipe = None

    def _is_ended_well(self) -> bool:
        # Without the pipe it took the recording for ended.
        return self._has_pipe() and self._process is not None and self._process.returncode == 0

    def _has_pipe(self) -> bool:
        return self._pipe is not None and self._pipe.is_ours()

    def _spawn(self, directory: Path) -> None:
        if not runs_python():
            # A frozen application would start again, with its windows or its training.
            if not self._is_offline:
                self._failure = f"{sys.executable or 'this program'} is not a Python that could run a sender"
            return
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LOSSLESS_SENDER_")}
        if self._is_offline:
            environment["LOSSLESS_SENDER_OFFLINE"] = "1"
        environment["LOSSLESS_SENDER_URL"] = self._settings.url
        environment["LOSSLESS_SENDER_PARENT"] = str(os.getpid())
        if self._settings.credential is not None and self._settings.organization is None:
            environment["LOSSLESS_SENDER_KEY"] = self._settings.credential
        if self._settings.organization is not None:
            environment["LOSSLESS_SENDER_ORGANIZATION"] = self._settings.organization
        # Outside our process group: Ctrl-C ends the training, and the sender still has to send.
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP
        try:
            self._pipe = SenderPipe()
        except OSError as error:
            self._failure = f"the sender could not be started: {error}"
            return
        far = self._pipe.far
        # By it the sender learns how this process has ended, even if that is before it has begun.
        own = _own_descriptor()
        if own is not None:
            environment["LOSSLESS_SENDER_PROCESS"] = str(own)
        try:
            self._process = subprocess.Popen(
                sender_words(directory),
                stdin=far,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=str(directory.parent),
                creationflags=flags,
                start_new_session=sys.platform != "win32",
                pass_fds=() if own is None else (own,),
            )
        except (OSError, ValueError) as error:
            if is_of_signal_handler(error):
                raise
            self._failure = f"the sender could not be started: {error}"
            self._release()
        finally:
            os.close(far)
            if own is not None:
                os.close(own)


def _own_descriptor() -> int | None:
    """Returns a descriptor of this process (Linux); None: there are none."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(os.getpid())
    except (OSError, AttributeError):
        return None


def _drop_pipe(reference: weakref.ref[Background]) -> None:
    background = reference()
    if background is not None and background._process is not None:
        # It is the parent's child, not ours.
        background._process.returncode = 0
        if background._pipe is not None:
            # Data that waits in it is the parent's, too.
            background._pipe.close()
            background._pipe = None
