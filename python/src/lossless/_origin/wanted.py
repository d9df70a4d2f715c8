"""The kinds of facts that `init` keeps: by argument, LOSSLESS_…, or W&B's variables."""

from __future__ import annotations

import os
import re

from .._ground.errors import SettingsError

SOURCE_KINDS = ("git", "diff", "command")
ENVIRONMENT_KINDS = ("host", "user", "system", "gpus", "scheduler", "packages")
_ON = ("", "on", "true", "yes", "1")
_OFF = ("off", "false", "no", "0")


def wanted_kinds(source: bool | str | None, environment: bool | str | None) -> list[str]:
    """Returns the kinds to keep. Raises SettingsError for a word that is none."""
    of_source = _kinds("source", "LOSSLESS_SOURCE", source, SOURCE_KINDS)
    if of_source is None:
        of_source = set(SOURCE_KINDS)
        if _is_set("WANDB_DISABLE_GIT"):
            of_source -= {"git", "diff"}
        if _is_set("WANDB_DISABLE_CODE"):
            of_source.discard("diff")
    of_environment = _kinds("environment", "LOSSLESS_ENVIRONMENT", environment, ENVIRONMENT_KINDS)
    kinds = of_source | (set(ENVIRONMENT_KINDS) if of_environment is None else of_environment)
    return [kind for kind in (*SOURCE_KINDS, *ENVIRONMENT_KINDS) if kind in kinds]


def _kinds(argument: str, variable: str, given: bool | str | None, all_kinds: tuple[str, ...]) -> set[str] | None:
    """None: nothing is said."""
    if given is None and not os.environ.get(variable, "").strip():
        return None
    said = os.environ[variable] if given is None else given
    if not isinstance(said, (str, bool)):
        raise SettingsError(f"{argument} is on, off, or kinds of {', '.join(all_kinds)}, not {said!r}")
    text = str(said).strip().lower()
    if text in _ON or text in _OFF:
        return set(all_kinds) if text in _ON else set()
    words = [word for word in re.split(r"[,\s]+", text) if word]
    named = [word.removeprefix("-") for word in words]
    unknown = [word for word in named if word not in all_kinds]
    if unknown or len({word.startswith("-") for word in words}) > 1:
        raise SettingsError(
            f"{argument} (or {variable}) is on, off, or some of {', '.join(all_kinds)}, each with a "
            f"minus or none, not {said!r}"
        )
    # A diff is nothing without its commit.
    if words[0].startswith("-"):
        left = set(all_kinds) - set(named)
        return left if "git" in left else left - {"diff"}
    return {*named, "git"} if "diff" in named else set(named)


def _is_set(name: str) -> bool:
    return os.environ.get(name, "").strip().lower() in _ON[1:]
