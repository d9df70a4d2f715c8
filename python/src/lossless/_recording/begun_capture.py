"""The capture of the console of a recording that begins."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._ground.signal_handlers import is_of_signal_handler

if TYPE_CHECKING:
    from .._console.capture import Capture


def begun_capture(wanted: dict[str, Any] | None, directory: Path, warn: Callable[[str, str], None]) -> Capture | None:
    """
    `wanted` is that of the head. `warn` is a method, whose object the streams must not keep alive.
    None: the script wants no capture, or it is not possible, which is told.
    """
    if wanted is None:
        return None
    from .._console.capture import Capture

    weak = weakref.WeakMethod(warn)

    def warn_if_alive(what: str, text: str) -> None:
        alive = weak()
        if alive is not None:
            alive(what, text)

    try:
        return Capture(directory, wanted["mode"], warn_if_alive)
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        warn("console", f"the console is not recorded: {error!r}")
        return None
