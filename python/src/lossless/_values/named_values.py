"""Objects with named values that are no mappings, as configs and within them."""

from __future__ import annotations

import sys
import types
from typing import Any

from .._ground.unsupported import Unsupported


def named_values(content: Any) -> dict[str, Any] | None:
    """
    Returns the values of a dataclass, a namespace, absl's FLAGS, or an object with keys and []
    (ml_collections' ConfigDict); None for everything else. May raise what `content` raises.
    """
    kind = type(content)
    if isinstance(content, (type, Unsupported)):
        return None
    if hasattr(kind, "__dataclass_fields__"):
        # A field not set by __init__ may be missing.
        return {name: getattr(content, name) for name in kind.__dataclass_fields__ if hasattr(content, name)}
    argparse = sys.modules.get("argparse")
    if isinstance(content, types.SimpleNamespace) or (argparse is not None and isinstance(content, argparse.Namespace)):
        return {name: value for name, value in vars(content).items() if not name.startswith("_")}
    if hasattr(kind, "flag_values_dict"):
        return dict(content.flag_values_dict())
    # Tables of data have these too.
    if hasattr(kind, "keys") and hasattr(kind, "__getitem__") and not hasattr(kind, "shape"):
        return {str(key): content[key] for key in content.keys()}
    return None
