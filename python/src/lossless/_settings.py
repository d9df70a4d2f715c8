"""Where the service is, who asks, and where the spool is: by argument, environment, or the sign-in of the command line."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
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
    named_url = url or environment.get("LOSSLESS_URL")
    key = api_key or environment.get("LOSSLESS_API_KEY")
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
        spool=Path(spool or environment.get("LOSSLESS_SPOOL") or default_spool()),
    )


def default_spool() -> Path:
    """Of this user on this machine; survives a reboot."""
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        named = os.environ.get("XDG_STATE_HOME")
        root = Path(named) if named and os.path.isabs(named) else Path.home() / ".local" / "state"
    return root / "lossless" / "spool"


def login_path() -> Path:
    """The file that `lossless login` leaves."""
    if sys.platform == "win32":
        root = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        named = os.environ.get("XDG_CONFIG_HOME")
        root = Path(named) if named and os.path.isabs(named) else Path.home() / ".config"
    return root / "lossless" / "login.json"


def read_login() -> dict[str, Any] | None:
    """None: nobody has signed in. Raises SettingsError."""
    path = login_path()
    try:
        content = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise SettingsError(f"the sign-in of this machine cannot be read: {path}: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(content.get(name), str) for name in ("url", "accessToken")):
        raise SettingsError(f"{path} is damaged; remove it, then run lossless login again")
    return content
