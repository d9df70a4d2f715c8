"""Calls made from settings, shared by reading and artifacts."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .._ground.errors import ConnectionFailed, LosslessError, RequestRefused, SettingsError
from .._ground.settings import Settings
from .._ground.warning import say
from .http import Reply
from .login import LoginCredential
from .retry import delay, is_transient
from .service import Outcome, Service

# Default seconds in which a call is retried.
RETRY_SECONDS = 60.0
# Seconds to wait for a service that refuses the first connection: it is probably not there.
FIRST_SECONDS = 2.0
# Seconds after which the waiting caller is told why.
_TOLD_AFTER_SECONDS = 5.0

Result = TypeVar("Result")


class Client:
    """
    Retried calls, for any thread: one at a time, over one kept-alive connection. A forked process
    has a connection of its own.

    `gives_up` is called after each transient failure: whether another attempt is pointless.
    `first_seconds`: how long to wait for a service that refuses connections and has never replied.
    `tells`: whether the reason for waiting is printed.
    """

    def __init__(
        self,
        settings: Settings,
        retry_seconds: float = RETRY_SECONDS,
        gives_up: Callable[[], bool] = lambda: False,
        first_seconds: float | None = None,
        tells: bool = False,
    ) -> None:
        if settings.credential is None:
            raise SettingsError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
        self.settings = settings
        self.retry_seconds = retry_seconds
        self._gives_up = gives_up
        self._first_seconds = first_seconds
        self._tells = tells
        self._has_answered = False
        # Whether series are asked for as columns, by each new service.
        self.asks_for_columns = True
        # Keyed by process: threads that start at once in a forked one must find the same.
        self._own: dict[int, tuple[threading.Lock, Service]] = {}
        self._own_connection()

    def new_service(self) -> Service:
        """
        Returns a service with its own connection, for a reply that is read while other calls go on.
        """
        settings = self.settings
        key = str(settings.credential)
        credential: Callable[[], str] = (
            LoginCredential(settings.url) if settings.organization is not None else lambda: key
        )
        return Service(settings.url, credential, settings.organization)

    def events(self, *events: tuple[str, Mapping[str, Any]]) -> list[Outcome]:
        """Sends reads once, for `retried`: they may be repeated freely."""
        return self._locked(lambda service: service.events(events)[0])

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        timeout: float | None = None,
        retry_seconds: float | None = None,
    ) -> Reply:
        """Makes a call of the artifacts interface that may be repeated."""
        seconds = self.retry_seconds if retry_seconds is None else retry_seconds
        ask: Callable[[Service], Reply] = lambda service: service.call(  # noqa: E731
            method, path, body, raw=raw, timeout=timeout
        )
        return self._retried(lambda: self._locked(ask), seconds)

    def retried(
        self,
        attempt: Callable[[], Result],
        may_retry: Callable[[LosslessError], bool] = is_transient,
        progress: Callable[[], int] = lambda: 0,
    ) -> Result:
        """Retries a function of several calls like a call; `attempt` itself tries once."""
        return self._retried(attempt, self.retry_seconds, may_retry, progress)

    def close(self) -> None:
        lock, service = self._own_connection()
        with lock:
            service.close()

    def __del__(self) -> None:
        # No more calls will come; an open socket would cause a warning.
        for _, service in getattr(self, "_own", {}).values():
            service.close()

    def _retried(
        self,
        attempt: Callable[[], Result],
        seconds: float,
        may_retry: Callable[[LosslessError], bool] = is_transient,
        progress: Callable[[], int] = lambda: 0,
    ) -> Result:
        told = self._told if self._tells else lambda error, seconds: None
        return retried(attempt, seconds, may_retry, progress, self._gives_up, self._at_most, told)

    def _at_most(self, error: LosslessError) -> float:
        is_absent = isinstance(error, ConnectionFailed) and error.is_refused and not self._has_answered
        return self._first_seconds if is_absent and self._first_seconds is not None else math.inf

    def _told(self, error: LosslessError, seconds: float) -> None:
        say(f"lossless: {error}; retrying for {seconds:.0f} more seconds")

    def _locked(self, ask: Callable[[Service], Result]) -> Result:
        lock, service = self._own_connection()
        with lock:
            try:
                result = ask(service)
            except RequestRefused:
                self._has_answered = True
                raise
            self._has_answered = True
            return result

    def _own_connection(self) -> tuple[threading.Lock, Service]:
        pid = os.getpid()
        return self._own.get(pid) or self._own.setdefault(pid, (threading.Lock(), self.new_service()))


def retried(
    attempt: Callable[[], Result],
    seconds: float,
    may_retry: Callable[[LosslessError], bool] = is_transient,
    progress: Callable[[], int] = lambda: 0,
    gives_up: Callable[[], bool] = lambda: False,
    at_most: Callable[[LosslessError], float] = lambda error: math.inf,
    told: Callable[[LosslessError, float], None] = lambda error, seconds: None,
) -> Result:
    """
    Retries until success or a final failure, or until the next attempt would begin this many
    seconds after the first failure: the duration of attempts without failure does not count. Nor do
    failures before one that came further than all before, by `progress`. `at_most`: the seconds for
    failures that deserve fewer. `told`, called once: why it takes long, and how long it may.
    """
    furthest = progress()
    since: float | None = None
    attempts = 0
    is_told = False
    while True:
        try:
            return attempt()
        except LosslessError as error:
            now = time.monotonic()
            if since is None or progress() > furthest:
                furthest, attempts, since = progress(), 0, now
            attempts += 1
            wait = delay(attempts, error)
            left = since + min(seconds, at_most(error)) - now
            if not may_retry(error) or wait > left or gives_up():
                raise
            if now + wait - since >= _TOLD_AFTER_SECONDS and not is_told:
                is_told = True
                told(error, left)
        time.sleep(wait)
