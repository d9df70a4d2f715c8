"""What holds values under names without being a mapping: configs are made of such things, and hold more of them."""

from __future__ import annotations

import sys
import types
from typing import Any

from .._ground.unsupported import Unsupported


def named_values(content: Any) -> dict[str, Any] | None:
    """
    Of a dataclass, a namespace, absl's FLAGS, and what has keys and [] (ml_collections' ConfigDict); None for
    everything else. May raise what `content` raises.
    """
    kind = type(content)
    if isinstance(content, (type, Unsupported)):
        return None
    if hasattr(kind, "__dataclass_fields__"):
        # One that is not made in __init__ may not be there yet.
        return {
            name: getattr(content, name)
            for name in kind.__dataclass_fields__
            if hasattr(content, name)
        }
    argparse = sys.modules.get("argparse")
    if isinstance(content, types.SimpleNamespace) or (
        argparse is not None and isinstance(content, argparse.Namespace)
    ):
        return {name: value for name, value in vars(content).items() if not name.startswith("_")}
    if hasattr(kind, "flag_values_dict"):
        return dict(content.flag_values_dict())
    # A table of data has these too.
    if hasattr(kind, "keys") and hasattr(kind, "__getitem__") and not hasattr(kind, "shape"):
        return {str(key): content[key] for key in content.keys()}
    return None
