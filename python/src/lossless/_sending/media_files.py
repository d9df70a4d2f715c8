"""Sends files that a script logged (_media) from the recording's directory into `<slug>/media`."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .._ground.errors import LosslessError
from .._ground.settings import Settings
from .._service.retry import is_about_content
from .._service.session import Session
from .._spool.head import RunInfo
from .._spool.sent_state import State, Tally
from .._spool.spool import MEDIA_FILE
from .._values.records import records_in
from .delivery import Annotation, Delivery
from .stored_version import stored_version

# A version is stored as a whole, so files are sent in batches.
_SECONDS = 60.0
_FILES = 100
_BYTES = 64 * 2**20
_READ_BYTES = 2**20
# Names of files in the recording's directory; other names are not sent.
_FILE = re.compile(r"media-\d{6,9}")


class _Batch(NamedTuple):
    """
    The entries of the log up to `end`. `files`: names in the recording's directory and in the
    version.
    """

    end: int
    files: list[tuple[str, str]]
    metas: list[dict[str, Any]]


class MediaFiles:
    """
    Sends logged files. While a script records, a thread sends a batch each minute, so that points
    never wait for a store. Annotations follow the version that they name. `settings` has the
    address and the credential.
    """

    def __init__(
        self,
        directory: Path,
        info: RunInfo,
        state: State,
        session: Session,
        settings: Callable[[], Settings],
        delivery: Callable[..., Delivery],
        open: Callable[[], None],
        keep: Callable[[], None],
    ) -> None:
        self._directory = directory
        self._state = state
        self._session = session
        self._settings = settings
        self._delivery = delivery
        self._open = open
        self._keep = keep
        # Other ranks and children would supersede each other on one artifact.
        own = "media" if info.is_primary else f"media-{info.prefix[:6]}"
        self.artifact = f"{info.slug}/{own}"
        self._meta = {"experiment": info.slug, "kind": "media"}
        self._due = time.monotonic() + _SECONDS
        self._look_at = 0.0
        self._thread: threading.Thread | None = None
        self._batch: _Batch | None = None
        self._result: str | LosslessError | None = None

    def send_when_due(self) -> None:
        """Sends without ever waiting."""
        now = time.monotonic()
        if self._thread is not None:
            if self._thread.is_alive():
                return
            self._take_result()
        if now < self._look_at or self._state.experiment_id is None:
            return
        self._look_at = now + 1.0
        batch = self._next()
        if batch is None:
            self._due = now + _SECONDS
        elif now >= self._due or len(batch.files) >= _FILES or self._state.media_sent is not None:
            self._due = now + _SECONDS
            self._begin(batch)

    def send(self) -> None:
        """Sends all of it. Raises why that is impossible now."""
        if self._thread is not None:
            self._thread.join()
            self._take_result()
        while self._state.experiment_id is not None and (batch := self._next()) is not None:
            self._begin(batch)
            assert self._thread is not None
            self._thread.join()
            problem = self._take_result()
            if problem is not None:
                raise problem

    def _begin(self, batch: _Batch) -> None:
        self._batch, self._result = batch, None
        self._thread = threading.Thread(target=self._upload, args=(batch,), daemon=True)
        self._thread.start()

    def _take_result(self) -> LosslessError | None:
        """Settles what the thread has sent; returns its error, if any."""
        batch, result, self._thread = self._batch, self._result, None
        assert batch is not None, "BUG: a thread without a batch"
        if isinstance(result, str):
            self._announce(batch, result)
            return None
        code = getattr(result, "code", "")
        if result is not None and is_about_content(result) and code != "not_ready":
            refused = Tally()
            refused.refuse(len(batch.metas), f"pictures and tables: {result}")
            self._state.add(refused)
            self._settle(batch)
            return None
        return result if result is not None else LosslessError("the files were not sent")

    def _announce(self, batch: _Batch, version: str) -> None:
        """Announces a batch exactly once: before it begins, the state notes it with the version."""
        known = self._state.media_sent
        self._open()
        if known is None:
            since_ms = self._session.server_time_ms() - 5_000
            self._state.media_sent = {"end": batch.end, "version": version, "sinceMs": since_ms}
            self._keep()
        notes = [_note(meta, self.artifact, version) for meta in batch.metas]
        if notes:
            since = None if known is None else known["sinceMs"]
            tally = Tally()
            state = State(attempting_since_ms=since)
            self._delivery(state, is_unsettled=known is not None, tally=tally).annotations(notes)
            self._state.add(tally)
        self._settle(batch)

    def _settle(self, batch: _Batch) -> None:
        self._state.media_offset, self._state.media_sent = batch.end, None
        self._keep()
        for file, _ in batch.files:
            with contextlib.suppress(OSError):
                (self._directory / file).unlink()

    def _next(self) -> _Batch | None:
        """
        Returns the next batch of the log. One that was sent but not announced is the same again.
        """
        start, sent = self._state.media_offset, self._state.media_sent
        try:
            with open(self._directory / MEDIA_FILE, "rb") as log:
                log.seek(start)
                data = log.read(_READ_BYTES)
        except FileNotFoundError:
            return None
        end, size = start, 0
        files: list[tuple[str, str]] = []
        metas: list[dict[str, Any]] = []
        for behind, record in records_in(data):
            if sent is not None and start + behind > sent["end"]:
                break
            if sent is None and files and (len(files) >= _FILES or size >= _BYTES):
                break
            end = start + behind
            if record is None or record[0] != "f" or not all(_FILE.fullmatch(file) for file, _, _ in record[1]):
                continue
            # After a lost state some files are gone: those were sent.
            if all((self._directory / file).is_file() for file, _, _ in record[1]):
                files += [(file, path) for file, path, _ in record[1]]
                size += sum(each for _, _, each in record[1])
                metas.append(record[2])
        return None if end == start else _Batch(end, files, metas)

    def _upload(self, batch: _Batch) -> None:
        try:
            sent = self._state.media_sent
            self._result = str(sent["version"]) if sent is not None else self._version(batch) if batch.files else ""
        except LosslessError as error:
            self._result = error
        except Exception as error:
            self._result = LosslessError(f"{type(error).__name__}: {error}")

    def _version(self, batch: _Batch) -> str:
        files = [(self._directory / file, path) for file, path in batch.files]
        return stored_version(self._settings(), self.artifact, self._meta, files)


def _note(meta: dict[str, Any], artifact: str, version: str) -> Annotation:
    own = meta["_media"]
    text = f"{own['name']}: {own['kind']} at step {own['step']}"
    return Annotation(text, {**meta, "_media": {**own, "artifact": artifact, "version": version}})
