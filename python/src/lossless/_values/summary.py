"""The summary of a run, as scripts for W&B read and write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from .config import Config, as_mapping

_DEPTH_MAX = 16


class Summary(Config):
    """
    Values set by a script, and for each metric that was logged since its value was set, the value
    in `last`. `replace` is told which metric a script sets, `forget` which one it removes.
    """

    def __init__(
        self,
        last: Callable[[], Mapping[str, Any]],
        replace: Callable[[str], None],
        forget: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        super().__init__({}, changed)
        object.__setattr__(self, "_last", last)
        object.__setattr__(self, "_replace", replace)
        object.__setattr__(self, "_forget", forget)

    def __getitem__(self, key: str) -> Any:
        last = self._last()
        if key in last:
            value = last[key]
        elif key in self._content:
            value = _overlaid(self._content[key], key, last)
        else:
            value = _within({**self._content, **last}, key)
        return _nested(value, self, (key,))

    def __setitem__(self, key: str, value: Any) -> None:
        self._set(key, value)
        self._changed()

    def __delitem__(self, key: str) -> None:
        """
        Removes a value, that of a metric until it is logged again. An absent one is no error, as in
        W&B.
        """
        self._content.pop(key, None)
        self._forget(key)
        self._changed()

    def __delattr__(self, name: str) -> None:
        del self[name]

    def update(self, *args: Any, allow_val_change: bool | None = None, **kwargs: Any) -> None:
        for each in (*args, kwargs):
            for key, value in as_mapping(each).items():
                self._set(key, value)
        self._changed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __repr__(self) -> str:
        return repr(self._whole())

    def as_dict(self) -> dict[str, Any]:
        """Returns the values set by the script, without those of metrics logged since."""
        last = self._last()
        return {key: _own(_overlaid(each, key, last)) for key, each in self._content.items() if key not in last}

    def put(self, path: tuple[str, ...], value: Any) -> None:
        """Sets a value within others. A value on the way that is no dict is replaced by one."""
        key, inner = self._place(path)
        if inner:
            whole = place = _own(self.get(key)) if isinstance(self.get(key), Mapping) else {}
            for each in inner[:-1]:
                if not isinstance(place.get(each), dict):
                    place[each] = {}
                place = place[each]
            place[inner[-1]] = value
            value = whole
        self[key] = value

    def drop(self, path: tuple[str, ...]) -> None:
        """Removes a value within others."""
        key, inner = self._place(path)
        if not inner:
            del self[key]
            return
        whole = place = _own(self.get(key))
        for each in inner[:-1]:
            place = place.get(each) if isinstance(place, dict) else None
        if isinstance(place, dict) and inner[-1] in place:
            del place[inner[-1]]
            self[key] = whole

    def _set(self, key: str, value: Any) -> None:
        self._content[key] = _own(value)
        self._replace(key)

    def _whole(self) -> dict[str, Any]:
        return {**self._last(), **self.as_dict()}

    def _place(self, path: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """
        Returns the key that has the value, and the way to it below the key: metrics logged within a
        dict have keys such as "val.loss".
        """
        whole = self._whole()
        for length in range(1, len(path) + 1):
            key = ".".join(map(str, path[:length]))
            if key in whole:
                return key, path[length:]
        is_logged = any(name.startswith(f"{path[0]}.") for name in whole)
        return (".".join(map(str, path)), ()) if is_logged else (path[0], path[1:])


class Nested(dict[str, Any]):
    """
    A dict within a summary. `summary.n.x` is `summary["n"]["x"]`, and changes change the summary;
    those of a copy only the copy.
    """

    def __init__(
        self, content: Mapping[str, Any] | None = None, summary: Summary | None = None, path: tuple[str, ...] = ()
    ) -> None:
        super().__init__(content or {})
        object.__setattr__(self, "_summary", summary)
        object.__setattr__(self, "_path", path)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setitem__(self, key: str, value: Any) -> None:
        path = (*self._path, key)
        if self._summary is not None:
            self._summary.put(path, value)
        super().__setitem__(key, _nested(value, self._summary, path))

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        if self._summary is not None:
            self._summary.drop((*self._path, key))

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def __reduce__(self) -> Any:
        return Nested, (dict(self),)

    def pop(self, key: str, *default: Any) -> Any:
        value = super().get(key, *default) if default else self[key]
        if key in self:
            del self[key]
        return value

    # Those of dict would change it without a call of the methods above.
    update: Any = MutableMapping.update
    setdefault: Any = MutableMapping.setdefault
    popitem: Any = MutableMapping.popitem
    clear: Any = MutableMapping.clear


def _nested(value: Any, summary: Summary | None, path: tuple[str, ...]) -> Any:
    if not isinstance(value, Mapping) or len(path) > _DEPTH_MAX:
        return value
    content = {key: _nested(each, summary, (*path, key)) for key, each in value.items()}
    return Nested(content, summary, path)


def _own(value: Any, depth: int = 0) -> Any:
    """Returns a copy, as the script may change its own. A container may contain itself."""
    if depth > _DEPTH_MAX:
        return value
    if isinstance(value, Mapping):
        return {key: _own(each, depth + 1) for key, each in value.items()}
    return [_own(each, depth + 1) for each in value] if type(value) is list else value


def _overlaid(value: Any, key: str, last: Mapping[str, Any]) -> Any:
    """Returns a value that was set, with what was logged within it since, as "val.loss"."""
    since = {name[len(key) + 1 :]: each for name, each in last.items() if name.startswith(f"{key}.")}
    return _with(value if isinstance(value, Mapping) else {}, since) if since else value


def _within(known: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Returns the metrics that were logged within a dict of this name. Raises KeyError."""
    found = {name[len(key) + 1 :]: each for name, each in known.items() if name.startswith(f"{key}.")}
    if not found:
        raise KeyError(key)
    return _with({}, found)


def _with(value: Mapping[str, Any], dotted: Mapping[str, Any]) -> dict[str, Any]:
    whole: dict[str, Any] = _own(value)
    for name, each in dotted.items():
        *outer, own = name.split(".")
        place = whole
        for part in outer:
            if not isinstance(place.get(part), dict):
                place[part] = {}
            place = place[part]
        place[own] = each
    return whole
