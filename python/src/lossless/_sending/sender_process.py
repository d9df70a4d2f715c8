"""The process that sends beside a recording: `init` starts it, and it outlives the training."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .._ground.interpreter import sender_words
from .._ground.lock import SENDER, Busy, Lock, is_recorded
from .._origin.gathered import Gathering
from .._service.login import LoginCredential
from .._spool.cleanup import remove_if_sent
from .._spool.handed_lines import HandedLines
from .._spool.head import read_info
from .._spool.sent_state import note_stopped
from .handover import Handover
from .script_end import WatchedScript
from .sender import Sender
from .system import Sampler

# Seconds of attempts without a reply after the recording process is gone. The rest then waits for
# `lossless sync`.
_PATIENCE_SECONDS = 600.0
_POLL_SECONDS = 0.2
_REMOVAL_SECONDS = 10.0
# Standard input: the socket to the recording.
_INPUT = 0
_READ_BYTES = 2**18


class Parent:
    """
    The process that records and has started this one, observed by its socket, and by our parent's
    id. Its messages: see _spool/handed_lines.py; their end says that it waits for nothing more.
    """

    def __init__(self, process_id: int) -> None:
        self.process_id = process_id
        self.handed = HandedLines()
        self._taking = threading.Lock()
        self._is_closed = threading.Event()
        self._gone_at: float | None = None
        threading.Thread(target=self._watch, daemon=True).start()

    def is_there(self) -> bool:
        """Whether the process exists, whatever it does."""
        return self.process_id != 0 and (sys.platform == "win32" or os.getppid() == self.process_id)

    def lives(self) -> bool:
        if self.is_there() and not self._is_closed.is_set():
            return True
        self._take_what_came()
        self._gone_at = self._gone_at or time.monotonic()
        return False

    def is_ending(self) -> bool:
        return self.handed.is_ending

    def give_up_at(self, trying_since: float) -> float | None:
        if self.lives():
            return None
        assert self._gone_at is not None
        return max(self._gone_at, trying_since) + _PATIENCE_SECONDS

    def gone_at(self) -> float | None:
        """Returns when it was noticed that it is gone, on the monotonic clock; None: it is not."""
        return None if self.lives() else self._gone_at

    def wait(self, seconds: float) -> None:
        """Waits at most this long; shorter when the process ends."""
        self._is_closed.wait(seconds)

    def _watch(self) -> None:
        # Not by sys.stdin, whose lock this thread would hold at the end of the process.
        try:
            while self._take():
                pass
        except OSError:
            pass
        with self._taking:
            self.handed.take_rest()
        self._is_closed.set()

    def _take(self) -> bool:
        """Takes the next message; False: there will be none."""
        if sys.platform != "win32":
            select.select([_INPUT], [], [])
        with self._taking:
            data = os.read(_INPUT, _READ_BYTES)
            questions = self.handed.take(data)
        for _ in range(questions):
            self.tell_state()
        return bool(data)

    def _take_what_came(self) -> None:
        """
        Waits for messages handed over before the process was killed, as its end may be noticed
        first.
        """
        while not self._is_closed.is_set() and sys.platform != "win32" and select.select([_INPUT], [], [], 0)[0]:
            # The other thread takes it.
            time.sleep(0.001)

    def tell_state(self) -> None:
        """Reports our state through the socket, as the disk may not accept it."""
        if self.handed.answer is not None:
            with contextlib.suppress(OSError):
                os.write(_INPUT, self.handed.answer)


def main() -> int:
    """Sends the directory of the argument; credential and parent are in the environment."""
    directory = Path(sys.argv[1])
    parent = Parent(int(os.environ.get("LOSSLESS_SENDER_PARENT", "0")))
    gathering = None
    try:
        info = read_info(directory)
        gathering = None if info.origin is None else Gathering(directory, info.origin)
        if os.environ.get("LOSSLESS_SENDER_OFFLINE"):
            _measure(directory, parent, gathering)
            return 0
        lock = _locked(directory, parent)
        if lock is None:
            return 0
        try:
            return _send(directory, parent, gathering)
        finally:
            lock.release()
    except Exception as error:
        # `finish` and `lossless sync` report it.
        note_stopped(directory, error)
        return 1
    finally:
        if gathering is not None:
            gathering.stop()


def _measure(directory: Path, parent: Parent, gathering: Gathering | None) -> None:
    """Offline there is no address to send to."""
    sampler = _sampler(directory, parent)
    if sampler is not None:
        sampler.run()
    if gathering is not None:
        # A script that has ended its recording, and is there, waits for this process.
        gathering.wait_while(lambda: parent.lives() or not parent.is_there())
        if not gathering.is_over():
            _go_on_without(directory)


def _send(directory: Path, parent: Parent, gathering: Gathering | None) -> int:
    sampler = _sampler(directory, parent)
    if sampler is not None:
        threading.Thread(target=sampler.run, daemon=True).start()
    organization = os.environ.get("LOSSLESS_SENDER_ORGANIZATION") or None
    # The script's address, with the key given for it: not one that a file names.
    url = os.environ["LOSSLESS_SENDER_URL"]
    script = WatchedScript(directory, parent.process_id, parent.gone_at)
    sender = Sender(
        directory,
        _credential(url),
        organization,
        parent,
        url,
        sampler=sampler,
        handed=parent.handed,
        gathering=gathering,
        script=script,
    )
    try:
        sender.run()
    finally:
        parent.tell_state()
    if sender.state.origin_is_open and parent.lives():
        _go_on_without(directory)
    # Otherwise `finish` waits for us, and wants to read the result.
    if not parent.lives():
        # A script that ends at this moment holds its lock a little longer.
        until = time.monotonic() + _REMOVAL_SECONDS
        while not remove_if_sent(directory) and is_recorded(directory) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
    return 0


def _go_on_without(directory: Path) -> None:
    """
    Starts another sender for what the script's end does not wait for: it waits for this process.
    """
    with contextlib.suppress(OSError):
        subprocess.Popen(
            sender_words(directory),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LOSSLESS_SENDER_PARENT": "0"},
            cwd=str(directory.parent),
            start_new_session=sys.platform != "win32",
        )


def _credential(url: str) -> Callable[[], str]:
    key = os.environ.get("LOSSLESS_SENDER_KEY")
    return LoginCredential(url) if key is None else lambda: key


def _locked(directory: Path, parent: Parent) -> Lock | None:
    """
    Takes the lock, which `lossless sync` may hold for a while. None: others will send the rest.
    """
    handover = Handover(directory)
    while True:
        try:
            return Lock(directory, SENDER)
        except Busy:
            end = parent.give_up_at(0.0)
            if end is not None and (handover.is_asked_for() or time.monotonic() >= end):
                return None
        parent.wait(_POLL_SECONDS) if parent.lives() else time.sleep(_POLL_SECONDS)


def _sampler(directory: Path, parent: Parent) -> Sampler | None:
    info = read_info(directory)
    if info.system is None:
        return None
    return Sampler(directory, info.system, info.created_at_ms, parent.process_id, parent.lives, parent.wait)


if __name__ == "__main__":
    sys.exit(main())
