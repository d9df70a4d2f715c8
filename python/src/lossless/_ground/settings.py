"""
Addresses of the service and the spool, and the credential: by argument, environment or sign-in.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import sys
import tempfile
import urllib.parse
from pathlib import Path
from typing import Any

from .errors import SettingsError
from .ownership import NotOurs, check_own_directory
from .warning import warn

if sys.platform != "win32":
    import pwd

DEFAULT_URL = "http://127.0.0.1:7070"


@dataclasses.dataclass(frozen=True)
class Settings:
    url: str
    # An organization API key (ak_…), or a sign-in's access token; None: record offline, send later.
    credential: str | None = dataclasses.field(repr=False)
    # The organization for which an access token is used.
    organization: str | None
    # None: this user has no home, and no directory of their own for temporary files either.
    spool: Path | None


def settings_of(
    url: str | None = None, api_key: str | None = None, spool: str | os.PathLike[str] | None = None
) -> Settings:
    """
    Reads the settings: arguments before the environment, that before `lossless login`. Raises
    SettingsError.
    """
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
    address = (named_url or DEFAULT_URL).rstrip("/")
    named_spool = spool or environment.get("LOSSLESS_SPOOL")
    if key is not None and shows_key(address):
        warn(f"key to {address}", f"the key goes to {address} over plain http: it can be read on the way")
    return Settings(
        url=address,
        credential=key,
        organization=organization,
        # Absolute: scripts change their directory, and the sender has another one.
        spool=Path(named_spool).absolute() if named_spool else _usual_spool(),
    )


def shows_key(url: str) -> bool:
    """Whether data sent there is in the clear, and leaves this machine."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def _checked_url(url: str | None) -> str | None:
    url = (url or "").strip()
    if url and not re.match(r"https?://[^/\s]+", url):
        raise SettingsError(f"the address of the service begins with http:// or https://, not {url!r} (LOSSLESS_URL)")
    return url or None


def _checked_key(key: str | None) -> str | None:
    """Returns the key without its newline, which mounted secrets have."""
    if not key:
        return None
    key = key.strip()
    if not re.fullmatch(r"[!-~]+", key):
        fault = "has characters that no key has" if key else "is blank"
        raise SettingsError(f"the key {fault} (LOSSLESS_API_KEY)")
    return key


def _usual_spool() -> Path | None:
    try:
        return default_spool().absolute()
    except OSError:
        # Recording reports it; reading works without.
        return None


def default_spool() -> Path:
    """
    Returns this user's directory on this machine; it survives a reboot. Raises as `fallback_spool`.
    """
    if sys.platform == "win32":
        named = os.environ.get("LOCALAPPDATA")
    else:
        named = os.environ.get("XDG_STATE_HOME")
    if named and os.path.isabs(named):
        return Path(named) / "lossless" / "spool"
    own = home()
    if own is None:
        return fallback_spool()
    inner = ("AppData", "Local") if sys.platform == "win32" else (".local", "state")
    return own.joinpath(*inner) / "lossless" / "spool"


def fallback_spool() -> Path:
    """
    Returns the spool of users without a home, or with a read-only one. Raises OSError when another
    user has taken its name.
    """
    spool = fallback_path()
    try:
        spool.parent.mkdir(mode=0o700)
    except FileExistsError:
        check_fallback()
    return spool


def check_fallback() -> None:
    """
    Raises NotOurs when another user has taken its name or can read it, else FileNotFoundError if
    absent.
    """
    directory = fallback_path().parent
    check_own_directory(directory)
    if hasattr(os, "getuid") and directory.lstat().st_mode & 0o077:
        raise NotOurs(f"{directory} is open to other users; if its content is yours, run chmod go= {directory}")


def fallback_path() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"lossless-{user}" / "spool"


def login_path() -> Path | None:
    """Returns the file written by `lossless login`; None for a user without a home."""
    named = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    if named and os.path.isabs(named):
        return Path(named) / "lossless" / "login.json"
    own = home()
    if own is None:
        return None
    inner = ("AppData", "Roaming") if sys.platform == "win32" else (".config",)
    return own.joinpath(*inner) / "lossless" / "login.json"


def home() -> Path | None:
    """
    Returns this user's home; None: there is no entry, as in containers that run under any user id.
    """
    if sys.platform != "win32" and os.environ.get("HOME") == "":
        # An empty HOME would be the root.
        return None
    try:
        return Path.home()
    except RuntimeError:
        return None


def homes() -> list[Path]:
    """Returns all homes of this user: HOME and the system may name two."""
    found = [home()]
    if sys.platform != "win32":
        # A user unknown to the system has no entry.
        with contextlib.suppress(KeyError):
            found.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    return [each for each in found if each is not None]


def read_login() -> dict[str, Any] | None:
    """Reads the file of `lossless login`; None: nobody is signed in. Raises SettingsError."""
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
