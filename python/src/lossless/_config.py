"""Dicts with attributes, as scripts for other trackers use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any


class Config(MutableMapping[str, Any]):
    """`config.lr` is `config["lr"]`. `changed` is called after every change, with nothing."""

    def __init__(self, content: Mapping[str, Any], changed: Callable[[], None]) -> None:
        object.__setattr__(self, "_content", dict(content))
        object.__setattr__(self, "_changed", changed)

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._content[key] = value
        self._changed()

    def __delitem__(self, key: str) -> None:
        del self._content[key]
        self._changed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._content[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __repr__(self) -> str:
        return repr(self._content)

    def update(self, *args: Any, allow_val_change: bool | None = None, **kwargs: Any) -> None:
        """All at once. `allow_val_change` is accepted: values may always change."""
        for each in args:
            self._content.update(as_mapping(each))
        self._content.update(kwargs)
        self._changed()

    def setdefaults(self, defaults: Any) -> None:
        self._content.update({key: value for key, value in as_mapping(defaults).items() if key not in self._content})
        self._changed()

    def as_dict(self) -> dict[str, Any]:
        return dict(self._content)


def as_mapping(content: Any) -> dict[str, Any]:
    """Of a mapping, an argparse.Namespace, a dataclass, or anything with attributes."""
    if content is None:
        return {}
    if isinstance(content, Mapping):
        return {str(key): value for key, value in content.items()}
    if hasattr(content, "__dataclass_fields__"):
        return {name: getattr(content, name) for name in content.__dataclass_fields__}
    return {key: value for key, value in vars(content).items() if not key.startswith("_")}


def jsonable(value: Any, depth: int = 0) -> Any:
    """What JSON has; numbers that it has not and objects become text."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= 2**53 else str(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else str(value)
    if depth > 16:
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): jsonable(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(each, depth + 1) for each in value]
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "size", 1) == 1:
        try:
            return jsonable(item(), depth + 1)
        except Exception:
            return str(value)
    return str(value)
