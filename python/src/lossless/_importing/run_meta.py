"""The description and the meta of an imported experiment, beside what was written there since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._console.secrets import masked, masked_command, without_credentials
from .._ground.errors import LosslessError
from .._values.config import jsonable
from .._values.metric_definitions import KEY as METRICS
from .._values.origin import SOURCE, with_origin
from .._values.size_limit import listed, smaller
from .source import Head

_IMPORT = "import"
# What all steps of the run were multiplied by, because some had fractions.
_MULTIPLIER = "stepMultiplier"


class NotOurs(LosslessError):
    """Another program, or another run of the source, has the name."""


def record_of(format: str, key: str, head: Head) -> dict[str, Any]:
    """The record of the import in the meta: which run it is, and facts such as its times."""
    return {"format": format, "run": key, **{name: each for name, each in head.facts.items() if each is not None}}


def check_ours(slug: str, stored: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    known = stored["meta"].get(_IMPORT)
    known = known if isinstance(known, Mapping) else {}
    if any(known.get(name) != record[name] for name in ("format", "run")):
        raise NotOurs(
            f"there is another experiment {slug}, which this import has not made: "
            "--prefix puts something before the names of all imported ones"
        )
    before, now = (each.get(_MULTIPLIER, 1) for each in (known, record))
    if before != now:
        raise NotOurs(
            f"the steps of {slug} were multiplied by {before} when it was imported, and need {now} now, which would "
            "mix its series: --prefix puts something before the name of a new one"
        )


def meta_of(record: dict[str, Any], head: Head, before: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """
    Returns the meta, and names of values that are too large for it. Values that are there stay:
    they may have been edited.
    """
    reserved = {
        "_name": head.name,
        "_tags": head.tags,
        "_group": head.group,
        "_job_type": head.job_type,
        METRICS: head.metrics,
    }
    # A config may have keys of these names, too: they are the user's.
    config = {f"config.{key}" if key in reserved or key == _IMPORT else key: each for key, each in head.config.items()}
    own = {_IMPORT: record, **{key: each for key, each in reserved.items() if each}}
    kept, left_out = smaller({**jsonable(config), **jsonable(own)})
    if any(key in own for key in left_out):
        # The config alone is too large: what identifies the run comes first.
        kept, left_out = jsonable(own), sorted(config)
    origin = jsonable(_without_secrets(head.origin))
    whole = with_origin({**kept, **{key: each for key, each in before.items() if key != _IMPORT}}, origin)
    return whole, [listed([key]) for key in left_out]


def _without_secrets(origin: Mapping[str, Any]) -> dict[str, Any]:
    """Returns source and environment as the client records them: others keep keys and passwords."""
    source = dict(origin.get(SOURCE, {}))
    command, remote = source.get("command"), source.get("remote")
    if command:
        source["command"] = masked_command(command) if isinstance(command, list) else masked(str(command))
    if isinstance(remote, str):
        source["remote"] = without_credentials(remote)
    return {**origin, SOURCE: source} if source else dict(origin)
