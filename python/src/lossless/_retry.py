"""The retry guidance of the service: connection failures, 408, 429, 5xx, and event errors that say so."""

from __future__ import annotations

import random
from typing import TypeGuard

from ._errors import ConnectionFailed, EventRefused, LosslessError, RequestRefused

FIRST_DELAY = 0.1
LONGEST_DELAY = 10.0

# Codes of failures that are answered before anything was written.
_NOTHING_WRITTEN = {"rate_limited", "request_timeout", "overloaded", "storage_full"}


def is_transient(error: BaseException) -> TypeGuard[LosslessError]:
    """Whether the same request may succeed later. Whether a *write* may be sent again is another question."""
    if isinstance(error, ConnectionFailed):
        return True
    if isinstance(error, RequestRefused):
        return error.status in (408, 429) or error.status >= 500
    return isinstance(error, EventRefused) and error.retryable


def nothing_ran(error: BaseException) -> bool:
    """True when a failed write certainly changed nothing, so that it may be sent again whatever it is."""
    if isinstance(error, ConnectionFailed):
        return error.not_sent
    if isinstance(error, (RequestRefused, EventRefused)):
        return error.status == 429 or error.status < 500 or error.code in _NOTHING_WRITTEN
    return False


def delay(attempts: int, error: BaseException) -> float:
    """Seconds before the next attempt, after so many: doubled each time, cut by a random half."""
    ceiling = min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(attempts - 1, 20))
    own = ceiling * (0.5 + random.random() / 2)
    asked = error.retry_after if isinstance(error, RequestRefused) else None
    return max(own, asked or 0.0)
