"""Where the service is, who asks, and where the spool is: by argument, environment, or the sign-in of the command line."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from ._errors import SettingsError

DEFAULT_URL = "http://127.0.0.1:7070"


@dataclasses.dataclass(frozen=True)
class Settings:
    url: str
    # An organization API key (ak_…), or an access token of a sign-in; None: record offline, send later.
    credential: str | None = dataclasses.field(repr=False)
    # For an access token: the organization that is meant.
    organization: str | None
    spool: Path


def settings_of(
    url: str | None = None,
    api_key: str | None = None,
    spool: str | os.PathLike[str] | None = None,
) -> Settings:
    """An argument goes before the environment, that before `lossless login`. Raises SettingsError."""
    environment = os.environ
    named_url = _checked_url(url or environment.get("LOSSLESS_URL"))
    key = _checked_key(api_key or environment.get("LOSSLESS_API_KEY"))
    organization = None
    if key is None:
        login = read_login()
        if login is not None and (named_url is None or named_url.rstrip("/") == login["url"].rstrip("/")):
            named_url = login["url"]
            key = login["accessToken"]
            organization = (login.get("organization") or {}).get("id")
    return Settings(
        url=(named_url or DEFAULT_URL).rstrip("/"),
        credential=key,
        organization=organization,
        # Scripts change their directory, and the sender has another one.
        spool=Path(spool or environment.get("LOSSLESS_SPOOL") or default_spool()).absolute(),
    )


def _checked_url(url: str | None) -> str | None:
    url = (url or "").strip()
    if url and not re.match(r"https?://[^/\s]+", url):
        raise SettingsError(f"the address of the service begins with http:// or https://, not {url!r} (LOSSLESS_URL)")
    return url or None


def _checked_key(key: str | None) -> str | None:
    """Mounted secrets end with a newline."""
    key = (key or "").strip()
    if not re.fullmatch(r"[!-~]*", key):
        raise SettingsError("the key holds characters that no key has (LOSSLESS_API_KEY)")
    return key or None


def default_spool() -> Path:
    """Of this user on this machine; survives a reboot."""
    if sys.platform == "win32":
        named = os.environ.get("LOCALAPPDATA")
    else:
        named = os.environ.get("XDG_STATE_HOME")
    if named and os.path.isabs(named):
        return Path(named) / "lossless" / "spool"
    home = _home()
    if home is None:
        return fallback_spool()
    inner = ("AppData", "Local") if sys.platform == "win32" else (".local", "state")
    return home.joinpath(*inner) / "lossless" / "spool"


def fallback_spool() -> Path:
    """For users without a home, and where it cannot be written. Raises OSError when somebody else has taken the name."""
    spool = fallback_path()
    try:
        spool.parent.mkdir(mode=0o700)
    except FileExistsError:
        found = spool.parent.lstat()
        is_foreign = hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077)
        if not stat.S_ISDIR(found.st_mode) or is_foreign:
            raise PermissionError(f"{spool.parent} is not ours") from None
    return spool


def fallback_path() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"lossless-{user}" / "spool"


def login_path() -> Path | None:
    """The file that `lossless login` leaves; None for a user without a home."""
    named = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    if named and os.path.isabs(named):
        return Path(named) / "lossless" / "login.json"
    home = _home()
    if home is None:
        return None
    inner = ("AppData", "Roaming") if sys.platform == "win32" else (".config",)
    return home.joinpath(*inner) / "lossless" / "login.json"


def _home() -> Path | None:
    """None: this user has no entry, as in containers that run under any number."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def read_login() -> dict[str, Any] | None:
    """None: nobody has signed in. Raises SettingsError."""
    path = login_path()
    if path is None:
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise SettingsError(f"the sign-in of this machine cannot be read: {path}: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(content.get(name), str) for name in ("url", "accessToken")):
        raise SettingsError(f"{path} is damaged; remove it, then run lossless login again")
    return content
