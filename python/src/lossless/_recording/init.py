"""`init`: begins a recording from a script's arguments."""

from __future__ import annotations

import os
import platform
import sys
import time
import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .._ground.errors import SettingsError
from .._ground.ranks import local_rank, ranks_of_launch
from .._ground.warning import say
from .._ground.wire_numbers import CONSOLE_HOST_CHARACTERS_MAX, FOLDER_NAME_CHARACTERS_MAX
from .._origin.started import started_from
from .._origin.wanted import wanted_kinds
from .._values.origin import without_origin
from .._values.values import meta_json
from . import current
from .attempt import attempt_of
from .config_keys import chosen_config
from .environment import Defaults, mode_of, tags_of
from .identity import identity_of
from .machine_metrics import machine_metrics
from .parent_mark import is_recorded_by_parent
from .tensorboard_patch import followed_events

if TYPE_CHECKING:
    from .experiment import Experiment

# Keys of names and labels in an experiment's meta.
_RESERVED = ("_name", "_tags", "_group", "_job_type", "_metrics")


def init(
    project: str | None = None,
    name: str | None = None,
    *,
    config: Any = None,
    folder: str | Sequence[str] | None = None,
    id: str | None = None,
    slug: str | None = None,
    resume: bool | str | None = None,
    reinit: bool | str | None = None,
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
    console: str | None = None,
    source: bool | str | None = None,
    environment: bool | str | None = None,
    config_exclude_keys: Sequence[str] | None = None,
    config_include_keys: Sequence[str] | None = None,
    **others: Any,
) -> Experiment:
    """
    Begins a recording and returns its `Experiment`.

    Each recording is an experiment of its own, called `project/name-<letters>`: `name` is the
    displayed name, and many may share it; by default one is made up. Only `id` (the experiment is
    `project/id`; with a slash it is the whole name) and `slug` (the whole name) refer to one that
    may exist: it keeps what is not given this time.

    `resume` decides about an existing one: "allow" continues after its last step, "must" refuses to
    begin a new one, "never" to continue an old one, "auto" continues the last one of this directory
    if that has not ended well. The service is asked once; `run.resumed`, `run.step` and
    `run.summary` show what it has.

    While another recording of this process runs, `init` returns that one, unless `id` or `slug`
    names another, or `reinit` is "create_new" or "finish_previous" (the default in notebooks).

    A new experiment goes into the folder `folder` ("team/vision"), by default into one named like
    the project. `config` (a dict, an argparse namespace, a dataclass) becomes its meta, without the
    keys of `config_exclude_keys`, or with those of `config_include_keys` only.

    `mode`: "online" (default), "offline" (recorded here, sent by `lossless sync`), "disabled".
    `dir` is the directory of recordings on this machine. `meta` goes with every point; with several
    ranks it includes the rank. Address of the service: `url` or LOSSLESS_URL; credential: `api_key`
    or LOSSLESS_API_KEY, or the sign-in of `lossless login`.

    `system`: also records metrics of the machine (`system/…`, every 15 seconds);
    LOSSLESS_SYSTEM=off, or a number of seconds, sets it for all scripts.

    `console`: also records what this process prints and logs, line by line. "wrap" (default) takes
    what Python code writes to stdout and stderr; "fd" also what libraries in C and child processes
    write, which then see no terminal; "off" nothing. LOSSLESS_CONSOLE sets it for all scripts. What
    looks like a key is masked.

    `source`: also records where the script comes from: "git" (remote, commit, branch), "diff" (what
    differs from the commit), "command". `environment`: "host", "user", "system", "gpus",
    "scheduler" (variables of SLURM and Kubernetes), "packages". Either is on (default), off, a list
    ("git,command"), or what to leave out ("-user"). LOSSLESS_SOURCE and LOSSLESS_ENVIRONMENT set
    them for all scripts, WANDB_DISABLE_GIT and _DISABLE_CODE leave git or the diff out.

    `sync_tensorboard=True`: also records what this process writes for TensorBoard.

    Missing arguments are taken from WANDB_PROJECT, _RUN_ID, _NAME, _NOTES, _TAGS, _RUN_GROUP,
    _JOB_TYPE, _RESUME, _DIR and _CONSOLE, the mode from LOSSLESS_MODE, then WANDB_MODE; W&B's
    `settings` come before these variables. WANDB_SILENT leaves out what is said of a good end.

    An unreachable service is no error, except for "must" and "never" (ConnectionFailed). Raises
    SettingsError for invalid arguments, and for what these two refuse.
    """
    from .._ground.fresh_word import fresh_word
    from .._ground.settings import settings_of
    from .._spool.head import RunInfo
    from .._values.config import as_mapping
    from .background import Background
    from .experiment import Experiment
    from .resuming import LastRun, mode_of_resume, resumed

    defaults = Defaults(others.pop("settings", None))
    chosen = mode_of(mode or defaults.mode)
    content = chosen_config(config, config_exclude_keys, config_include_keys)
    swept = current.chosen()
    if swept is not None:
        content = {**content, **swept.values}
        # A run begun earlier has other values.
        reinit = "finish_previous" if reinit is None else reinit
        project = swept.project if project is None else project
        group = defaults.of("RUN_GROUP") or swept.sweep_id if group is None else group
    is_followed = others.pop("sync_tensorboard", None)
    # An integration names the recording that it has ended, which is continued.
    after: Experiment | None = others.pop("_after", None)
    # Libraries call `init` as `wandb.init`, under any name of the module.
    keeps_last = others.pop("_keeps_last", False) or _is_called_wandb(sys._getframe(1))
    current.ignore(others, "init")
    if chosen == "disabled":
        from .disabled import Disabled

        # It has the same names as Experiment, checked by a test.
        disabled = Disabled(content)
        disabled.config.hold({} if swept is None else swept.values)
        return cast("Experiment", current.begun(disabled, swept=swept))
    project = defaults.of("PROJECT") if project is None else str(project)
    # One id for all runs of a sweep would merge them into one experiment.
    if id is None and slug is None and swept is None:
        id = os.environ.get("LOSSLESS_RUN_ID") or defaults.of("RUN_ID")
    name = defaults.of("NAME") if name is None else name
    notes = defaults.of("NOTES") if notes is None else notes
    tags = defaults.tags if tags is None else tags
    group = defaults.of("RUN_GROUP") if group is None else group
    job_type = defaults.of("JOB_TYPE") if job_type is None else job_type
    how = mode_of_resume(defaults.of("RESUME") if resume is None else resume)
    last_run = LastRun.of(project) if how == "auto" and swept is None else None
    if last_run is not None and id is None and slug is None:
        slug = last_run.slug()
    kinds = wanted_kinds(source, environment)
    rank, ranks = ranks_of_launch()
    named = identity_of(project, name, id, slug, ranks) if id is not None or slug is not None else None
    previous = current.previous(reinit, None if named is None else named.slug, how)
    if previous is not None:
        return cast("Experiment", previous)
    dir = defaults.directory if dir is None else dir
    settings = settings_of(url, api_key, dir)
    if dir is not None and settings.spool is not None:
        from .._spool.spool_roots import remember

        remember(settings.spool)
    is_offline = chosen in ("offline", "dryrun") or settings.credential is None
    if settings.credential is None and chosen == "online":
        say("lossless: recording offline: no credential (set LOSSLESS_API_KEY, or run lossless login)")
    identity = named or identity_of(project, name, None, None, ranks)
    is_by_parent = is_recorded_by_parent(identity.slug)
    is_primary = (local_rank(rank) if identity.is_apart else rank) == 0 and not is_by_parent
    found = resumed(how, identity.slug, settings, is_offline, is_primary, identity.is_given)
    if last_run is not None and is_primary:
        last_run.keep(identity.slug)
    reserved = {
        "_name": identity.name,
        "_tags": tags_of(tags),
        "_group": None if group is None else str(group),
        "_job_type": None if job_type is None else str(job_type),
    }
    reserved = {key: value for key, value in reserved.items() if value}
    if found is not None:
        known = {key: value for key, value in without_origin(found.meta).items() if key not in _RESERVED}
        content = {**known, **as_mapping(content)}
        reserved = {**{key: value for key, value in found.meta.items() if key in _RESERVED}, **reserved}
        notes = found.notes if notes is None else notes
    asked = None if folder is None else _folder(folder, project)
    first_step = after.step if after is not None else 0 if found is None else found.stored.next_step
    prefix = fresh_word(16)
    info = RunInfo(
        url=settings.url,
        slug=identity.slug,
        folder=_folder(folder, project),
        prefix=prefix,
        is_primary=is_primary,
        created_at_ms=int(time.time() * 1000),
        organization=settings.organization,
        # A parent measures its children, too.
        system=None if is_by_parent else machine_metrics(system and not defaults.wants_no_machine, rank, ranks),
        console=_console(console or defaults.console, rank, ranks),
        origin=started_from(kinds) if is_primary else None,
        is_resumed=found is not None or after is not None,
        starting_step=first_step,
        attempt=attempt_of(identity.slug, prefix, rank, ranks, first_step),
    )
    experiment = Experiment(
        info,
        settings.spool,
        Background(settings, is_offline),
        config=content,
        description="" if notes is None else str(notes),
        folder=asked,
        reserved=reserved,
        base_meta=_base_meta(meta, rank, ranks),
        label=identity.label,
        last_run=last_run,
        keeps_last=keeps_last,
        is_silent=defaults.is_silent,
    )
    if found is not None:
        experiment._resume(found)
    if swept is not None:
        experiment._sweep_id = swept.sweep_id
        experiment.config.hold(swept.values)
    follows = followed_events(is_followed)
    if follows is not None:
        experiment._follow_events(follows)
    current.begun(experiment, reinit != "create_new", swept)
    return experiment


