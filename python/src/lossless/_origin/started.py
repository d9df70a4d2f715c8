"""What only the recording process knows of itself, noted when it begins. It must cost nothing."""

from __future__ import annotations

import os
import sys
from typing import Any

from .._console.secrets import masked_command
from .._ground.signal_handlers import is_of_signal_handler

# A line of the spool has room for both of them, in any script.
_COMMAND_CHARACTERS_MAX = 6_000
# Directories in which packages are looked for.
_PATH_CHARACTERS_MAX = 4_096


def started_from(kinds: list[str]) -> dict[str, Any] | None:
    """Returns it, for the head of the recording; None: nothing is kept."""
    try:
        return _started_from(kinds) if kinds else None
    except Exception as error:
        # A script may have replaced sys.argv, or any other name, by anything.
        if is_of_signal_handler(error):
            raise
        return None


def _started_from(kinds: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"kinds": kinds, "directory": _working_directory(), "script": _script()}
    if "command" in kinds:
        words = [str(word) for word in sys.orig_argv]
        found["command"] = masked_command(words)[:_COMMAND_CHARACTERS_MAX]
    if "system" in kinds:
        found["python"], found["executable"] = sys.version.split()[0], sys.executable
    if "packages" in kinds:
        found["path"] = _path()
    if "gpus" in kinds:
        found |= _of_torch()
    return found


def _working_directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        # It was removed.
        return None


def _script() -> str | None:
    """Returns the path of the notebook, or of the script; None: neither is a file."""
    if "ipykernel" in sys.modules:
        # Jupyter tells its kernels, whose children inherit it; VS Code writes a variable.
        main = getattr(sys.modules.get("__main__"), "__dict__", {})
        name = str(main.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or "")
    else:
        name = str(sys.argv[0]) if sys.argv else ""
    try:
        return os.path.abspath(name) if name and os.path.isfile(name) else None
    except (OSError, ValueError):
        return None


def _path() -> list[str]:
    kept: list[str] = []
    for each in sys.path:
        # The others are of scripts and archives.
        if isinstance(each, str) and os.path.isabs(each):
            if sum(map(len, kept)) + len(each) > _PATH_CHARACTERS_MAX:
                break
            kept.append(each)
    return kept


def _of_torch() -> dict[str, str]:
    """Returns what an imported torch was built for, without asking it to look for devices."""
    version = sys.modules.get("torch.version")
    found = {name: getattr(version, of_torch, None) for name, of_torch in (("cuda", "cuda"), ("rocm", "hip"))}
    return {name: value for name, value in found.items() if isinstance(value, str)}
