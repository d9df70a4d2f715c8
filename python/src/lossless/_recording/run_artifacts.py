"""
Artifacts with W&B's methods of runs: project and name, versions v0, v1, …: _artifacts/names.py.
"""

from __future__ import annotations

import glob as globs
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._ground.signal_handlers import is_of_signal_handler
from .._ground.warning import warn
from .._ground.wire_numbers import LINEAGE_ROLE_CHARACTERS_MAX, USES_PER_EXPERIMENT_MAX

if TYPE_CHECKING:
    from .._artifacts.artifact import Artifact
    from .._artifacts.versions import SavedVersion
    from .._saving.checkpoint import PendingCheckpoint
    from .._saving.experiment_artifacts import ExperimentArtifacts

_SAVED_PATTERNS_MAX = 1_000
_POLICIES = ("live", "now", "end")


class RunArtifacts:
    """
    The methods for artifacts. `log_artifact` and the like return at once and never raise;
    `use_artifact` waits and raises.
    """

    # The patterns of `save`, each with the directory to which the names of its files are relative.
    _saved: dict[tuple[str, str], None]
    # Versions and roles of which a use was noted.
    _noted_uses: dict[tuple[str, str, str], None]

    if TYPE_CHECKING:

        @property
        def project(self) -> str: ...
        @property
        def id(self) -> str: ...
        @property
        def slug(self) -> str: ...
        @property
        def is_finished(self) -> bool: ...
        @property
        def _last_step(self) -> int | None: ...
        def _writers(self) -> ExperimentArtifacts: ...
        def annotate(self, text: str, meta: Any = None) -> None: ...

    def save_artifact(
        self,
        path: str | os.PathLike[str],
        name: str | None = None,
        version: str | int | None = None,
        *,
        step: int | None = None,
        meta: Mapping[str, Any] | None = None,
        take_over: bool = False,
    ) -> SavedVersion:
        """
        Saves a file or a directory as a version of the artifact `<slug>/<name>`, and notes it here.
        Unlike `log` it waits until the service has it, and raises: see ArtifactWriter.save. The
        first save opens the artifact; after Superseded this recording saves nothing more there,
        except with `take_over`.
        """
        return self._writers().save(path, name, version, step, meta, take_over)

    def checkpoint(
        self,
        state: Any,
        name: str = "checkpoint",
        *,
        step: int | None = None,
        meta: Mapping[str, Any] | None = None,
        every_rank: bool = False,
    ) -> PendingCheckpoint:
        """
        Saves a PyTorch state (dicts of tensors) as a version of the artifact `<slug>/<name>` while
        the training continues: see lossless.checkpoint.
        """
        return self._writers().checkpoint(state, name, step, meta, every_rank)

    def log_artifact(
        self,
        artifact_or_path: Any,
        name: str | None = None,
        type: str | None = None,
        aliases: Iterable[str] | str | None = None,
        *_args: Any,
        **_others: Any,
    ) -> Artifact:
        """
        Saves an Artifact, a file or a directory as the next version of `<project>/<name>`. An
        invalid name raises ValueError, as in W&B.
        """
        from .._artifacts.artifact import Artifact
        from .._artifacts.names import safe_name

        if isinstance(artifact_or_path, Artifact):
            artifact = artifact_or_path
        else:
            path = os.fspath(artifact_or_path)
            own = safe_name(f"run-{self.id}-{os.path.basename(os.path.abspath(path))}")
            artifact = Artifact(name or own, type or "unspecified")
            if os.path.isdir(path):
                artifact.add_dir(path)
            elif os.path.isfile(path):
                artifact.add_file(path)
            else:
                # Nothing is raised here: a script that logs at the end of a training must get to
                # its end.
                artifact._cannot(f"log_artifact({path!r})", FileNotFoundError("it is neither file nor directory"))
        return self._log(artifact, self._path_of(artifact._name), aliases)

    upsert_artifact = finish_artifact = log_artifact

    def use_artifact(
        self, artifact_or_name: Any, type: Any = None, aliases: Any = None, use_as: Any = None, **_others: Any
    ) -> Any:
        """
        Finds `numbers:latest`, `:v3` or an alias of this project, `project/numbers`, or a path, and
        notes that the run used it, as `use_as` if there is one.
        """
        from .._artifacts.artifact import Artifact
        from .._artifacts.names import found
        from .._artifacts.used_artifact import UsedArtifact

        if isinstance(artifact_or_name, Artifact):
            artifact_or_name.wait()
            if isinstance(artifact_or_name, UsedArtifact):
                used = artifact_or_name._found
                self._note_use(used.artifact, used.version, "", use_as)
                return artifact_or_name
            artifact_or_name = artifact_or_name.id or artifact_or_name._name
        name = str(artifact_or_name)
        calls = self._writers().queue().calls()
        one = found(calls, name, self.project)
        alias = name.rpartition(":")[2] if ":" in name else "latest"
        self._note_use(one.artifact, one.version, alias, use_as)
        return UsedArtifact(calls, one, [alias])

    def _note_use(self, artifact: str, version: str, named: str, role: Any = None) -> None:
        """Notes, once, that the run used a version: these notes make its lineage."""
        role = str(role or "")[:LINEAGE_ROLE_CHARACTERS_MAX]
        named = named if len(named) <= LINEAGE_ROLE_CHARACTERS_MAX else ""
        use = (artifact, version, role)
        if use in self._noted_uses or self.is_finished:
            return
        if len(self._noted_uses) < USES_PER_EXPERIMENT_MAX:
            self._noted_uses[use] = None
        note = {"kind": "artifact-used", "artifact": artifact, "version": version}
        if role:
            note["role"] = role
        if named not in ("", version):
            note["named"] = named
        self.annotate(f"used {artifact} {version}" + (f" as {role}" if role else ""), note)

    def link_artifact(
        self, artifact: Artifact, target_path: Any = None, aliases: Any = None, **_others: Any
    ) -> Artifact:
        """
        Makes an artifact a version of a registered model, whose name is the last word of
        `target_path` (`wandb-registry-model/mnist`). The aliases are the model's.
        """
        from .._artifacts.names import model_name

        model = model_name(str(target_path or artifact._name))
        return self._log(artifact, self._path_of(artifact._name), aliases, model)

    def log_model(self, path: Any, name: str | None = None, aliases: Any = None, **_others: Any) -> Artifact:
        return self.log_artifact(path, name, "model", aliases)

    def use_model(self, name: str) -> str:
        """Returns the path of its file, or of the directory with its files."""
        artifact = self.use_artifact(name)
        directory = artifact.download()
        names = [each.path for each in artifact.files()]
        return os.path.join(directory, names[0]) if len(names) == 1 else str(directory)

    def link_model(
        self, path: Any, registered_model_name: Any = None, name: str | None = None, aliases: Any = None, **_others: Any
    ) -> Artifact:
        if registered_model_name is None:
            return self.log_artifact(path, name, "model", aliases)
        logged = self.log_artifact(path, name, "model")
        return self.link_artifact(logged, registered_model_name, aliases)

    def log_code(
        self,
        root: Any = ".",
        name: str | None = None,
        include_fn: Callable[..., bool] = lambda path, *_: path.endswith(".py"),
        exclude_fn: Callable[..., bool] | None = None,
    ) -> Artifact | None:
        """Saves the script's own source files; hidden directories and environments are skipped."""
        from .._artifacts.artifact import Artifact
        from .._artifacts.names import safe_name

        artifact = Artifact(name or safe_name(f"source-{self.project.replace('/', '-') or 'code'}"), "code")
        try:
            for directory, inner, names in os.walk(root or "."):
                inner[:] = [each for each in sorted(inner) if not each.startswith(".") and each not in _NOT_CODE]
                for each in sorted(names):
                    path = os.path.join(directory, each)
                    if _chosen(include_fn, path, root) and not (
                        exclude_fn is not None and _chosen(exclude_fn, path, root)
                    ):
                        artifact.add_file(path, os.path.relpath(path, root or "."))
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            warn("log_code", f"log_code failed: {error!r}")
            return None
        if not artifact._entries:
            warn("log_code", f"log_code: there are no files in {root}")
            return None
        return self._log(artifact, self._path_of(artifact._name), None)

    def save(
        self, glob_str: Any = None, base_path: Any = None, policy: str = "live", **_others: Any
    ) -> list[str] | bool:
        """
        Saves files as a version of the artifact `<slug>/files`: with the policy "now" at once, else
        at `finish`, as they are then. Raises ValueError for another policy, as W&B does.
        """
        if glob_str is None:
            # Called so by old scripts, for a run that is recorded anyway.
            return True
        if policy not in _POLICIES:
            raise ValueError(f"save(policy={policy!r}): the policy must be one of {', '.join(_POLICIES)}")
        pattern = os.path.abspath(os.fsdecode(glob_str))
        base = os.path.abspath(os.fsdecode(base_path)) if base_path is not None else os.path.dirname(_plain(pattern))
        found = sorted(path for path in globs.glob(pattern, recursive=True) if os.path.isfile(path))
        if policy == "now":
            self._save_files([(pattern, base)])
        elif len(self._saved) < _SAVED_PATTERNS_MAX:
            self._saved[pattern, base] = None
        return found

    def _save_files(self, patterns: Iterable[tuple[str, str]]) -> None:
        from .._artifacts.artifact import Artifact

        artifact = Artifact("files", "files")
        for pattern, base in patterns:
            if pattern == base:
                if os.path.isdir(base):
                    artifact.add_dir(base)
                continue
            for path in sorted(globs.glob(pattern, recursive=True)):
                if os.path.isfile(path):
                    inner = Path(os.path.relpath(path, base)).as_posix()
                    artifact.add_file(path, inner if not inner.startswith("..") else os.path.basename(path))
        if artifact._entries:
            self._log(artifact, f"{self.slug}/files", None)

    def _finish_saved(self) -> None:
        """Saves at the end what `save` was called for."""
        patterns = list(self._saved)
        self._saved.clear()
        try:
            if patterns:
                self._save_files(patterns)
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            warn("save failed", f"the files of save() were not saved: {error!r}")

    def _log(
        self, artifact: Artifact, path: str, aliases: Iterable[str] | str | None, model: str | None = None
    ) -> Artifact:
        given = [aliases] if isinstance(aliases, str) else [str(each) for each in aliases or ()]
        artifact.aliases = [*artifact.aliases, *(each for each in given if each not in artifact.aliases)]
        if self.is_finished:
            warn("log_artifact finished", "log_artifact() after finish(): it is not saved")
        else:
            named = artifact.metadata.get("step")
            step = named if type(named) is int and 0 <= named < 2**53 else self._last_step
            self._writers().queue().put(artifact, path, given, model, step)
        return artifact

    def _path_of(self, name: str) -> str:
        return f"{self.project}/{name}" if self.project and "/" not in name else name


_NOT_CODE = frozenset({"wandb", "lossless-files", "node_modules", "__pycache__", "venv", "env", "artifacts"})


def _chosen(choose: Callable[..., bool], path: str, root: Any) -> bool:
    """Calls `choose`: W&B accepts functions of the path, and of path and root."""
    try:
        return bool(choose(path, root))
    except TypeError:
        return bool(choose(path))


def _plain(pattern: str) -> str:
    """Returns the beginning of a pattern, up to the first part with wildcards."""
    head = pattern
    while globs.has_magic(os.path.dirname(head)):
        head = os.path.dirname(head)
    return head
