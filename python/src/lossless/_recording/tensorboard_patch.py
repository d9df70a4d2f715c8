"""`wandb.tensorboard`: `patch` requests what `init(sync_tensorboard=True)` does."""

from __future__ import annotations

import os
from typing import Any

from .._ground.counterparts import instead_of
from .._ground.unsupported import Unsupported
from .current import current


class Tensorboard:
    # The root for the next recording; None: not requested.
    _root: str | None = None

    def patch(self, *_args: Any, root_logdir: Any = "", **_others: Any) -> None:
        root = os.fsdecode(root_logdir) if isinstance(root_logdir, (str, bytes, os.PathLike)) else ""
        run = current()
        if run is None:
            Tensorboard._root = root
        elif not run.disabled:
            run._follow_events(root)

    def unpatch(self, *_args: Any, **_others: Any) -> None:
        """Does nothing: recordings that follow event files continue until they end."""
        Tensorboard._root = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return Unsupported(f"tensorboard.{name}", hint=instead_of("tensorboard"))

    def __repr__(self) -> str:
        return "<lossless: tensorboard>"


def followed_events(is_synced: Any) -> str | None:
    """
    Returns the root below which a new recording follows event files, empty for none; None: it
    follows none.
    """
    root, Tensorboard._root = Tensorboard._root, None
    return root if root is not None or not is_synced else ""
