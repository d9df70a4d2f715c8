"""`wandb.Settings`: values for `init` that scripts for W&B give as one object."""

from __future__ import annotations

from typing import Any


class Settings:
    """Keeps whatever it is given; a setting that was not given is None."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)

    def update(self, *others: Any, **settings: Any) -> None:
        for other in others:
            self.__dict__.update(vars(other) if isinstance(other, Settings) else other)
        self.__dict__.update(settings)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return None

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
