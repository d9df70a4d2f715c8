"""The keys of a config that are recorded: others may be secrets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._ground.errors import SettingsError
from .._values.config import as_mapping


def chosen_config(config: Any, exclude: Iterable[str] | None, include: Iterable[str] | None) -> dict[str, Any]:
    """
    Returns the selected outermost keys. Raises SettingsError for an invalid list, which must not
    let a secret through.
    """
    left_out, kept = _names(exclude, "config_exclude_keys"), _names(include, "config_include_keys")
    return {
        key: value
        for key, value in as_mapping(config).items()
        if (left_out is None or key not in left_out) and (kept is None or key in kept)
    }


def _names(names: Any, argument: str) -> set[str] | None:
    if names is None:
        return None
    if isinstance(names, str):
        return {names}
    try:
        return {str(name) for name in names}
    except TypeError:
        raise SettingsError(f"{argument} must be a list of names, not {names!r}") from None
