"""A recording that records nothing, for `mode="disabled"`."""

from __future__ import annotations

import os
import time
import types
from typing import TYPE_CHECKING, Any

from .._values.config import Config, as_mapping
from .._values.summary import Summary
from .missing_names import missing_of_run
from .wandb_settings import Settings


class Disabled:
    """Has the names of a recording; values set by a script can be read back."""

    slug = url = project_url = project = entity = group = job_type = notes = path = ""
    tags: tuple[str, ...] = ()
    directory = report = sweep_id = sweep_url = None
    step = starting_step = place = 0
    mode = "disabled"
    disabled = True
    offline = resumed = False

    def __init__(self, config: Any = None) -> None:
        from .._ground.fresh_word import fresh_word

        # Scripts use it in file names.
        self.id = fresh_word(8)
        self.name = f"disabled-{self.id}"
        self.start_time = time.time()
        self.is_finished = False
        self.config = Config(as_mapping(config), lambda: None)
        self.summary = Summary(dict, lambda _: None, lambda _: None, lambda: None)

    @property
    def config_static(self) -> Config:
        return self.config

    @property
    def settings(self) -> Settings:
        return Settings(mode="disabled", run_id=self.id, run_name=self.name)

    def _label(self, *_args: Any, **_others: Any) -> None: ...

    def get_url(self) -> str:
        return ""

    get_project_url = project_name = get_url

    def get_sweep_url(self) -> None: ...

    @property
    def dir(self) -> str:
        made = self.__dict__.get("_own_directory")
        if made is None:
            import tempfile

            made = self.__dict__["_own_directory"] = tempfile.mkdtemp(prefix="lossless-disabled-")
        return str(made)

    def log(self, *_args: Any, **_kwargs: Any) -> None: ...

    def annotate(self, *_args: Any, **_kwargs: Any) -> None: ...

    def alert(self, *_args: Any, **_kwargs: Any) -> None: ...

    def define_metric(self, name: str, *_args: Any, **others: Any) -> Any:
        return types.SimpleNamespace(name=str(name), **others)

    def save_artifact(self, *_args: Any, **_kwargs: Any) -> None: ...

    def log_artifact(self, artifact_or_path: Any, name: Any = None, type: Any = None, *_: Any, **__: Any) -> Any:
        """Returns an artifact that is not saved."""
        from .._artifacts.artifact import Artifact
        from .._artifacts.names import safe_name

        if isinstance(artifact_or_path, Artifact):
            return artifact_or_path
        return Artifact(str(name or safe_name(os.path.basename(str(artifact_or_path)) or "run")))

    upsert_artifact = finish_artifact = link_artifact = log_model = link_model = log_artifact

    def use_artifact(self, *_args: Any, **_kwargs: Any) -> Any:
        return missing_of_run(self, "restore")

    use_model = use_artifact

    def log_code(self, *_args: Any, **_kwargs: Any) -> None: ...

    def save(self, *_args: Any, **_kwargs: Any) -> list[str]:
        return []

    def checkpoint(self, *_args: Any, **_kwargs: Any) -> Any:
        from .._saving.checkpoint import PendingCheckpoint

        return PendingCheckpoint.nothing()

    def finish(self, *_args: Any, **_kwargs: Any) -> None:
        from .current import ended

        self.is_finished = True
        ended(self)

    join = finish

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return missing_of_run(self, name)

    def __enter__(self) -> Disabled:
        return self

    def __exit__(self, *_args: Any) -> None:
        self.finish()
