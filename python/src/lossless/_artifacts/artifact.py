"""`wandb.Artifact`: files that become a version of an artifact, or belong to one."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
import threading
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .._ground.counterparts import instead_of
from .._ground.errors import LosslessError
from .._ground.held_directory import HeldDirectory
from .._ground.signal_handlers import is_of_signal_handler
from .._ground.unsupported import Unsupported
from .._ground.warning import warn
from .._values.config import jsonable
from .checksums import Checksums, digest_of, sha256_of
from .names import Found, artifact_name, label_of
from .prepared_files import files_in

DIRECTORY_PREFIX = "lossless-artifact-"


class Artifact:
    """
    Files are copied when added, since the script may change its own. After a failed addition a
    warning is issued, and the artifact is not saved.
    """

    def __init__(
        self,
        name: str,
        type: str = "",
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        for each in ("incremental", "storage_region"):
            if others.get(each):
                warn(f"Artifact({each})", f"Artifact({each}=…) has no counterpart and is ignored{instead_of(each)}")
        self._name = artifact_name(str(name))
        self.type = str(type)
        self.description = description
        self.metadata: dict[str, Any] = dict(metadata or {})
        self.aliases: list[str] = []
        # Sizes of the files, by name.
        self._entries: dict[str, int] = {}
        # SHA-256 of those that were asked for or saved, by name.
        self._sums: dict[str, str] = {}
        self._held: HeldDirectory | None = None
        # Why it must not be saved; None: it may.
        self.problem: str | None = None
        # Set when an artifact given to log_artifact is saved or lost.
        self._settled: threading.Event | None = None
        self._saved: Found | None = None

    # ---- what it is

    @property
    def name(self) -> str:
        """The name, with its version once it has one, as in W&B."""
        return self._name if self._saved is None else f"{self._name.rpartition('/')[2]}:{self.version}"

    @property
    def version(self) -> str | None:
        return None if self._saved is None else label_of(self._saved.version)

    source_version = version

    @property
    def id(self) -> str | None:
        """The artifact's path and the version's name here, as load_artifact takes them."""
        return None if self._saved is None else f"{self._saved.artifact}:{self._saved.version}"

    qualified_name = id

    @property
    def state(self) -> str:
        return "PENDING" if self._saved is None else "COMMITTED"

    @property
    def size(self) -> int:
        return sum(self._entries.values())

    @property
    def file_count(self) -> int:
        return len(self._names())

    @property
    def digest(self) -> str:
        """
        The SHA-256 of the names and checksums of its files: equal for equal content, and not the
        digest of W&B. Raises LosslessError where it is not known.
        """
        return digest_of(self._checksums())

    @property
    def staged(self) -> Path:
        """Directory of its files until they are saved."""
        if self._held is None:
            parent = Path(tempfile.gettempdir())
            for forgotten in HeldDirectory.forgotten(parent, DIRECTORY_PREFIX):
                forgotten.remove()
            self._held = HeldDirectory.made(parent, DIRECTORY_PREFIX)
            (self._held.path / "files").mkdir()
        return self._held.path / "files"

    @property
    def manifest(self) -> Any:
        """Its present content: `entries` by name."""
        entries = {name: Entry(self, name) for name in self._names()}
        return types.SimpleNamespace(entries=entries, digest=lambda: self.digest)

    def files(self, *_args: Any, **_others: Any) -> list[Entry]:
        return [Entry(self, name) for name in self._names()]

    def get_entry(self, name: Any) -> Entry:
        """Returns the file of this name. Raises KeyError, as W&B does."""
        if str(name) not in self._names():
            raise KeyError(f"there is no {name!r} in {self.name}; it has {', '.join(self._names()[:10])}")
        return Entry(self, str(name))

    get_path = get_entry

    def is_draft(self) -> bool:
        return self._saved is None

    def wait(self, timeout: float | None = None) -> Artifact:
        """Waits until it is saved or lost; returns at once if it was not logged."""
        if self._settled is not None and not self._settled.wait(timeout):
            raise TimeoutError(f"the artifact {self._name} is not saved after {timeout} seconds")
        return self

    # ---- what is put into it

    def add_file(self, local_path: Any, name: str | None = None, *_args: Any, **_others: Any) -> Any:
        """Copies a file. Raises ValueError if it does not exist, as W&B does."""
        if not os.path.isfile(local_path):
            raise ValueError(f"Path is not a file: {os.fspath(local_path)!r}")
        own = name or os.path.basename(os.fspath(local_path))
        with self._adding(f"add_file({os.fspath(local_path)!r})"):
            shutil.copyfile(local_path, self._place(own))
            self._added(own)
        return Entry(self, own)

    def add_dir(self, local_path: Any, name: str | None = None, *_args: Any, **_others: Any) -> None:
        """Copies a directory. Raises ValueError if it does not exist, as W&B does."""
        if not os.path.isdir(local_path):
            raise ValueError(f"Path is not a directory: {os.fspath(local_path)!r}")
        with self._adding(f"add_dir({os.fspath(local_path)!r})"):
            for inner, path in files_in(Path(local_path))[0]:
                own = f"{name.rstrip('/')}/{inner}" if name else inner
                shutil.copyfile(path, self._place(own))
                self._added(own)

    @contextlib.contextmanager
    def new_file(self, name: str, mode: str = "w", encoding: str | None = None) -> Iterator[Any]:
        """Opens a file for writing within `with`."""
        is_added = True
        try:
            file = open(self._place(name), mode, encoding=None if "b" in mode else encoding or "utf-8")
        except (OSError, LosslessError, ValueError) as error:
            self._cannot(f"new_file({name!r})", error)
            is_added = False
            file = io.BytesIO() if "b" in mode else io.StringIO()
        with file:
            yield file
        if is_added:
            self._added(name)

    def add(self, obj: Any, name: str, *_args: Any, **_others: Any) -> Any:
        """Adds a table, a picture or the like, as the file that `log` would make of it."""
        with self._adding(f"add({name!r})"):
            made = getattr(obj, "_file", None)
            if made is None:
                raise LosslessError(f"{type(obj).__name__} cannot become a file")
            content, suffix = made()
            own = name if name.endswith(suffix) else f"{name}{suffix}"
            self._place(own).write_bytes(content)
            self._added(own)
        return Entry(self, name)

    def add_reference(self, uri: Any, name: str | None = None, *_args: Any, **_others: Any) -> list[Any]:
        """Refused: the referenced files could change later without notice."""
        told = f"add_reference({str(getattr(uri, 'url', uri))!r})"
        self._cannot(
            told, LosslessError("references are not supported: add the file itself, or put its address into metadata")
        )
        return []

    def remove(self, item: Any) -> None:
        name = str(getattr(item, "path", item))
        with self._adding(f"remove({name!r})"):
            if name in self._entries:
                self._place(name).unlink(missing_ok=True)
                del self._entries[name]
                self._sums.pop(name, None)

    def discard(self) -> None:
        """Removes its copies, once they are saved."""
        if self._held is not None:
            self._held.remove()
            self._held = None

    # ---- for who saves it

    def meta(self, experiment: str) -> dict[str, Any]:
        own = {"type": self.type, "description": self.description, "metadata": jsonable(self.metadata)}
        return {"experiment": experiment, **{name: value for name, value in own.items() if value}}

    def hashed(self, sums: Mapping[str, str]) -> None:
        """Keeps the checksums of what is saved, when its copies are about to go."""
        self._sums.update(sums)

    def begun(self, event: threading.Event) -> None:
        self._settled = event

    def ended(self, saved: Found | None) -> None:
        self._saved = saved if saved is not None else self._saved

    def _names(self) -> list[str]:
        return [name for name, _ in self._sizes()]

    def _sizes(self) -> Iterator[tuple[str, int]]:
        yield from self._entries.items()

    def _adding(self, what: str) -> Any:
        return _Adding(self, what)

    def _added(self, name: str) -> None:
        self._entries[name] = os.path.getsize(self.staged / name)
        self._sums.pop(name, None)

    def _checksums(self) -> Checksums:
        for name in self._entries:
            try:
                if name not in self._sums:
                    self._sums[name] = sha256_of(self.staged / name)
            except OSError as error:
                # It may have been saved meanwhile.
                if name not in self._sums:
                    raise LosslessError(f"the artifact {self._name} has lost its files: {error}") from None
        return Checksums({name: self._sums[name] for name in self._entries})

    def _sums_by_name(self) -> Mapping[str, str]:
        return self._checksums().by_name

    def _cannot(self, what: str, error: BaseException) -> None:
        if isinstance(error, _TooLate):
            # The content at the time of logging is saved nevertheless.
            return warn(f"artifact {self._name} too late", f"{what} was too late: {error}")
        self.problem = f"{what} failed: {error}"
        warn(f"artifact {self._name} {what}", f"the artifact {self._name} will not be saved: {self.problem}")

    def _place(self, name: str) -> Path:
        if self._settled is not None or self._saved is not None:
            raise _TooLate(f"the artifact {self._name} was logged already: make another Artifact")
        root = self.staged
        path = (root / name).resolve()
        if root.resolve() not in path.parents:
            raise LosslessError(f"{name!r} leads outside of the artifact")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Unsupported(f"Artifact.{name}", hint=instead_of(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name not in _OWN:
            warn(f"Artifact.{name} =", f"Artifact.{name} has no counterpart and is ignored{instead_of(name)}")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<lossless: artifact {self.name}>"


# What may be set; all else is kept for whoever reads it again, and not saved.
_OWN = frozenset({"type", "description", "metadata", "aliases", "problem"})


class _TooLate(LosslessError):
    """The artifact was logged already: only the files added before belong to it."""


class _Adding:
    """Turns an error into the artifact's problem, and suppresses it."""

    def __init__(self, artifact: Artifact, what: str) -> None:
        self._artifact = artifact
        self._what = what

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if not isinstance(error, Exception) or is_of_signal_handler(error):
            return False
        self._artifact._cannot(self._what, error)
        return True


class Entry:
    """A file of an artifact."""

    def __init__(self, artifact: Artifact, path: str) -> None:
        self._artifact = artifact
        self.path = self.name = path

    @property
    def size(self) -> int:
        return dict(self._artifact._sizes())[self.path]

    @property
    def digest(self) -> str:
        """The SHA-256 of its content, where W&B has an MD5. Raises LosslessError, as Artifact's."""
        sums = self._artifact._sums_by_name()
        if self.path not in sums:
            raise LosslessError(f"{self._artifact.name} was saved without a checksum of {self.path}")
        return sums[self.path]

    def download(self, root: Any = None, **_others: Any) -> str:
        download = getattr(self._artifact, "download", None)
        if not callable(download) or isinstance(download, Unsupported):
            return str(self._artifact.staged / self.path)
        return os.path.join(str(download(root)), self.path)
