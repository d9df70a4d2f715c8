"""The experiment of a recording: its own, unless the script names one to continue."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .._ground.errors import SettingsError
from .._ground.warning import say, warn
from .._ground.wire_numbers import SLUG_CHARACTERS_MAX
from .._values.size_limit import short
from . import current
from .made_up_name import launch_word, launches_apart, made_up_name
from .parent_mark import slug_of_parent

_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class Identity(NamedTuple):
    slug: str
    # The name given by the script: a label, which many recordings may share.
    name: str | None
    # Whether `id` or `slug` names an experiment, which may exist.
    is_given: bool = False
    # Whether the ranks of each machine record into an experiment of their own.
    is_apart: bool = False
    # The name by which related processes recognise it.
    label: str = ""


def _label(project: str | None, name: str) -> str:
    return "".join(each if each.isprintable() else " " for each in f"{project or ''}/{name}")


def identity_of(project: str | None, name: str | None, id: Any, slug: Any, ranks: int) -> Identity:
    """
    Returns the experiment of a recording. Raises SettingsError for a name that no experiment can
    have.
    """
    # A label may have several lines; the name of the experiment may not.
    label = None if name in (None, "") else str(name).strip() or None
    name = None if label is None else _fit(label, "name") or None
    project = _fit(str(project), "project") or None if project else None
    if slug not in (None, ""):
        return Identity(_checked(_fit(str(slug), "slug")), label, is_given=True)
    if id not in (None, ""):
        own = _fit(str(id), "id")
        whole = own if "/" in own or not project else f"{project}/{own}"
        return Identity(_checked(whole), label, is_given=True)
    is_apart = launches_apart(ranks)
    if name is None:
        made_up = Identity(
            _checked(_below(project, made_up_name(ranks, current.next_made_up()))), None, False, is_apart
        )
        if is_apart:
            say(
                f"lossless: {ranks} ranks on several machines and no name: those of this one "
                "record into "
                f"{made_up.slug}; give init a name or an id"
            )
        return made_up
    known_by = _label(project, name)
    parents = slug_of_parent(known_by)
    if parents is not None:
        return Identity(parents, label, label=known_by)
    if is_apart:
        whole = _checked(_below(project, name))
        say(
            f"lossless: {ranks} ranks on several machines whose launchers share no number: all "
            f"record into {whole}, "
            "and another launch of this name would continue it; give LOSSLESS_RUN_ID a new value "
            "for each"
        )
        return Identity(whole, label, is_given=True)
    word = launch_word(ranks, current.next_made_up(), name)
    # The label is kept in full; its part of the slug leaves room for the word.
    cut = name[: SLUG_CHARACTERS_MAX - len(_below(project, "")) - len(word) - 1].rstrip()
    return Identity(_checked(_below(project, f"{cut}-{word}")), label, label=known_by)


def _fit(text: str, argument: str) -> str:
    """Makes a text a valid name: a script must not fail because of a trailing newline."""
    fit = _UNFIT.sub(" ", text).strip()
    if fit and fit != text.strip():
        warn(f"unfit {argument}", f"init({argument}={short(text)}): control characters become blanks: {short(fit)}")
    return fit


def _below(project: str | None, own: str) -> str:
    return f"{project}/{own}" if project else own


def _checked(slug: str) -> str:
    if not 1 <= len(slug) <= SLUG_CHARACTERS_MAX or slug != slug.strip() or _UNFIT.search(slug):
        raise SettingsError("the name of an experiment has 1 to 200 characters, no control characters, no outer spaces")
    return slug
