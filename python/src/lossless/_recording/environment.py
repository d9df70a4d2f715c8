"""
Environment variables for `init`. Arguments come before LOSSLESS_…, and that before WANDB_…, which
scripts written for W&B are started with.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from .._ground.errors import SettingsError
from .._ground.warning import say

_MODES = ("online", "offline", "disabled", "shared", "dryrun", "run")


def mode_of(mode: Any) -> str:
    """Returns the mode of a recording. Raises SettingsError, which names the invalid source."""
    said: Any = mode
    source = "mode"
    for name in ("LOSSLESS_MODE", "WANDB_MODE"):
        if not said:
            said, source = os.environ.get(name, "").strip(), name
    if not said:
        return "online"
    if not isinstance(said, str) or said.lower() not in _MODES:
        raise SettingsError(f"{source} must be online, offline or disabled, not {said!r}")
    chosen = said.lower()
    if source == "WANDB_MODE" and chosen == "disabled":
        # It may be meant for another tracker, and the user would not notice that nothing is
        # recorded.
        say("lossless: WANDB_MODE=disabled: nothing is recorded (LOSSLESS_MODE overrides it)")
    return chosen


def of_wandb(name: str) -> str | None:
    """Returns the variable `WANDB_<name>`; None where it is absent or empty."""
    return os.environ.get(f"WANDB_{name}", "").strip() or None


def tags_of(given: Any) -> list[str]:
    """Returns a list of tags from one tag, or several."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    texts = [str(tag) for tag in ([given] if is_one else given) if tag is not None]
    return [text for text in texts if text]


def tags_of_wandb() -> list[str] | None:
    tags = [tag.strip() for tag in (of_wandb("TAGS") or "").split(",")]
    return [tag for tag in tags if tag] or None
