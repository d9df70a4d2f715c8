"""Masks what looks like a secret in what is printed, on the command line, and in addresses."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_MASK = "********"
# Ours, and those of clouds and services whose keys have a form of their own.
_SECRET = re.compile(
    r"\b(?:"
    r"(?:ak|ik|at|as|sc|rt)_[0-9a-zA-Z]{40,64}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{22,}|glpat-[0-9A-Za-z_-]{20,}"
    r"|hf_[0-9A-Za-z]{30,}"
    r"|sk-(?:proj-|ant-)?[0-9A-Za-z_-]{20,}"
    r"|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}"
    r"|xox[abprs]-[0-9A-Za-z-]{10,}"
    r"|eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}"
    r")"
)
# A value that is named as a secret.
_NAMED = re.compile(
    r"(?i)((?:secret_access_key|account_?key|api_key|session_token|sas_?token|password|[?&]sig)"
    r"[\"']?\s*[=:]\s*[\"']?)([^\s\"'&,;]{8,})"
)

# An option whose value is a secret.
_OPTION = re.compile(r"(?i)--?(?:[^\W_]+[_-]+)*(?:api[_-]?key|access[_-]?key|token|password|passwd|secret)")
_OPTION_VALUE_CHARACTERS_MIN = 8

# Cheap signs that there may be one: most lines have none. Each of _SECRET has one of the marks, and
# in each of _NAMED one of the names stands before a sign.
_SECRET_CHARACTERS_MIN = 15
_NAMES = ("key", "token", "password", "sig=")
_MARKS = ("_", "-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ")


def masked(text: str) -> str:
    """Returns the text; what looks like a secret is replaced."""
    if "=" in text or ":" in text:
        small = text.lower()
        for name in _NAMES:
            if name in small:
                text = _NAMED.sub(rf"\1{_MASK}", text)
                break
    for mark in _MARKS:
        if mark in text:
            is_long = max(map(len, text.split()), default=0) >= _SECRET_CHARACTERS_MIN
            return _SECRET.sub(_MASK, text) if is_long else text
    return text


def masked_command(words: Sequence[str]) -> str:
    """Returns a command line as a shell reads it; what looks like a secret is replaced."""
    kept: list[str] = []
    for at, word in enumerate(words):
        is_named = at > 0 and _OPTION.fullmatch(words[at - 1]) is not None
        is_secret = is_named and len(word) >= _OPTION_VALUE_CHARACTERS_MIN and not word.startswith("-")
        kept.append(_MASK if is_secret else _with_mask_of_option(masked(word)))
    return shlex.join(kept)


def _with_mask_of_option(word: str) -> str:
    name, equals, value = word.partition("=")
    is_secret = equals and len(value) >= _OPTION_VALUE_CHARACTERS_MIN and _OPTION.fullmatch(name)
    return f"{name}={_MASK}" if is_secret else word


def without_credentials(address: str) -> str:
    """Returns the address of a remote without a password, and of a web server without a user."""
    found = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)@(.*)", address, re.DOTALL)
    if found is None:
        return masked(address)
    scheme, who, rest = found.groups()
    user = f"{who.partition(':')[0]}@" if scheme.lower() in ("ssh://", "git+ssh://") else ""
    return masked(f"{scheme}{user}{rest}")
