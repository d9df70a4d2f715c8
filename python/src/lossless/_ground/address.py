"""What the addresses of endpoints are made of; endpoints.py has them."""

from __future__ import annotations

from urllib.parse import quote

from .errors import LosslessError

Endpoint = tuple[str, str]
"""Method and address."""


def segment(value: str) -> str:
    """A part of a path."""
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise LosslessError("a name is not well-formed Unicode") from None


def address(path: str, **query: str | None) -> str:
    pairs = [f"{name}={segment(value)}" for name, value in query.items() if value is not None]
    return f"{path}?{'&'.join(pairs)}" if pairs else path
