"""Stand-ins for features of other trackers that have no counterpart here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .counterparts import instead_of
from .warning import warn

# Libraries probe any value for these, and no script does: an answer would make it look like a
# number.
_NOT_ANSWERED = frozenset({"item"})


class Unsupported:
    """
    A stand-in that may be called, entered, iterated, indexed and subclassed by name, and does
    nothing; it is empty and false. Using it warns once for each missing feature. It is no number:
    no method of it pretends to be one.
    """

    _name = ""
    # The feature named in the warning, which is issued once: `Api` for anything done with
    # `Api().runs(…)[0]`.
    _root = ""
    # Makes attributes with capitalised names: real classes, where there are some.
    _named: Callable[[str], Any] | None = None

    # A suggestion for the warning.
    _hint = ""

    def __init__(
        self, name: str, root: str | None = None, named: Callable[[str], Any] | None = None, hint: str = ""
    ) -> None:
        self._name = name
        self._root = root or name
        self._named = named
        self._hint = hint

    def __call__(self, *_args: Any, **_kwargs: Any) -> Unsupported:
        return self._used()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _NOT_ANSWERED:
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        if self._named is not None:
            found = self._named(name)
            if found is not None:
                return found
        return Unsupported(f"{self._name}.{name}", self._root, self._named, self._hint)

    def _used(self) -> Unsupported:
        warn(self._root, f"{self._root} has no counterpart here: it does nothing and is not recorded{self._hint}")
        return self

    # ---- what an empty container answers

    def __getitem__(self, key: Any) -> Unsupported:
        return self._used()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._used()

    def __delitem__(self, key: Any) -> None:
        self._used()

    def __contains__(self, each: Any) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __next__(self) -> Any:
        raise StopIteration

    # ---- what a context, a path, a text and a type answer

    def __enter__(self) -> Unsupported:
        return self._used()

    def __exit__(self, *_args: Any) -> None: ...

    def __fspath__(self) -> str:
        """Returns the name of a missing file, so that opening it fails."""
        self._used()
        return f"lossless-has-no-{self._name}"

    def __format__(self, _spec: str) -> str:
        return repr(self)

    def __add__(self, _other: Any) -> Unsupported:
        return self._used()

    __radd__ = __truediv__ = __rtruediv__ = __add__

    def __or__(self, _other: Any) -> Unsupported:
        return self

    __ror__ = __or__

    def __instancecheck__(self, _instance: Any) -> bool:
        return False

    def __subclasscheck__(self, _subclass: Any) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<lossless: {self._name} has no counterpart>"


class Silent(Unsupported):
    """A stand-in that nobody misses: using it says nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _NOT_ANSWERED:
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return Silent(f"{self._name}.{name}")

    def _used(self) -> Unsupported:
        return self


class _Kind(type):
    """Attributes of the class, as `Table.MAX_ROWS`."""

    _hint = ""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{cls.__name__!r} has no attribute {name!r}")
        return Unsupported(f"{cls.__name__}.{name}", cls.__name__, hint=cls._hint)


class UnsupportedObject(Unsupported, metaclass=_Kind):
    """
    A stand-in for objects that can be created, passed around, used in annotations and subclassed.
    """

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        self._used()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _NOT_ANSWERED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Unsupported(f"{self._name}.{name}", self._root, hint=self._hint)


def unsupported_class(name: str) -> type[UnsupportedObject]:
    own = {"__module__": "lossless", "_name": name, "_root": name, "_hint": instead_of(name)}
    made = _Kind(name, (UnsupportedObject,), own)
    assert issubclass(made, UnsupportedObject)
    return made
