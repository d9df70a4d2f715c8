"""Several processes that write versions of one artifact at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from .._ground.errors import RequestRefused, Superseded

Result = TypeVar("Result")

_TRIES_MAX = 6


def despite_rivals(save: Callable[[], Result]) -> Result:
    """
    Runs `save`, which opens the artifact, takes the next number and commits. When another process
    was faster, with the epoch or with the number, it is repeated with the new latest version; after
    six attempts its error is raised.
    """
    tries = 1
    while True:
        try:
            return save()
        except (Superseded, RequestRefused) as error:
            is_rival = isinstance(error, Superseded) or error.code == "not_after_latest"
            if not is_rival or tries == _TRIES_MAX:
                raise
        tries += 1
        time.sleep(0.2 * tries)
