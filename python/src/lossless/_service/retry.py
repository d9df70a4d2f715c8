"""The service's guidance on retries: connection failures, 408, 429, 5xx, and events that say so."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeGuard

from .._ground.errors import ConnectionFailed, EventRefused, LosslessError, RequestRefused

FIRST_DELAY = 0.1
LONGEST_DELAY = 10.0
# The longest pause after a refusal, which may come from a gateway, or while a key is replaced.
_LONGEST_DELAY_REFUSED = 60.0
_LONGEST_ASKED = 600.0

# Codes of failures answered before anything was written.
_NOTHING_WRITTEN = {"rate_limited", "request_timeout", "overloaded", "storage_full"}
_ABOUT_CONTENT = (400, 413, 422)


def is_transient(error: BaseException) -> TypeGuard[LosslessError]:
    """
    Whether the same request may succeed later. Whether a *write* may be repeated: `nothing_ran`.
    """
    if isinstance(error, ConnectionFailed):
        return True
    if isinstance(error, RequestRefused):
        return error.status in (408, 429) or error.status >= 500
    return isinstance(error, EventRefused) and error.retryable


def until_done(attempt: Callable[[], Any], wait: Callable[[int, LosslessError], None]) -> None:
    """Repeats an attempt while its failure is transient; `wait` takes the number of attempts."""
    attempts = 0
    while True:
        attempts += 1
        try:
            attempt()
            return
        except LosslessError as error:
            if not is_transient(error):
                raise
            wait(attempts, error)


def is_about_content(error: BaseException) -> bool:
    """
    Whether the service will never accept the content. A gateway's reply has no code of the service.
    """
    if isinstance(error, RequestRefused):
        return error.status in _ABOUT_CONTENT and not error.code.startswith("http_")
    return isinstance(error, EventRefused) and not error.retryable and error.status in _ABOUT_CONTENT


def nothing_ran(error: BaseException) -> bool:
    """Whether a failed write certainly changed nothing, so that it may be resent."""
    if isinstance(error, ConnectionFailed):
        return error.not_sent
    if isinstance(error, (RequestRefused, EventRefused)):
        return error.status == 429 or error.status < 500 or error.code in _NOTHING_WRITTEN
    return False


def delay(attempts: int, error: BaseException) -> float:
    """
    Seconds before the next attempt, after `attempts`: doubled each time, shortened by a random
    half.
    """
    longest = LONGEST_DELAY if is_transient(error) else _LONGEST_DELAY_REFUSED
    ceiling = min(longest, FIRST_DELAY * 2.0 ** min(attempts - 1, 20))
    own = ceiling * (0.5 + random.random() / 2)
    asked = error.retry_after if isinstance(error, RequestRefused) else None
    return max(own, min(asked or 0.0, _LONGEST_ASKED))
