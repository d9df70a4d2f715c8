"""`init`: from what a script says to a recording."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from . import _module
from ._config_keys import chosen_config
from ._environment import mode_of, of_wandb, tags_of_wandb
from ._errors import SettingsError
from ._made_up_name import launches_apart, made_up_name
from ._parent_mark import is_recorded_by_parent
from ._values import meta_json
from ._warning import say
from ._wire import FOLDER_NAME_CHARACTERS_MAX, SLUG_CHARACTERS_MAX

if TYPE_CHECKING:
    from ._experiment import Experiment

_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")

# Values of `resume`.
_GOES_ON = ("allow", "auto", "must", True)

_SYSTEM_SECONDS = 15.0


def init(
    project: str | None = None,
    name: str | None = None,
    *,
    config: Any = None,
    folder: str | Sequence[str] | None = None,
    id: str | None = None,
    notes: str | None = None,
    tags: Sequence[str] | None = None,
    group: str | None = None,
    job_type: str | None = None,
    mode: str | None = None,
    url: str | None = None,
    api_key: str | None = None,
    dir: str | os.PathLike[str] | None = None,
    meta: Mapping[str, str] | None = None,
    system: bool = True,
    config_exclude_keys: Sequence[str] | None = None,
    config_include_keys: Sequence[str] | None = None,
    **others: Any,
) -> Experiment:
    """
    Begins a recording and gives its `Experiment`.

    The experiment is called `project/name`, or `project/id` when that is given (an `id` with a slash is the whole);
    the same name again goes on with the same experiment, which keeps what is not given this time. Left out, the name
    is made up. A new experiment goes into the folder `folder` ("team/vision"), by default into one named like the
    project. `config` (a dict, an argparse namespace, a dataclass) becomes its meta, without the keys of
    `config_exclude_keys`, or of `config_include_keys` those alone.

    `mode`: "online" (default), "offline" (recorded here, sent by `lossless sync`), "disabled". `dir` is where it waits
    on this machine. `meta` goes with every point; with several ranks the rank is in it. Where the service is: `url` or
    LOSSLESS_URL; who asks: `api_key` or LOSSLESS_API_KEY, or the sign-in of `lossless login`.

    `system`: metrics of the machine (`system/…`, every 15 seconds) are recorded too; LOSSLESS_SYSTEM=off, or a number of
    seconds, says it for all scripts.

    What is not given is taken from WANDB_PROJECT, _RUN_ID, _NAME, _NOTES, _TAGS, _RUN_GROUP and _JOB_TYPE, the mode from
    LOSSLESS_MODE, then WANDB_MODE.

    A service that is down is no error. Raises SettingsError for arguments that make no sense.
    """
    from ._background import Background
    from ._experiment import Experiment
    from ._settings import settings_of
    from ._spool import RunInfo, fresh_word

    chosen = mode_of(mode)
    content = chosen_config(config, config_exclude_keys, config_include_keys)
    _module.ignore(others, "init")
    if chosen == "disabled":
        # It has the same names, which a test sees to.
        return cast("Experiment", _module.begun(_module.Disabled(content)))
    project = of_wandb("PROJECT") if project is None else project
    id = of_wandb("RUN_ID") if id is None and name is None else id
    name = of_wandb("NAME") if name is None else name
    notes = of_wandb("NOTES") if notes is None else notes
    tags = tags_of_wandb() if tags is None else tags
    group = of_wandb("RUN_GROUP") if group is None else group
    job_type = of_wandb("JOB_TYPE") if job_type is None else job_type
    settings = settings_of(url, api_key, dir)
    if dir is not None:
        from ._spool_roots import remember

        remember(settings.spool)
    is_offline = chosen in ("offline", "dryrun") or settings.credential is None
    if settings.credential is None and chosen == "online":
        say("lossless: recording offline: no credential (set LOSSLESS_API_KEY, or run lossless login)")
    rank, ranks = _ranks()
    is_apart = id is None and name is None and launches_apart(ranks)
    slug = _slug(project, name, id, ranks)
    if is_apart:
        say(
            f"lossless: {ranks} ranks on several machines and no name: those of this one record into {slug}; "
            "give init a name",
        )
    reserved = {
        "_name": str(name) if name is not None and id is not None else None,
        "_tags": [tags] if isinstance(tags, str) else [str(tag) for tag in tags or ()],
        "_group": group,
        "_job_type": job_type,
    }
    asked = None if folder is None else _folder(folder, project)
    info = RunInfo(
        url=settings.url,
        slug=slug,
        folder=_folder(folder, project),
        prefix=fresh_word(16),
        is_primary=(_local_rank(rank) if is_apart else rank) == 0 and not is_recorded_by_parent(slug),
        created_at_ms=int(time.time() * 1000),
        organization=settings.organization,
        system=_system(system, rank, ranks),
    )
    experiment = Experiment(
        info,
        settings.spool,
        Background(settings, is_offline),
        config=content,
        description="" if notes is None else str(notes),
        folder=asked,
        reserved={key: value for key, value in reserved.items() if value},
        base_meta=_base_meta(meta, rank, ranks),
    )
    resume = others.get("resume")
    experiment._recorder.is_resumed = id is not None and isinstance(resume, (str, bool)) and resume in _GOES_ON
    _module.begun(experiment)
    return experiment


def _slug(project: str | None, name: str | None, id: str | None, ranks: int) -> str:
    if id is not None and "/" in str(id):
        slug = str(id)
    else:
        given = id if id is not None else name
        own = str(given) if given not in (None, "") else made_up_name(ranks, _module.next_made_up())
        slug = f"{project}/{own}" if project else own
    if not 1 <= len(slug) <= SLUG_CHARACTERS_MAX or slug != slug.strip() or _UNFIT.search(slug):
        raise SettingsError("the name of an experiment has 1 to 200 characters, no control characters, no outer spaces")
    return slug


def _folder(folder: str | Sequence[str] | None, project: str | None) -> list[str] | None:
    if folder is None:
        return [project] if project and "/" not in project else None
    if not isinstance(folder, (str, list, tuple)):
        raise SettingsError(f"folder is a path like 'team/vision', or a list of names, not {folder!r}")
    parts = [part for part in folder.split("/") if part] if isinstance(folder, str) else [str(part) for part in folder]
    if any(not 1 <= len(part) <= FOLDER_NAME_CHARACTERS_MAX for part in parts):
        raise SettingsError(f"names of folders have 1 to {FOLDER_NAME_CHARACTERS_MAX} characters")
    return parts or None


def _base_meta(meta: Mapping[str, Any] | None, rank: int, ranks: int) -> dict[str, Any]:
    """What every point gets."""
    try:
        all_of_it = {**({"rank": str(rank)} if ranks > 1 else {}), **(meta or {})}
        meta_json(all_of_it)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"meta cannot be used: {error}") from None
    return all_of_it


def _ranks() -> tuple[int, int]:
    """Our number and how many there are, as launchers of distributed training tell it."""
    for rank_name, ranks_name in (
        ("RANK", "WORLD_SIZE"),
        ("SLURM_PROCID", "SLURM_NTASKS"),
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ):
        try:
            rank, ranks = int(os.environ[rank_name]), int(os.environ[ranks_name])
        except (KeyError, ValueError):
            continue
        if 0 <= rank < ranks:
            return rank, ranks
    return 0, 1


def _system(is_wanted: bool, rank: int, ranks: int) -> dict[str, Any] | None:
    """A machine is measured by the first of the ranks that run on it."""
    word = os.environ.get("LOSSLESS_SYSTEM", "").strip().lower()
    if not is_wanted or word in ("off", "0", "false", "no") or _local_rank(rank) != 0:
        return None
    try:
        seconds = float(word) if word not in ("", "on", "true", "yes") else _SYSTEM_SECONDS
    except ValueError:
        raise SettingsError(f"LOSSLESS_SYSTEM must be off or a number of seconds, not {word!r}") from None
    if not 0.1 <= seconds <= 86_400:
        raise SettingsError("LOSSLESS_SYSTEM must be off or a number of seconds from 0.1 to 86400")
    return {"seconds": seconds, "meta": {"rank": str(rank)} if ranks > 1 else {}}


def _local_rank(rank: int) -> int:
    """Of several ranks on one machine; where nobody tells, the first rank of all measures its own."""
    for name in ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"):
        word = os.environ.get(name, "")
        if word.isdigit():
            return int(word)
    return rank
