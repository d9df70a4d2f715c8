"""The part of a recording that its artifacts need."""

from __future__ import annotations

from typing import Any, Protocol


class Recording(Protocol):
    @property
    def slug(self) -> str: ...
    @property
    def is_finished(self) -> bool: ...
    @property
    def offline(self) -> bool: ...
    def annotate(self, text: str, meta: Any = None) -> None: ...
