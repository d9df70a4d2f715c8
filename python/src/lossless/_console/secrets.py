"""Masks what looks like a secret in what is printed."""

from __future__ import annotations

import re

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


# Cheap signs that there may be one: most lines have none.
_SECRET_CHARACTERS_MIN = 16
_NAMES = ("key", "token", "password", "sig=", "sig%3d")


def masked(text: str) -> str:
    """Returns the text; what looks like a secret is replaced."""
    words = text.split()
    if not words or max(map(len, words)) < 8:
        return text
    small = text.lower()
    for name in _NAMES:
        if name in small:
            text = _NAMED.sub(rf"\1{_MASK}", text)
            break
    return _SECRET.sub(_MASK, text) if max(map(len, words)) >= _SECRET_CHARACTERS_MIN else text
