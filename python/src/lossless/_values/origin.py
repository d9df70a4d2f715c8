"""Source and environment of a recording, under two reserved keys of an experiment's meta."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .records import encode
from .size_limit import is_too_large

SOURCE = "_source"
ENVIRONMENT = "_environment"
KEYS = (SOURCE, ENVIRONMENT)


def origin_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the reserved keys that the meta has."""
    return {key: meta[key] for key in KEYS if key in meta}


def without_origin(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in meta.items() if key not in KEYS}


def with_origin(meta: Mapping[str, Any], origin: Mapping[str, Any]) -> dict[str, Any]:
    """
    Returns the meta with these keys at its end. A config that leaves them no room costs them, the
    packages first, and never the other way round.
    """
    config = without_origin(meta)
    whole = {**config, **origin}
    if not is_too_large(whole, encode(whole)):
        return whole
    environment = dict(origin.get(ENVIRONMENT, {}))
    packages = environment.pop("packages", {})
    environment["packagesLeftOut"] = environment.get("packagesLeftOut", 0) + len(packages)
    source = {SOURCE: origin[SOURCE]} if SOURCE in origin else {}
    for less in ({**source, ENVIRONMENT: environment}, source):
        whole = {**config, **less}
        if not is_too_large(whole, encode(whole)):
            return whole
    return config


def replaced_by(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the members of the reserved keys that `after` does not have with the same value."""
    found = {}
    for key in KEYS:
        old, new = before.get(key), after.get(key)
        if isinstance(old, dict):
            known = new if isinstance(new, dict) else {}
            lost = {name: value for name, value in old.items() if name not in known or known[name] != value}
            if lost:
                found[key] = lost
    return found
