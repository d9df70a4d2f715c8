"""A hidden directory beside the target, which becomes the target in one rename when everything is there."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path

from ._errors import LosslessError
from ._spool import fresh_word
from ._upload_record import lives


class RestoreDirectory:
    def __init__(self, directory: Path) -> None:
        self.target = Path(os.path.abspath(directory))
        if self.target.name == "":
            raise LosslessError(f"cannot restore into {self.target}")
        host = re.sub(r"[^A-Za-z0-9.]", "_", socket.gethostname())
        self._own = f".{self.target.name}.lossless-load-{host}-"
        # Two threads of a process do not get in each other's way.
        self._hidden = self.target.parent / f"{self._own}{os.getpid()}-{fresh_word(6)}"
        self._content = self._hidden / "content"
        self._made: set[Path] = set()

    def check_target(self, replaces: bool) -> None:
        """Refuses a target that exists: an empty directory is as good as none, another one only by `replaces`."""
        if not os.path.lexists(self.target):
            return
        if self.target.is_symlink() or not self.target.is_dir():
            raise LosslessError(f"{self.target} exists and is no directory")
        if not any(self.target.iterdir()):
            return
        if not replaces:
            raise LosslessError(
                f"{self.target} exists and is not empty: replace it as a whole (replace=True), or name another one"
            )
        for place in (Path.cwd(), Path.home()):
            if place == self.target or self.target in place.parents:
                raise LosslessError(f"{self.target} is not replaced as a whole: it holds {place}")

    def begin(self) -> None:
        self._remove_forgotten()
        # Nobody else looks into it, or puts a link there, before it is the target.
        self._hidden.mkdir(mode=0o700, parents=True)
        self._content.mkdir(mode=0o755)

    def free_bytes(self) -> int:
        return shutil.disk_usage(self._hidden).free

    def ignores_case(self) -> bool:
        """Whether `a` and `A` are one file here."""
        probe = self._hidden / "case-probe"
        probe.touch()
        is_same = (self._hidden / "CASE-PROBE").exists()
        probe.unlink()
        return is_same

    def open_file(self, name: str) -> int:
        """A file descriptor for reading and writing."""
        path = self._content / name
        if path.parent not in self._made:
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            self._made.add(path.parent)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        return os.open(path, flags, 0o644)

    def finish(self, replaces: bool) -> None:
        """Everything is there: the directory gets its name, with all names in it on stable storage."""
        for root, _, _ in os.walk(self._content):
            _sync(root)
        self.check_target(replaces)
        aside = self._hidden / "replaced"
        is_replaced = self.target.is_dir()
        if is_replaced:
            os.rename(self.target, aside)
        try:
            os.rename(self._content, self.target)
        except OSError:
            if is_replaced:
                os.rename(aside, self.target)
            raise
        _sync(str(self.target.parent))
        self.discard()

    def discard(self) -> None:
        shutil.rmtree(self._hidden, ignore_errors=True)

    def _remove_forgotten(self) -> None:
        """What processes of this machine that were killed have left of the same target."""
        if not self.target.parent.is_dir():
            return
        for path in self.target.parent.iterdir():
            match = re.fullmatch(re.escape(self._own) + r"([0-9]+)-[0-9a-z]{6}", path.name)
            if match is not None and int(match[1]) != os.getpid() and os.name != "nt" and not lives(int(match[1])):
                shutil.rmtree(path, ignore_errors=True)


def _sync(directory: str) -> None:
    # Windows opens no directories, and keeps names by itself.
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
