"""Functions of `wandb.util` that libraries call, and what `wandb.api` knows of the sign-in."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any

from .._ground.counterparts import instead_of
from .._ground.errors import LosslessError
from .._ground.fresh_word import fresh_word
from .._ground.unsupported import Unsupported


def generate_id(length: int = 8) -> str:
    return fresh_word(length)


def get_module(name: str, required: Any = None, lazy: bool = True) -> Any:
    """Imports a module. An absent one is None; `required` is the text of an error instead."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if required:
            raise LosslessError(str(required)) from None
        return None


def json_dumps_safer(value: Any, **others: Any) -> str:
    """Raises TypeError for what is no JSON, which libraries call it to find out."""
    return json.dumps(value, default=_plain, **others)


def make_artifact_name_safe(name: str) -> str:
    safe = re.sub(r"[^a-zA-Z0-9_\-.]", "_", name)
    return safe if len(safe) <= 128 else f"{safe[:63]}..{safe[-63:]}"


class SignedIn:
    """`wandb.api`: says that somebody is signed in, for libraries that else refuse to begin."""

    # No key, and sent nowhere.
    api_key = "lossless"
    default_entity = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return Unsupported(f"api.{name}", hint=instead_of("api"))

    def __repr__(self) -> str:
        return "<lossless: api>"


def _plain(value: Any) -> Any:
    for name in ("tolist", "item"):
        if callable(getattr(value, name, None)):
            return getattr(value, name)()
    raise TypeError(f"{type(value).__name__} is no JSON")
