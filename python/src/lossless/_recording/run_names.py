"""Names and attributes of W&B's runs."""

from __future__ import annotations

import html
import os
import re
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .._ground.address import experiment_page, project_page
from .environment import tags_of
from .missing_names import missing_of_run
from .wandb_settings import Settings

if TYPE_CHECKING:
    import threading

    from .._spool.head import RunInfo
    from .._values.config import Config
    from .background import Background
    from .recorder import Recorder


class RunNames:
    """
    The supported attributes: a name, notes, tags and a group may be set while it records, and
    become meta and description of the experiment. All other names of W&B's runs do nothing, and
    warn when used.
    """

    _info: RunInfo
    _background: Background
    _lock: threading.RLock
    _recorder: Recorder
    _description: str
    _reserved: dict[str, Any]
    _is_finished: bool
    _sweep_id: str | None
    config: Config

    if TYPE_CHECKING:

        def _config_changed(self) -> None: ...

        _saved: dict[tuple[str, str], None]

        def _warn(self, what: str, text: str) -> None: ...
        def finish(self, exit_code: int | None = None, *, quiet: bool | None = None) -> Any: ...

    # ---- who it is

    @property
    def slug(self) -> str:
        """The experiment's whole name within its organization, as Reader and artifacts take it."""
        return self._info.slug

    @property
    def id(self) -> str:
        """The slug after its last slash: for file names, and `init(project, id=…)`."""
        return self._info.slug.rstrip("/").rpartition("/")[2] or self._info.slug

    @property
    def project(self) -> str:
        """The slug before its last slash."""
        return self._info.slug.rstrip("/").rpartition("/")[0]

    @property
    def entity(self) -> str:
        """The organization chosen at the sign-in; empty with a key, which belongs to one."""
        return self._info.organization or ""

    @property
    def path(self) -> str:
        return f"{self.entity}/{self.slug}" if self.entity else self.slug

    @property
    def url(self) -> str:
        """The experiment's page, which exists as soon as the service knows the experiment."""
        return experiment_page(self._info.url, self.slug)

    @property
    def project_url(self) -> str:
        """The page of the experiments in its project."""
        return project_page(self._info.url, self.project)

    def get_url(self) -> str:
        return self.url

    def get_project_url(self) -> str:
        return self.project_url

    def project_name(self) -> str:
        return self.project

    # ---- what a script may change

    @property
    def name(self) -> str:
        """The displayed name; the slug stays as at `init`."""
        return str(self._reserved.get("_name") or self.id)

    @name.setter
    def name(self, name: Any) -> None:
        self._reserve("_name", None if name is None else str(name))

    @property
    def notes(self) -> str:
        """The experiment's description."""
        return self._description

    @notes.setter
    def notes(self, notes: Any) -> None:
        self._description = "" if notes is None else str(notes)
        self._renamed("notes")

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self._reserved.get("_tags") or ())

    @tags.setter
    def tags(self, tags: Iterable[Any] | str | None) -> None:
        self._reserve("_tags", tags_of(tags))

    @property
    def group(self) -> str:
        return str(self._reserved.get("_group") or "")

    @group.setter
    def group(self, group: Any) -> None:
        self._reserve("_group", None if group is None else str(group))

    @property
    def job_type(self) -> str:
        return str(self._reserved.get("_job_type") or "")

    @job_type.setter
    def job_type(self, job_type: Any) -> None:
        self._reserve("_job_type", None if job_type is None else str(job_type))

    def _reserve(self, key: str, value: Any) -> None:
        if value:
            self._reserved[key] = value
        else:
            self._reserved.pop(key, None)
        self._renamed(key[1:])

    def _renamed(self, what: str) -> None:
        if self._is_finished:
            self._warn(f"finished {what}", f"{what} set after finish(): not recorded")
        else:
            self._config_changed()

    # ---- how it is going

    @property
    def start_time(self) -> float:
        return self._info.created_at_ms / 1000

    @property
    def starting_step(self) -> int:
        """The step after the last existing one; 0 for a run that is not resumed."""
        return self._info.starting_step

    @property
    def mode(self) -> str:
        return "offline" if self.offline else "online"

    @property
    def offline(self) -> bool:
        """Whether nothing is sent before `lossless sync`."""
        return self._background.is_offline

    @property
    def disabled(self) -> bool:
        return False

    @property
    def resumed(self) -> bool:
        """Whether `init(resume=…)` continues an existing experiment."""
        return self._info.is_resumed

    @property
    def sweep_id(self) -> str | None:
        """
        The sweep whose `agent` has chosen values of its config; also its group, unless it has one.
        """
        return self._sweep_id

    @property
    def sweep_url(self) -> None:
        return None

    def get_sweep_url(self) -> None:
        return None

    @property
    def dir(self) -> str:
        """This run's own directory, created on first use. `finish` saves its content."""
        import tempfile

        made = self.__dict__.get("_own_directory")
        if made is None:
            made = self.__dict__["_own_directory"] = _own_directory(f"{self.id}-{self._info.prefix[:6]}")
            if made != tempfile.gettempdir():
                self._saved[made, made] = None
        return str(made)

    @property
    def config_static(self) -> Config:
        return self.config

    @property
    def settings(self) -> Settings:
        """W&B's settings that have a meaning here; the others are None."""
        return Settings(
            mode=self.mode,
            entity=self.entity,
            project=self.project,
            run_id=self.id,
            run_name=self.name,
            run_notes=self.notes,
            run_tags=self.tags,
            run_group=self.group,
            run_job_type=self.job_type,
            resumed=self.resumed,
        )

    def _label(self, *_args: Any, **_others: Any) -> None:
        """Libraries name themselves for W&B's statistics; there are none here."""

    def join(self, exit_code: int | None = None) -> Any:
        return self.finish(exit_code)

    def define_metric(
        self,
        name: str,
        step_metric: Any = None,
        step_sync: bool | None = None,
        hidden: bool | None = None,
        summary: Any = None,
        goal: str | None = None,
        overwrite: bool | None = None,
        **others: Any,
    ) -> Any:
        """
        Defines how a metric is shown; series need no definition. `step_metric` is the metric that
        it is plotted and read against (`Reader.curve`), `summary` ("min", "max", "mean", …) selects
        its values in the summary, `goal` ("minimize" or "maximize") which is the best. `name` may
        end with `*`. Adds to an earlier definition of the name, which `overwrite` replaces. Raises
        SettingsError, as W&B does, for a word or a name that is none.
        """
        from .._values.metric_definitions import KEY, definition, merged, with_definition

        said = definition(str(name), step_metric, step_sync, hidden, summary, goal)
        with self._lock:
            known = self._reserved.get(KEY)
            whole = said if overwrite else merged(known, str(name), said)
            if "summary" in whole:
                self._recorder.summary.summarize(known)
            if self._recorder.summary.metrics is not None:
                self._recorder.summary.metrics.define(str(name), whole)
            changed = with_definition(known, str(name), whole)
            if changed is not None:
                self._reserve(KEY, changed)
        return types.SimpleNamespace(name=str(name), step_metric=said.get("stepMetric"), summary=summary, goal=goal)

    def _repr_html_(self) -> str:
        """HTML for notebooks: the name, as a link to the page."""
        state = "ended" if self._is_finished else "recorded offline" if self.offline else "recording"
        name, slug, url = (html.escape(each) for each in (self.name, self.slug, self.url))
        title = name if name == slug else f"{name} ({slug})"
        return f'<a href="{url}" target="_blank" rel="noopener">{title}</a> · {state}'

    if not TYPE_CHECKING:
        # Hidden from type checkers, so that they find misspelled names, too.
        def __getattr__(self, name: str) -> Any:
            return missing_of_run(self, name)


def _own_directory(name: str) -> str:
    """Makes a directory outside the spool, which is removed when all is sent."""
    import tempfile

    safe = re.sub(r"[^\w.=+-]", "-", name).lstrip(".") or "run"
    try:
        # Raises where the working directory was removed.
        path = os.path.abspath(os.path.join("lossless-files", safe))
        os.makedirs(path, exist_ok=True)
        return path
    except OSError:
        pass
    try:
        return tempfile.mkdtemp(prefix=f"lossless-{safe[:100]}-")
    except OSError:
        return tempfile.gettempdir()
