"""Scripts that record, as processes of their own; each test has a spool of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service import WithService


class Scripts(WithService):
    def environment(self, **variables: str) -> dict[str, str]:
        return self.service.environment(spool=self._testMethodName, **variables)

    def script(self, text: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a script that must end well; warnings are exceptions in it."""
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(text), *words],
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def file(self, text: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a file that may spawn processes. It may end in any way, and warns as Python does."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "train.py"
            path.write_text(textwrap.dedent(text))
            return subprocess.run(
                [sys.executable, str(path), *words],
                env=self.environment(**variables),
                capture_output=True,
                text=True,
                timeout=240,
            )

    def good_file(self, text: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        result = self.file(text, *words, **variables)
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def started(self, text: str, *words: str, **variables: str) -> Script:
        script = Script(text, words, self.environment(**variables))
        self.addCleanup(script.close)
        return script

    def sync(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lossless", "sync", *words],
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=240,
        )

    def sync_until_sent(self, *words: str, **variables: str) -> None:
        result = self.sync(*words, **variables)
        end = time.monotonic() + 120
        while result.returncode != 0 or self.spools():
            if time.monotonic() > end:
                self.fail(f"not everything is sent: {result.stdout}{result.stderr}{self.spools()}")
            time.sleep(0.05)
            result = self.sync(*words, **variables)

    def spools(self) -> list[Path]:
        directory = self.service.directory / self._testMethodName
        return sorted(directory.iterdir()) if directory.is_dir() else []

    def record(self, slug: str) -> Any:
        return self.service.query("query.experiment", experimentSlug=slug)

    def until(self, condition: Callable[[], Any], what: str) -> None:
        end = time.monotonic() + 240
        while not condition():
            if time.monotonic() > end:
                self.fail(f"not within four minutes: {what}")
            time.sleep(0.05)

    def stored(self, slug: str, name: str) -> list[tuple[int, float]]:
        """Returns steps and values; nothing if the experiment does not exist yet."""
        try:
            return [(step, value) for step, value, _ in self.service.points(slug).get(name, [])]
        except KeyError:
            return []

    def kill_senders(self) -> int:
        """Kills the senders of this test, and returns their number."""
        own = str(self.service.directory / self._testMethodName).encode()
        killed = 0
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            if b"lossless._sending.sender_process" in words and own in words:
                # A sender that is alone ends by itself.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(name), signal.SIGKILL)
                    killed += 1
        return killed


class Over:
    """A finished recording, for a sender that never waits."""

    def lives(self) -> bool:
        return False

    def is_ending(self) -> bool:
        return True

    def give_up_at(self, trying_since: float) -> float | None:
        return 0.0


class Script:
    """A script that stays alive: at each `input()` it waits for `go_on()`."""

    def __init__(self, text: str, words: tuple[str, ...], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(text), *words],
            env={**environment, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def line(self) -> str:
        """Returns the next line that it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def deafen(self) -> None:
        """Closes the pipe into which it prints."""
        assert self._process.stdout is not None
        self._process.stdout.close()

    def go_on(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def ended(self) -> int:
        return self._process.wait(240)

    def close(self) -> None:
        if self._process.poll() is None:
            self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
