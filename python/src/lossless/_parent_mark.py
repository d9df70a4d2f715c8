"""What a process records is known to the processes that it starts.

A child that records under the same name, as scripts do that are run again by `spawn`, goes on with its parent's
experiment and does not begin and end it.
"""

from __future__ import annotations

import os

_NAME = "LOSSLESS_RECORDING_PARENT"


def mark(slug: str) -> None:
    os.environ[_NAME] = "\n".join([*_marks(), f"{os.getpid()} {slug}"])


def unmark(slug: str) -> None:
    own = f"{os.getpid()} {slug}"
    left = [each for each in _marks() if each != own]
    if left:
        os.environ[_NAME] = "\n".join(left)
    else:
        os.environ.pop(_NAME, None)


def is_recorded_by_parent(slug: str) -> bool:
    for each in _marks():
        process, _, name = each.partition(" ")
        if name == slug and process.isdigit() and int(process) != os.getpid() and _is_alive(int(process)):
            return True
    return False


def _marks() -> list[str]:
    return [each for each in os.environ.get(_NAME, "").split("\n") if each]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
