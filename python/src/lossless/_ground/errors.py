"""
Exceptions of this package.

    LosslessError
    ├── SettingsError        an argument, variable or file is wrong
    ├── ConnectionFailed     no reply from the service, or none in time
    ├── SeriesNotFound       an experiment has points, and none of this series; also a KeyError
    ├── RequestRefused       the service answered a request with an error (HTTP status, code)
    │   └── Superseded       another writer has opened the artifact: this one must stop
    ├── EventRefused         an event inside an accepted request failed
    ├── OutcomeUnknown       whether a write happened cannot be told
    ├── IncompleteStream     a series ended without its closing record, or with other counts
    ├── FileChanged          a file was written to while it was saved
    ├── IntegrityError       bytes are not those that were saved
    └── StoreFailed          a store behind a signed address refused or failed

`log()` never raises any of these: see `Report`, which `finish` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class LosslessError(Exception):
    """Base class of everything that this package raises on purpose."""


class SettingsError(LosslessError):
    """An argument, an environment variable or a file is wrong; the message says which."""


class ConnectionFailed(LosslessError):
    """
    There was no reply, or none in time. `not_sent`: certainly nothing of the request has arrived.
    `is_refused`: nothing listens at this address, or its name is unknown.
    """

    def __init__(self, message: str, not_sent: bool = False, is_refused: bool = False) -> None:
        super().__init__(message)
        self.not_sent = not_sent
        self.is_refused = is_refused


class SeriesNotFound(LosslessError, KeyError):
    """An experiment has points, but none of this series. `near`: similar names, likeliest first."""

    def __init__(self, message: str, name: str, near: list[str]) -> None:
        super().__init__(message)
        self.name = name
        self.near = near

    # KeyError's own `__str__` would put the sentence into quotes.
    __str__ = Exception.__str__


class RequestRefused(LosslessError):
    """An HTTP error. `code` is the service's stable code, `retry_after` seconds or None."""

    def __init__(
        self, message: str, status: int, code: str, retry_after: float | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.request_id = request_id


class Superseded(RequestRefused):
    """Another writer has opened the artifact since; `epoch` is the current one. Stop writing."""

    def __init__(self, message: str, epoch: int) -> None:
        super().__init__(message, 409, "superseded")
        self.epoch = epoch


class EventRefused(LosslessError):
    """An event failed in a request that was accepted."""

    def __init__(self, message: str, status: int, code: str, retryable: bool, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retryable = retryable
        self.details = details


class OutcomeUnknown(LosslessError):
    """A write may or may not have happened, and no read can tell."""


class IncompleteStream(LosslessError):
    """A series stream ended early or with other counts than announced: it is incomplete."""


class FileChanged(LosslessError):
    """A file was written to while it was read, so the bytes sent are outdated. Save it again."""


class IntegrityError(LosslessError):
    """The bytes read back are not those that were saved."""


class StoreFailed(LosslessError):
    """A store behind a signed address failed. `status` is None when it did not reply."""

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status = status


# Tracebacks show the names that scripts import: lossless.SettingsError.
for _each in list(globals().values()):
    if isinstance(_each, type) and issubclass(_each, LosslessError):
        _each.__module__ = "lossless"
