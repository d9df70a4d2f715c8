"""Output that never stops a command: `lossless sync | head` sends all recordings, not just ten."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def calm_output() -> Iterator[None]:
    """Keeps printing from raising. Characters that a terminal lacks are written as `\\xe9`."""
    import sys

    with contextlib.redirect_stdout(_CalmOutput(sys.stdout)), contextlib.redirect_stderr(_CalmOutput(sys.stderr)):
        yield


class _CalmOutput(io.TextIOBase):
    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(OSError, ValueError):
                stream.reconfigure(errors="backslashreplace")

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def write(self, text: str) -> int:
        if self._stream is not None:
            try:
                self._stream.write(text)
                if text.endswith("\n"):
                    self._stream.flush()
            except ValueError:
                # The stream is closed.
                self._stream = None
            except OSError:
                self._drop()
        return len(text)

    def flush(self) -> None:
        if self._stream is not None:
            try:
                self._stream.flush()
            except ValueError:
                self._stream = None
            except OSError:
                self._drop()

    def _drop(self) -> None:
        """Gives up a stream without a reader: its buffer must not fail again at the end."""
        stream, self._stream = self._stream, None
        with contextlib.suppress(OSError, ValueError):
            assert stream is not None
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
