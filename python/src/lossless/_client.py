"""Settings to calls: what reading and artifacts have in common."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ._errors import LosslessError, SettingsError
from ._http import Reply
from ._login import LoginCredential
from ._retry import delay, is_transient
from ._service import Outcome, Service
from ._settings import Settings

# How long a call is tried again, by default.
RETRY_SECONDS = 60.0

Result = TypeVar("Result")


class Client:
    """Calls that are tried again, for any thread: one at a time, over one connection that is kept."""

    def __init__(self, settings: Settings, retry_seconds: float = RETRY_SECONDS) -> None:
        if settings.credential is None:
            raise SettingsError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
        self.settings = settings
        self.retry_seconds = retry_seconds
        self._lock = threading.Lock()
        self._service = self.new_service()

    def new_service(self) -> Service:
        """With a connection of its own, for a reply that is read while other calls go on."""
        settings = self.settings
        key = str(settings.credential)
        credential: Callable[[], str] = LoginCredential() if settings.organization is not None else lambda: key
        return Service(settings.url, credential, settings.organization)

    def events(self, *events: tuple[str, Mapping[str, Any]]) -> list[Outcome]:
        """Reads only: they may be sent as often as it takes."""
        return retried(lambda: self._locked(lambda service: service.events(events)[0]), self.retry_seconds)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        timeout: float | None = None,
        retry_seconds: float | None = None,
    ) -> Reply:
        """A call of the artifacts interface that does no harm when it is sent twice."""
        seconds = self.retry_seconds if retry_seconds is None else retry_seconds
        return retried(lambda: self._locked(lambda service: service.call(method, path, body, timeout=timeout)), seconds)

    def close(self) -> None:
        with self._lock:
            self._service.close()

    def __del__(self) -> None:
        # Nobody calls any more; a socket that is left open would be warned of.
        if hasattr(self, "_service"):
            self._service.close()

    def _locked(self, ask: Callable[[Service], Result]) -> Result:
        with self._lock:
            return ask(self._service)


def retried(
    attempt: Callable[[], Result],
    seconds: float,
    may_retry: Callable[[LosslessError], bool] = is_transient,
) -> Result:
    """Until it succeeds, or fails for good, or the next attempt would begin after so many seconds."""
    end = time.monotonic() + seconds
    attempts = 0
    while True:
        try:
            return attempt()
        except LosslessError as error:
            attempts += 1
            wait = delay(attempts, error)
            if not may_retry(error) or time.monotonic() + wait > end:
                raise
        time.sleep(wait)