def _is_called_wandb(frame: types.FrameType) -> bool:
    """Whether the script that calls `init` imports this package under W&B's name."""
    package = sys.modules.get((__package__ or "").partition(".")[0])
    found = (frame.f_globals.get("wandb"), frame.f_locals.get("wandb"), sys.modules.get("wandb"))
    return package is not None and any(each is package for each in found)


def _folder(folder: str | Sequence[str] | None, project: str | None) -> list[str] | None:
    if folder is None:
        return [project] if project and "/" not in project else None
    if not isinstance(folder, (str, list, tuple)):
        raise SettingsError(f"folder must be a path like 'team/vision', or a list of names, not {folder!r}")
    parts = [part for part in folder.split("/") if part] if isinstance(folder, str) else [str(part) for part in folder]
    if any(not 1 <= len(part) <= FOLDER_NAME_CHARACTERS_MAX for part in parts):
        raise SettingsError(f"names of folders have 1 to {FOLDER_NAME_CHARACTERS_MAX} characters")
    return parts or None


def _base_meta(meta: Mapping[str, Any] | None, rank: int, ranks: int) -> dict[str, Any]:
    """Returns the meta of every point."""
    try:
        all_of_it = {**({"rank": str(rank)} if ranks > 1 else {}), **(meta or {})}
        meta_json(all_of_it)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"meta cannot be used: {error}") from None
    return all_of_it


def _console(wanted: str | None, rank: int, ranks: int) -> dict[str, Any] | None:
    """Returns how to capture the console, and what to say of this process."""
    mode = wanted or os.environ.get("LOSSLESS_CONSOLE", "").strip().lower() or "wrap"
    if mode not in ("off", "wrap", "fd"):
        raise SettingsError(f"console (or LOSSLESS_CONSOLE) must be off, wrap or fd, not {mode!r}")
    if mode == "off":
        return None
    host = platform.node()[:CONSOLE_HOST_CHARACTERS_MAX]
    about = {"host": host, "processId": os.getpid(), **({"rank": rank} if ranks > 1 else {})}
    return {"mode": mode, **about}
