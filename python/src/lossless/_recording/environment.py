"""
Environment variables for `init`. Arguments come before LOSSLESS_…, and that before WANDB_…, which
scripts written for W&B are started with.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .._ground.errors import SettingsError
from .._ground.warning import say

_MODES = ("online", "offline", "disabled", "shared", "dryrun", "run")
_TRUE = ("1", "true", "yes", "on", "y", "t")
# Names of W&B's settings that differ from those of the variables.
_SETTINGS = {
    "NAME": "run_name",
    "NOTES": "run_notes",
    "TAGS": "run_tags",
    "JOB_TYPE": "run_job_type",
    "DIR": "root_dir",
    "DISABLED": "",
}
# W&B's words for the console, and those of `init(console=…)`.
_CONSOLES = {"off": "off", "wrap": "wrap", "wrap_raw": "wrap", "wrap_emu": "wrap", "redirect": "fd"}


class Defaults:
    """Values for arguments that `init` was not given: of its `settings`, then of WANDB_…"""

    def __init__(self, settings: Any) -> None:
        self._settings = settings if isinstance(settings, Mapping) else getattr(settings, "__dict__", {})

    def of(self, name: str) -> Any:
        said = self._settings.get(_SETTINGS.get(name, name.lower()))
        return of_wandb(name) if said is None else said

    @property
    def tags(self) -> Any:
        said = self._settings.get("run_tags")
        return tags_of_wandb() if said is None else said

    @property
    def mode(self) -> Any:
        return self._settings.get("mode")

    @property
    def console(self) -> str | None:
        return _CONSOLES.get(str(self.of("CONSOLE")).lower())

    @property
    def wants_no_machine(self) -> bool:
        """Whether metrics of the machine are switched off."""
        return self._settings.get("x_disable_stats") is True or self._settings.get("_disable_stats") is True

    @property
    def is_silent(self) -> bool:
        return any(str(self.of(name)).lower() in _TRUE for name in ("SILENT", "QUIET"))

    @property
    def directory(self) -> str | None:
        """The directory of recordings below W&B's, unless LOSSLESS_SPOOL names one."""
        said = None if os.environ.get("LOSSLESS_SPOOL") else self.of("DIR")
        return None if said is None else os.path.join(os.fspath(said), "lossless")


def mode_of(mode: Any) -> str:
    """Returns the mode of a recording. Raises SettingsError, which names the invalid source."""
    said: Any = mode
    source = "mode"
    for name in ("LOSSLESS_MODE", "WANDB_MODE"):
        if not said:
            said, source = os.environ.get(name, "").strip(), name
    if not said and (of_wandb("DISABLED") or "").lower() in _TRUE:
        said, source = "disabled", "WANDB_DISABLED"
    if not said:
        return "online"
    if not isinstance(said, str) or said.lower() not in _MODES:
        raise SettingsError(f"{source} must be online, offline or disabled, not {said!r}")
    chosen = said.lower()
    if source.startswith("WANDB_") and chosen == "disabled":
        # It may be meant for another tracker, and the user would not notice that nothing is
        # recorded.
        say(f"lossless: {source}={os.environ[source]}: nothing is recorded (LOSSLESS_MODE overrides it)")
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
