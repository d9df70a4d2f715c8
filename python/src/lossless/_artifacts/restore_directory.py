"""A hidden directory beside the target, which becomes the target once everything is there."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .._ground.errors import LosslessError
from .._ground.held_directory import HeldDirectory
from .._ground.settings import homes
from .._ground.warning import warn

_SAVE_EVERY_SECONDS = 1.0


class RestoreDirectory:
    """
    The directory in which a version is gathered:

        .<target>.lossless-load-<6 letters>/
            lock        held as long as the process lives
            content/    the future target
            state.json  the version, and its ranges that have arrived
            replaced/   the former target, between two renames

    Two processes that restore into the same target do not disturb each other.
    """

    def __init__(self, directory: Path) -> None:
        self.target = Path(os.path.abspath(directory))
        if self.target.name == "":
            raise LosslessError(f"cannot restore into {self.target}")
        self._prefix = f".{self.target.name}.lossless-load-"
        self._hidden: HeldDirectory | None = None
        self._made: set[Path] = set()
        # Identity of the version, and by file a digit for each range; 1 means fetched.
        self._pin = ""
        self._ranges: list[bytearray] = []
        self._saved_at = float("-inf")
        self._is_moving = False

    def put_back(self) -> None:
        """Puts the old target back after a process was killed while replacing it."""
        for hidden in HeldDirectory.forgotten(self.target.parent, self._prefix):
            if _is_aside(hidden):
                if os.path.lexists(self.target):
                    what = f"a restore that was killed has put aside what {self.target} was: it is in"
                    warn(f"aside {hidden.path}", f"{what} {hidden.path / 'replaced'}; remove it when it is not needed")
                else:
                    os.rename(hidden.path / "replaced", self.target)
                    _sync(str(self.target.parent))
            hidden.release()

    def check_target(self, replaces: bool) -> None:
        """Refuses an existing target, unless it is an empty directory or `replaces` allows it."""
        if not os.path.lexists(self.target):
            return
        if self.target.is_symlink() or not self.target.is_dir():
            raise LosslessError(f"{self.target} exists and is not a directory")
        if not any(self.target.iterdir()):
            return
        if not replaces:
            raise LosslessError(
                f"{self.target} exists and is not empty: replace it as a whole (replace=True), or name another one"
            )
        for place in (Path.cwd(), *homes()):
            if place == self.target or self.target in place.parents:
                raise LosslessError(f"{self.target} cannot be replaced as a whole: it contains {place}")

    def begin(self, pin: str, counts: Sequence[int]) -> None:
        """
        Begins a restore. `pin` identifies the version, `counts` has the number of ranges of each
        file. Resumes what an ended process left of the same version; other leftovers are removed.
        """
        self._pin = pin
        for hidden in HeldDirectory.forgotten(self.target.parent, self._prefix):
            left = None if self._hidden is not None or _is_aside(hidden) else _left(hidden.path, pin, counts)
            if left is not None:
                self._hidden, self._ranges = hidden, left
            elif _is_aside(hidden):
                hidden.release()
            else:
                hidden.remove()
        if self._hidden is None:
            # Unreadable for others, who could put a link there before it is the target.
            self._hidden = HeldDirectory.made(self.target.parent, self._prefix)
            self._ranges = [bytearray(b"0" * count) for count in counts]
            self._content.mkdir(mode=0o755)
            self._save()

    def has(self, file: int, number: int) -> bool:
        return self._ranges[file][number] == ord("1")

    @property
    def has_any(self) -> bool:
        return any(b"1" in ranges for ranges in self._ranges)

    def arrived(self, file: int, number: int) -> None:
        """
        Records a range, on disk once a second at most. For one thread at a time, like `forget`.
        """
        self._ranges[file][number] = ord("1")
        if time.monotonic() - self._saved_at >= _SAVE_EVERY_SECONDS:
            self._save()

    def forget(self, file: int) -> None:
        """Forgets a file whose ranges turned out wrong."""
        self._ranges[file][:] = b"0" * len(self._ranges[file])

    def free_bytes(self) -> int:
        return shutil.disk_usage(self._held.path).free

    def ignores_case(self) -> bool:
        """Whether `a` and `A` name the same file here."""
        probe = self._held.path / "case-probe"
        probe.touch()
        is_same = (self._held.path / "CASE-PROBE").exists()
        probe.unlink()
        return is_same

    def open_file(self, name: str) -> int:
        """Opens a file for reading and writing, and returns its descriptor."""
        path = self._content / name
        if path.parent not in self._made:
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            self._made.add(path.parent)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        return os.open(path, flags, 0o644)

    def finish(self, replaces: bool) -> None:
        """Renames the complete content to the target, with all names in it on stable storage."""
        for root, _, _ in os.walk(self._content):
            _sync(root)
        self.check_target(replaces)
        # From here on an interrupted restore is not resumed: the content may be what was replaced.
        self._is_moving = True
        (self._held.path / "state.json").unlink(missing_ok=True)
        _sync(str(self._held.path))
        if not self.target.is_dir():
            os.rename(self._content, self.target)
        elif not _exchanged(self._content, self.target):
            self._rename_both()
        _sync(str(self.target.parent))
        self.discard()

    def keep(self) -> None:
        """Keeps the content for the next restore, unless it has begun to replace the target."""
        if self._hidden is not None and not self._is_moving:
            self._save()
            self._hidden.release()
            self._hidden = None

    def discard(self) -> None:
        """
        Removes everything except a former target that could not be put back: the next restore does
        that.
        """
        if self._hidden is not None:
            if _is_aside(self._hidden):
                self._hidden.release()
            else:
                self._hidden.remove()
            self._hidden = None

    def _rename_both(self) -> None:
        aside = self._held.path / "replaced"
        try:
            os.rename(self.target, aside)
            os.rename(self._content, self.target)
        except BaseException as error:
            if _is_aside(self._held):
                try:
                    os.rename(aside, self.target)
                except OSError:
                    what = (
                        f"{self.target} is not replaced, and something else took its place: what it was is in {aside}"
                    )
                    if isinstance(error, Exception):
                        raise LosslessError(f"{what} ({error})") from error
                    warn(f"aside {self._held.path}", what)
            raise

    @property
    def _held(self) -> HeldDirectory:
        assert self._hidden is not None, "BUG: the restore has not begun"
        return self._hidden

    @property
    def _content(self) -> Path:
        return self._held.path / "content"

    def _save(self) -> None:
        self._saved_at = time.monotonic()
        state = {"format": 1, "pin": self._pin, "ranges": [ranges.decode() for ranges in self._ranges]}
        partial = self._held.path / "state.json.partial"
        try:
            partial.write_text(json.dumps(state), "ascii")
            os.replace(partial, self._held.path / "state.json")
        except OSError:
            # The disk may be full. Unrecorded ranges are fetched again.
            pass


def _is_aside(hidden: HeldDirectory) -> bool:
    """Whether a process was killed between putting the target aside and replacing it."""
    return (hidden.path / "replaced").is_dir() and (hidden.path / "content").is_dir()


def _left(path: Path, pin: str, counts: Sequence[int]) -> list[bytearray] | None:
    try:
        state = json.loads((path / "state.json").read_text("ascii"))
        ranges = [bytearray(each, "ascii") for each in state["ranges"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_same = (state.get("format"), state.get("pin")) == (1, pin) and [len(each) for each in ranges] == list(counts)
    content = path / "content"
    return ranges if is_same and content.is_dir() and not _has_link(content) else None


def _has_link(directory: Path) -> bool:
    """Whether it has a link, which no restore creates: it would lead out of the directory."""
    return directory.is_symlink() or any(
        os.path.islink(os.path.join(root, name))
        for root, directories, files in os.walk(directory)
        for name in (*directories, *files)
    )


def _exchanged(one: Path, other: Path) -> bool:
    """
    Exchanges both names atomically; False where the system cannot, but only rename one by one.
    """
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, OSError, AttributeError):
        return False
    at_current_directory, exchange = -100, 2
    names = os.fsencode(one), os.fsencode(other)
    return bool(renameat2(at_current_directory, names[0], at_current_directory, names[1], exchange) == 0)


def _sync(directory: str) -> None:
    # Not needed on Windows, which cannot open directories.
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
