"""The place of this process, which decides where a version is stored."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

# The place of the built-in location, and the default of a writer.
_LOCAL = "local"


def place_of(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """
    Returns the given place; else that of LOSSLESS_CLOUD and LOSSLESS_REGION, or `local`, and the
    host.
    """
    own = {
        "cloud": os.environ.get("LOSSLESS_CLOUD") or _LOCAL,
        "region": os.environ.get("LOSSLESS_REGION") or _LOCAL,
        "source": socket.gethostname(),
    }
    return {name: (given or {}).get(name, value) for name, value in own.items()}
