"""The sender beside a recording: a process of its own, so that sending never holds the training's interpreter."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._settings import Settings

if TYPE_CHECKING:
    from ._experiment import Experiment
    from ._report import Report


_LAST_SAMPLE_SECONDS = 2.0


class Background:
    """Starts the sender, and waits for it at the end. Without a credential, or `offline`, there is none."""

    def __init__(self, settings: Settings, is_offline: bool) -> None:
        self._settings = settings
        self._is_offline = is_offline
        self._process: subprocess.Popen[bytes] | None = None
        self._experiment: Experiment | None = None
        self._failure: str | None = None
        self._hook: Any = None
        self._uncaught: str | None = None

    @property
    def settings(self) -> Settings:
        return self._settings

    def in_child(self) -> Background:
        """Of a forked process: it must not hold the parent's pipe, nor wait for the parent's sender."""
        if self._process is not None and self._process.stdin is not None:
            try:
                os.close(self._process.stdin.fileno())
            except OSError:
                pass
        return Background(self._settings, self._is_offline)

    def start(self, experiment: Experiment, directory: Path, samples: bool) -> None:
        """`samples`: the metrics of the machine are wanted, for which an offline recording has a process too."""
        self._experiment = experiment
        atexit.register(self._at_exit)
        self._hook = sys.excepthook
        sys.excepthook = self._note_uncaught
        if samples or not self._is_offline:
            self._spawn(directory)

    def forget(self, experiment: Experiment) -> None:
        """The recording is over: the end of the process needs nothing more."""
        self._experiment = None
        atexit.unregister(self._at_exit)
        if sys.excepthook == self._note_uncaught:
            sys.excepthook = self._hook

    def finish(self, directory: Path, timeout: float, lost: int, refused: int) -> Report:
        from ._report import report_of

        end = time.monotonic() + max(0.0, timeout)
        if self._is_offline:
            # It sends nothing: it ends with its input.
            self._release()
            end = min(end, time.monotonic() + _LAST_SAMPLE_SECONDS)
        if self._process is not None:
            if not self._is_offline and self._process.poll() is not None and not self._is_ended_well():
                # It died, or gave up, while the recording went on: once more, now that all is there.
                self._spawn(directory)
            try:
                self._process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
        report = report_of(directory, self._settings, lost, self._is_offline, self._failure)
        self._release()
        return report

    def _release(self) -> None:
        """From here on it knows that it is alone."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _is_ended_well(self) -> bool:
        return self._process is not None and self._process.returncode == 0

    def _spawn(self, directory: Path) -> None:
        package_root = str(Path(__file__).resolve().parent.parent)
        code = (
            f"import sys; sys.path.insert(0, {package_root!r}); sys.argv[1:] = [{str(directory)!r}]; "
            "from lossless._sender import main; sys.exit(main())"
        )
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LOSSLESS_SENDER_")}
        if self._is_offline:
            environment["LOSSLESS_SENDER_OFFLINE"] = "1"
        environment["LOSSLESS_SENDER_PARENT"] = str(os.getpid())
        if self._settings.credential is not None and self._settings.organization is None:
            environment["LOSSLESS_SENDER_KEY"] = self._settings.credential
        if self._settings.organization is not None:
            environment["LOSSLESS_SENDER_ORGANIZATION"] = self._settings.organization
        # Not a member of our group: Ctrl-C ends the training, and the sender has to send what it logged.
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=str(directory.parent),
                creationflags=flags,
                start_new_session=sys.platform != "win32",
            )
        except (OSError, ValueError) as error:
            self._failure = f"the sender could not be started: {error}"

    def _note_uncaught(self, kind: Any, error: BaseException, trace: Any) -> None:
        self._uncaught = f"{kind.__name__}: {error}"
        self._hook(kind, error, trace)

    def _at_exit(self) -> None:
        experiment = self._experiment
        if experiment is not None:
            experiment.finish(error=self._uncaught)
