"""
Asks the programs of vendors, such as `nvidia-smi`.

A program may hang in a driver, print without end, or leave children that hold its output. None of
that reaches the training, nor the metrics of others: each family of accelerators has a thread, and
each call a limit of time and bytes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

_SECONDS_MAX = 10.0
_BYTES_MAX = 8 * 2**20
# A reader that fails this many times in a row is asked again only after a pause.
_FAILURES_MAX = 3
_PAUSE_SAMPLES = 40


class ProgramFailed(Exception):
    """A program that did not answer. `output`: what it printed."""

    def __init__(self, output: str = "") -> None:
        super().__init__(output)
        self.output = output


def path_of(program: str) -> str | None:
    return shutil.which(program)


def answer_of(*words: str, seconds: float = _SECONDS_MAX) -> str:
    """Returns what a program prints. Raises ProgramFailed."""
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Numbers with a point, and tables without colours that are not cut.
            env={**os.environ, "LC_ALL": "C", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"},
            start_new_session=sys.platform != "win32",
        )
    except (OSError, ValueError):
        raise ProgramFailed from None
    assert process.stdout is not None
    timer = threading.Timer(seconds, _kill, [process])
    timer.daemon = True
    timer.start()
    try:
        data = process.stdout.read(_BYTES_MAX + 1)
        if len(data) > _BYTES_MAX:
            _kill(process)
        code = process.wait()
    finally:
        timer.cancel()
        process.stdout.close()
    output = data.decode("utf-8", "replace")
    if code != 0 or len(data) > _BYTES_MAX:
        raise ProgramFailed(output)
    return output


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a program, and children that hold its output after it has ended."""
    if process.returncode is not None:
        # Its id may be that of another process by now.
        return
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


class SlowReader:
    """A reader that may take long: a thread of its own asks it, and hands over what it answers."""

    def __init__(self, read: Callable[[], dict[str, float]]) -> None:
        self._read = read
        self._is_busy = False
        self._failures = 0
        self._pause = 0

    def ask(self, take: Callable[[dict[str, float]], None]) -> None:
        """Begins to ask, unless the last answer is still on its way."""
        if self._is_busy:
            return
        if self._pause > 0:
            self._pause -= 1
            return
        self._is_busy = True
        try:
            threading.Thread(target=self._answer, args=(take,), daemon=True).start()
        except RuntimeError:
            # The system has no thread left.
            self._is_busy = False

    def _answer(self, take: Callable[[dict[str, float]], None]) -> None:
        try:
            take(self._read())
            self._failures = 0
        except Exception:
            # Absent, without the permission, of another version, or mid-update.
            self._failures += 1
            if self._failures >= _FAILURES_MAX:
                self._pause = _PAUSE_SAMPLES
        finally:
            self._is_busy = False
