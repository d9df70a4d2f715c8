"""
Hyperparameters beside event files: those of the plugin `hparams`, and Lightning's `hparams.yaml`.

HParamsPluginData  3 session_start_info SessionStartInfo   1 hparams (map: 1 key   2 Value) Value
1 null   2 number (double)   3 string   4 bool   5 struct { 1 map }   6 list { 1 Value }
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .._values.config import jsonable
from .plain_yaml import Beyond, plain_yaml
from .protobuf import Field, Malformed, bytes_in, double_in, fields, integer_in

HPARAMS = "hparams"
HPARAMS_YAML = "hparams.yaml"
_YAML_BYTES_MAX = 2**20
_DEPTH_MAX = 16
_EXACT_INTEGER = 2**53


def session_hparams(content: bytes) -> Mapping[str, Any] | None:
    """
    Returns the hyperparameters of a session; empty when the bytes have none, None when damaged.
    """
    try:
        for number, field in fields(content):
            if number == 3:
                return _map(bytes_in(field), 0)
    except (Malformed, struct.error, IndexError):
        return None
    return {}


def yaml_hparams(directory: Path) -> tuple[dict[str, Any], str | None]:
    """Returns the hyperparameters in a run's directory, and a warning about them."""
    path = directory / HPARAMS_YAML
    try:
        with open(path, "rb") as file:
            content = file.read(_YAML_BYTES_MAX + 1)
        if len(content) > _YAML_BYTES_MAX:
            raise Beyond("it is too large")
        found, left_out = plain_yaml(content.decode("utf-8"))
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        raise LosslessError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        return {}, f"{path}: left out, because it is not the YAML of hyperparameters ({error})"
    told = f"{path}: left out, because they are neither numbers nor texts: {', '.join(left_out)}" if left_out else None
    return jsonable(found), told


def merged(nested: Mapping[str, Any], flat: Mapping[str, Any]) -> dict[str, Any]:
    """Joins both forms that Lightning writes; the flat one has `optimizer/lr`."""
    known = set(_paths(nested, ""))
    return {**{name: value for name, value in flat.items() if name not in known}, **nested}


def _paths(content: Mapping[str, Any], prefix: str) -> list[str]:
    return [
        path
        for key, value in content.items()
        for path in (f"{prefix}{key}", *(_paths(value, f"{prefix}{key}/") if isinstance(value, Mapping) else ()))
    ]


def _map(content: bytes, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, entry in fields(content):
        if number == 1:
            key, value = "", b""
            for inner, field in fields(bytes_in(entry)):
                if inner == 1:
                    key = bytes_in(field).decode("utf-8", "replace")
                elif inner == 2:
                    value = bytes_in(field)
            found[key] = _value(value, depth)
    known: dict[str, Any] = jsonable(found)
    return known


def _value(content: bytes, depth: int) -> Any:
    if depth > _DEPTH_MAX:
        raise Malformed("values are nested without end")
    last: tuple[int, Field] = (1, 0)
    for last in fields(content):
        pass
    number, field = last
    if number == 2:
        value = double_in(field)
        # The format has one kind of number only: a batch size comes as 32.0.
        return int(value) if value.is_integer() and abs(value) <= _EXACT_INTEGER else value
    if number == 3:
        return bytes_in(field).decode("utf-8", "replace")
    if number == 4:
        return integer_in(field) != 0
    if number == 5:
        return _map(bytes_in(field), depth + 1)
    if number == 6:
        return [_value(bytes_in(each), depth + 1) for inner, each in fields(bytes_in(field)) if inner == 1]
    return None
