"""
Gathers source and environment in the sender's process, once, into a file of the recording's
directory:

    origin.json     {_source, _environment, diff?: {bytes, sha256, isCut?}}
    changes.diff    the difference to the commit

A recording whose sender never came so far has what its process noted of itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .._ground.ownership import read_own
from .._spool.spool import DIFF_FILE, ORIGIN_FILE, write_whole
from .._values.config import jsonable
from .._values.origin import ENVIRONMENT, SOURCE
from . import machine
from .packages import management, packages
from .programs import Programs
from .repository import repository_of, within

# Seconds for all programs together.
_SECONDS = 15.0
_POLL_SECONDS = 0.05


class Gathering:
    """Gathers in a thread of its own, unless that is done."""

    def __init__(self, directory: Path, started: dict[str, Any]) -> None:
        self._directory = directory
        self._started = started
        self._programs = Programs(_SECONDS)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def wait_while(self, is_wanted: Callable[[], bool]) -> None:
        """Waits until it is over, which the programs' time bounds, or nobody wants it any more."""
        while not self.is_over() and is_wanted():
            self._thread.join(_POLL_SECONDS)

    def stop(self) -> None:
        """Ends the program that is asked: it must not outlive this process."""
        self._programs.stop()

    def _run(self) -> None:
        # A disk without room, for instance: the recording has what its process noted.
        with contextlib.suppress(Exception):
            if not (self._directory / ORIGIN_FILE).exists():
                gather(self._directory, self._started, self._programs)


def gather(directory: Path, started: dict[str, Any], programs: Programs) -> None:
    kinds = started["kinds"]
    script, place = started.get("script"), started.get("directory")
    repository = repository_of(programs, script, place) if "git" in kinds else None
    root = None if repository is None else repository.root
    source = {} if repository is None else repository.facts()
    source |= _of_command(started, root)
    environment = machine.machine(kinds, os.environ) | _of_process(started)
    if "packages" in kinds:
        above = [None if script is None else os.path.dirname(script), place]
        environment |= management(above, root) | packages(started.get("path", []))
    if "gpus" in kinds:
        environment = machine.gpus(programs, "cuda" in environment) | environment
    found: dict[str, Any] = _origin(source, environment)
    diff = repository.diff() if repository is not None and "diff" in kinds and source.get("isDirty") else None
    if diff is not None:
        content, is_cut = diff
        (directory / DIFF_FILE).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        found["diff"] = {"bytes": len(content), "sha256": digest, **({"isCut": True} if is_cut else {})}
    write_whole(directory / ORIGIN_FILE, found)


def gathered(directory: Path, started: dict[str, Any], is_last: bool) -> dict[str, Any] | None:
    """
    Returns the content of the file. None: it is not there, unless `is_last`: nobody gathers it any
    more, and what the recording noted of itself is all.
    """
    try:
        content = json.loads(read_own(directory / ORIGIN_FILE))
        if isinstance(content, dict):
            return content
    except (OSError, ValueError):
        pass
    return _origin(_of_command(started, None), _of_process(started)) if is_last else None


def _origin(source: dict[str, Any], environment: dict[str, Any]) -> dict[str, Any]:
    ordered = {name: environment[name] for name in _ORDER if name in environment}
    # Names of files may have bytes that are no text.
    found: dict[str, Any] = jsonable({SOURCE: source, ENVIRONMENT: ordered})
    return {key: value for key, value in found.items() if value}


_ORDER = (
    *("host", "user", "os", "python", "executable", "cpus", "memoryBytes", "gpus", "gpuCount", "driver", "cuda"),
    *("rocm", "slurm", "kubernetes", "manager", "lockFile", "packages", "packagesLeftOut"),
)


def _of_command(started: dict[str, Any], root: Path | None) -> dict[str, Any]:
    if "command" not in started:
        return {}
    places = {name: within(str(started[name]), root) for name in ("directory", "script") if started.get(name)}
    return {**places, "command": started["command"]}


def _of_process(started: dict[str, Any]) -> dict[str, Any]:
    return {name: started[name] for name in ("python", "executable", "cuda", "rocm") if started.get(name)}
