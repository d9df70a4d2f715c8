"""Dicts with attributes, as used by scripts for other trackers."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

from .._ground.signal_handlers import is_of_signal_handler
from .._ground.unsupported import Unsupported
from .._ground.warning import warn
from .named_values import named_values
from .values import storable

_OF_VALUE = {"value", "desc"}
# Elements of an array at most; larger ones become text, which is cut.
_ELEMENTS_MAX = 256
_DEPTH_MAX = 16
# Attributes of a Config or a Summary itself, which are missing while one is unpickled.
_OWN = frozenset({"_content", "_changed", "_held", "_last", "_replace", "_forget"})


class Config(MutableMapping[str, Any]):
    """A dict of which `config.lr` is `config["lr"]`. `changed` is called after every change."""

    def __init__(self, content: Mapping[str, Any], changed: Callable[[], None]) -> None:
        object.__setattr__(self, "_content", dict(content))
        object.__setattr__(self, "_changed", changed)
        object.__setattr__(self, "_held", {})

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __setitem__(self, key: str, value: Any) -> None:
        if not self._is_held(key):
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
        if name.startswith("_") and (name.startswith("__") or name in _OWN):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __repr__(self) -> str:
        return repr(self._content)

    def __reduce__(self) -> Any:
        """A copy has the content; changing it changes no recording."""
        return _copied, (self.as_dict(),)

    def update(self, *args: Any, allow_val_change: bool | None = None, **kwargs: Any) -> None:
        """Sets many keys. `allow_val_change` is accepted: values may always change."""
        for each in (*args, kwargs):
            given = each if each is kwargs else as_mapping(each)
            self._content.update({key: value for key, value in given.items() if not self._is_held(key)})
        self._changed()

    def hold(self, values: Mapping[str, Any]) -> None:
        """
        Fixes values against later assignments by the script, which are often only its defaults.
        """
        object.__setattr__(self, "_held", dict(values))

    def _is_held(self, key: Any) -> bool:
        if key in self._held:
            warn(f"held {key}", f"config.{key} keeps the sweep's value, {self._held[key]!r:.80}")
        return key in self._held

    def setdefaults(self, defaults: Any) -> None:
        self._content.update({key: value for key, value in as_mapping(defaults).items() if key not in self._content})
        self._changed()

    def as_dict(self) -> dict[str, Any]:
        return dict(self._content)


def _copied(content: Mapping[str, Any]) -> Config:
    return Config(content, lambda: None)


def as_mapping(content: Any) -> dict[str, Any]:
    """
    Converts to a dict: a mapping, an object known to `named_values`, or a file of YAML or JSON.
    """
    if content is None:
        return {}
    if isinstance(content, (str, os.PathLike)) and not isinstance(content, Unsupported):
        return _of_file(content)
    if isinstance(content, Mapping):
        return {str(key): value for key, value in content.items()}
    named = named_values(content)
    if named is not None:
        return named
    try:
        found = {key: value for key, value in vars(content).items() if not key.startswith("_")}
    except TypeError:
        warn("config", f"a config has names: {type(content).__name__} is ignored")
        return {}
    if not found:
        warn("config names", f"nothing was found in the config: a {type(content).__name__} has no known names")
    return found


def _of_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads a file in W&B's form: each value, or `{value: …, desc: …}`. YAML needs PyYAML."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            content = import_module("yaml").safe_load(text)
        except ImportError:
            content = json.loads(text)
        if not isinstance(content, Mapping):
            raise ValueError("it has no names")
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        warn("config file", f"the config {os.fspath(path)!r} cannot be read and is ignored: {error}")
        return {}
    return {
        str(key): each["value"] if isinstance(each, Mapping) and "value" in each and set(each) <= _OF_VALUE else each
        for key, each in content.items()
        if key != "wandb_version"
    }


def jsonable(value: Any, depth: int = 0, within: tuple[int, ...] = ()) -> Any:
    """
    Converts to what JSON can express and the service stores; other numbers and objects become text.
    `within`: ids of the named objects that contain it. Raises nothing.
    """
    if isinstance(value, str):
        return storable(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= 2**53 else str(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else str(value)
    try:
        return _jsonable_object(value, depth, within)
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        return f"<{type(value).__name__}>"


def _jsonable_object(value: Any, depth: int, within: tuple[int, ...]) -> Any:
    # A cycle, such as a tree with parents, would be walked again and again.
    if depth > _DEPTH_MAX or id(value) in within:
        return storable(str(value))
    if isinstance(value, Mapping):
        return {storable(str(key)): jsonable(each, depth + 1, within) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(each, depth + 1, within) for each in value]
    named = named_values(value)
    if named is not None:
        return jsonable(named, depth + 1, (*within, id(value)))
    item = getattr(value, "item", None)
    if callable(item):
        # A tensor or an array; one of several elements has no item, and may raise anything.
        try:
            inner = item()
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            inner = None
        if isinstance(inner, (str, bool, int, float)):
            return jsonable(inner, depth + 1)
        shape = getattr(value, "shape", None)
        if callable(getattr(value, "tolist", None)) and shape is not None and math.prod(shape) <= _ELEMENTS_MAX:
            return jsonable(value.tolist(), depth + 1)
    return storable(str(value))
