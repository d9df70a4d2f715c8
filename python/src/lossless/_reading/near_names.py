"""Suggestions for a misspelled name."""

from __future__ import annotations

from collections.abc import Sequence

_NEAR_MAX = 3
# Names compared at most: comparing letters takes some 20 microseconds a name.
_COMPARED_MAX = 50_000
_LIKENESS = 0.6


def near_names(name: str, known: Sequence[str]) -> list[str]:
    """At most three names, likeliest first: those that begin or end with it, then similar ones."""
    within = sorted(each for each in known if each.startswith(f"{name}/") or each.endswith(f"/{name}"))
    if len(within) >= _NEAR_MAX or len(known) > _COMPARED_MAX:
        return within[-_NEAR_MAX:]
    import difflib

    alike = difflib.get_close_matches(name, known, _NEAR_MAX, _LIKENESS)
    return [*within, *(each for each in alike if each not in within)][:_NEAR_MAX]


def meant(near: Sequence[str]) -> str:
    return f": is {' or '.join(map(repr, near))} meant?" if near else ""
