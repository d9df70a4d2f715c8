"""
Finds where this process writes event files. Writers of TensorBoard (also used by PyTorch),
tensorboardX and TensorFlow report their directory when created; on Linux the open files show it
too, also for writers created earlier.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import sys
import weakref
from collections.abc import Callable
from typing import Any

from .._ground.signal_handlers import is_of_signal_handler
from .names import is_event_file

_MODULES = {
    "tensorboard.summary.writer.event_file_writer": "EventFileWriter",
    "tensorboardX.event_file_writer": "EventFileWriter",
    "tensorflow.python.summary.writer.event_file_writer": "EventFileWriter",
    "tensorflow.python.ops.gen_summary_ops": "create_summary_file_writer",
}


class Writers:
    """
    The process's patch: it stays on the writers, reports their directories, and changes nothing.
    """

    _only: Writers | None = None

    @classmethod
    def watch(cls, told: Callable[[str], bool]) -> None:
        """
        Calls `told(directory)` for each writer from now on; its result decides whether to continue.
        """
        if cls._only is None:
            cls._only = cls()
        cls._only._told.append(told)

    @classmethod
    def flush(cls) -> None:
        """Flushes the buffers of writers into their files."""
        for writer in [] if cls._only is None else list(cls._only._writers):
            # A closed writer raises.
            with contextlib.suppress(Exception):
                writer.flush()

    def __init__(self) -> None:
        self._told: list[Callable[[str], bool]] = []
        self._writers: weakref.WeakSet[Any] = weakref.WeakSet()
        sys.meta_path.insert(0, _Finder(self.put_over))
        for name in _MODULES:
            if name in sys.modules:
                self.put_over(name, sys.modules[name])

    def put_over(self, name: str, module: Any) -> None:
        """Patches a module's writer; one of an incompatible version is left alone."""
        with contextlib.suppress(AttributeError, TypeError):
            original: Any = getattr(module, _MODULES[name])
            if isinstance(original, type):
                patched: Any = original
                patched.__init__ = self._telling(patched.__init__, is_method=True)
            else:
                setattr(module, _MODULES[name], self._telling(original, is_method=False))

    def _telling(self, original: Callable[..., Any], is_method: bool) -> Callable[..., Any]:
        @functools.wraps(original)
        def begin(*args: Any, **kwargs: Any) -> Any:
            try:
                place = 1 if is_method else 0
                # TensorFlow's operation has another argument before it.
                logdir = kwargs.get("logdir", args[place] if is_method and len(args) > place else None)
                self._tell(logdir, args[0] if is_method else None)
            except Exception as error:
                if is_of_signal_handler(error):
                    raise
            return original(*args, **kwargs)

        return begin

    def _tell(self, logdir: Any, writer: Any) -> None:
        as_array = getattr(logdir, "numpy", None)
        if callable(as_array):
            logdir = as_array()
        if isinstance(logdir, (str, bytes, os.PathLike)):
            # The script may change its directory later.
            directory = os.path.abspath(os.fsdecode(logdir))
            # The last recording that follows writers gets it.
            for told in reversed(list(self._told)):
                if told(directory):
                    break
                self._told.remove(told)
        if writer is not None:
            self._writers.add(writer)


class _Finder:
    """Notices modules that are imported later."""

    def __init__(self, imported: Callable[[str, Any], None]) -> None:
        self._imported = imported
        self._within: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _MODULES or name in self._within:
            return None
        self._within.add(name)
        try:
            spec = importlib.util.find_spec(name)
            loader: Any = None if spec is None else spec.loader
            execute = loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                self._imported(name, module)

            loader.exec_module = exec_module
        except (AttributeError, TypeError, ValueError, ImportError):
            # In any case the module is imported as without us.
            return None
        finally:
            self._within.discard(name)
        return spec


def open_event_files() -> list[str]:
    """
    Returns the event files that this process writes; none where the system does not show them.
    """
    found: list[str] = []
    if sys.platform != "linux":
        return found
    import fcntl

    with contextlib.suppress(OSError):
        for number in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                path = os.readlink(f"/proc/self/fd/{number}")
                if not is_event_file(os.path.basename(path)) or not os.path.isfile(path):
                    continue
                if fcntl.fcntl(int(number), fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
                    found.append(path)
    return found
