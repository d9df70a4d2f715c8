"""Settings to calls: what reading and artifacts have in common."""

from __future__ import annotations

import os
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
    """
    Calls that are tried again, for any thread: one at a time, over one connection that is kept. A forked process has
    a connection of its own.

    `gives_up` is asked after each failure that may pass: whether it is not worth another attempt.
    """

    def __init__(
        self,
        settings: Settings,
        retry_seconds: float = RETRY_SECONDS,
        gives_up: Callable[[], bool] = lambda: False,
    ) -> None:
        if settings.credential is None:
            raise SettingsError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
        self.settings = settings
        self.retry_seconds = retry_seconds
        self._gives_up = gives_up
        # By the number of the process: threads that begin in a forked one at once must find the same.
        self._own: dict[int, tuple[threading.Lock, Service]] = {}
        self._own_connection()

    def new_service(self) -> Service:
        """With a connection of its own, for a reply that is read while other calls go on."""
        settings = self.settings
        key = str(settings.credential)
        credential: Callable[[], str] = (
            LoginCredential(settings.url) if settings.organization is not None else lambda: key
        )
        return Service(settings.url, credential, settings.organization)

    def events(self, *events: tuple[str, Mapping[str, Any]]) -> list[Outcome]:
        """Reads only: they may be sent as often as it takes."""
        return self.retried(lambda: self._locked(lambda service: service.events(events)[0]))

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
        ask: Callable[[Service], Reply] = lambda service: service.call(method, path, body, timeout=timeout)  # noqa: E731
        return retried(lambda: self._locked(ask), seconds, gives_up=self._gives_up)

    def retried(
        self,
        attempt: Callable[[], Result],
        may_retry: Callable[[LosslessError], bool] = is_transient,
        progress: Callable[[], int] = lambda: 0,
    ) -> Result:
        """As the calls are, for what needs several of them."""
        return retried(attempt, self.retry_seconds, may_retry, progress, self._gives_up)

    def close(self) -> None:
        lock, service = self._own_connection()
        with lock:
            service.close()

    def __del__(self) -> None:
        # Nobody calls any more; a socket that is left open would be warned of.
        for _, service in getattr(self, "_own", {}).values():
            service.close()

    def _locked(self, ask: Callable[[Service], Result]) -> Result:
        lock, service = self._own_connection()
        with lock:
            return ask(service)

    def _own_connection(self) -> tuple[threading.Lock, Service]:
        pid = os.getpid()
        return self._own.get(pid) or self._own.setdefault(pid, (threading.Lock(), self.new_service()))


def retried(
    attempt: Callable[[], Result],
    seconds: float,
    may_retry: Callable[[LosslessError], bool] = is_transient,
    progress: Callable[[], int] = lambda: 0,
    gives_up: Callable[[], bool] = lambda: False,
) -> Result:
    """
    Until it succeeds, or fails for good, or the next attempt would begin so many seconds after the first failure: how
    long an attempt went well does not count. Nor do failures before one that came further than all before it, by
    `progress`.
    """
    furthest = progress()
    end: float | None = None
    attempts = 0
    while True:
        try:
            return attempt()
        except LosslessError as error:
            if end is None or progress() > furthest:
                furthest, attempts = progress(), 0
                end = time.monotonic() + seconds
            attempts += 1
            wait = delay(attempts, error)
            if not may_retry(error) or time.monotonic() + wait > end or gives_up():
                raise
        time.sleep(wait)
