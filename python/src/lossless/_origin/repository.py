"""The git repository of a script: commit, branch, remote, and the difference to the commit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .._console.secrets import masked, without_credentials
from .git_files import GitFiles
from .programs import Programs

DIFF_BYTES_MAX = 2**20
_ANSWER_BYTES_MAX = 2**16
# It asks nothing, waits for no other git, and runs no program that a repository names.
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "diff.relative=false")
_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--ignore-submodules=untracked",
)


class Repository:
    """The repository that a directory is in; `root` is None where there is none."""

    def __init__(self, programs: Programs, directory: Path) -> None:
        self._programs = programs
        self._directory = directory
        root = self._line("rev-parse", "--show-toplevel")
        self._files = None if root is not None else GitFiles.around(directory)
        self.root: Path | None = Path(root) if root is not None else self._files.root if self._files else None

    def facts(self) -> dict[str, Any]:
        """Returns what is known. It is asked in order of importance, as time may run out."""
        if self._files is not None:
            found = self._files.facts()
            return {**found, "remote": without_credentials(found["remote"])} if "remote" in found else dict(found)
        if self.root is None:
            return {}
        commit = self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        known = {
            "remote": self._remote(),
            "commit": commit,
            "branch": self._line("symbolic-ref", "--quiet", "--short", "HEAD"),
            "isDirty": None if commit is None else self._is_dirty(),
        }
        return {name: value for name, value in known.items() if value is not None}

    def diff(self) -> tuple[bytes, bool] | None:
        """
        Returns the difference of tracked files to the commit, and whether it is cut; None: there is
        none, or it is unknown. What looks like a key is masked.
        """
        if self._files is not None:
            return None
        answer = self._ask(*_DIFF, "--submodule=diff", "HEAD", "--", bytes_max=DIFF_BYTES_MAX, is_cut=True)
        if not answer:
            return None
        is_cut = len(answer) > DIFF_BYTES_MAX
        if is_cut:
            answer = answer[: answer.rfind(b"\n", 0, DIFF_BYTES_MAX) + 1] or answer[:DIFF_BYTES_MAX]
        lines = answer.decode("utf-8", "surrogateescape").split("\n")
        return "\n".join(map(masked, lines)).encode("utf-8", "surrogateescape"), is_cut

    def _is_dirty(self) -> bool | None:
        # One byte is enough.
        answer = self._ask(*_DIFF, "--raw", "HEAD", "--", bytes_max=1, is_cut=True)
        return None if answer is None else answer != b""

    def _remote(self) -> str | None:
        answer = self._ask("config", "--null", "--get-regexp", r"^remote\..*\.url$", bytes_max=_ANSWER_BYTES_MAX)
        addresses: dict[str, str] = {}
        for pair in (answer or b"").decode("utf-8", "replace").split("\0"):
            name, _, address = pair.partition("\n")
            if address:
                addresses.setdefault(name, address)
        found = addresses.get("remote.origin.url", next(iter(addresses.values()), ""))
        return without_credentials(found) or None

    def _line(self, *words: str) -> str | None:
        answer = self._ask(*words, bytes_max=_ANSWER_BYTES_MAX)
        return (answer or b"").decode("utf-8", "replace").rstrip("\n") or None

    def _ask(self, *words: str, bytes_max: int, is_cut: bool = False) -> bytes | None:
        command = ("git", "-C", str(self._directory), "--no-pager", *_SETTINGS, *words)
        return self._programs.ask(command, bytes_max, _ENVIRONMENT, is_cut)


def repository_of(programs: Programs, script: str | None, directory: str | None) -> Repository | None:
    """Returns the repository of the script, else of the working directory; None: there is none."""
    places = [None if script is None else os.path.dirname(script), directory]
    for place in dict.fromkeys(each for each in places if each is not None):
        repository = Repository(programs, Path(place))
        if repository.root is not None:
            return repository
    return None


def within(path: str, root: Path | None) -> str:
    """Returns the path relative to the root, if it is below it."""
    if root is None:
        return path
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return path if relative == ".." or relative.startswith(f"..{os.sep}") else Path(relative).as_posix()
