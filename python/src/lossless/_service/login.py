"""
Access tokens of the command line's sign-in, renewed by one process at a time, with the same lock.
"""

from __future__ import annotations

import json
import os
import time
import urllib.parse
from pathlib import Path
from typing import Any

from .._ground import endpoints
from .._ground.errors import LosslessError, RequestRefused, SettingsError
from .._ground.settings import login_path, read_login
from .http import Http

# Remaining lifetime, in milliseconds, below which an access token is renewed.
_LEAST_LEFT_MS = 60_000
# Seconds after which a lock counts as left by a dead process: renewing takes two requests.
_STALE_SECONDS = 60.0


class LoginCredential:
    """The access token of this machine's sign-in, given only to the service that issued it."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def __call__(self) -> str:
        login = read_login()
        if login is None:
            raise SettingsError("this machine is no longer signed in: run lossless login")
        if login["url"].rstrip("/") != self._url:
            raise SettingsError(f"this machine is signed in to {login['url']}, not to {self._url}: run lossless login")
        if not _is_fresh(login):
            login = _renewed()
        return str(login["accessToken"])


def _is_fresh(login: dict[str, Any]) -> bool:
    return int(login.get("expiresAtMs", 0)) - time.time() * 1000 > _LEAST_LEFT_MS


def _renewed() -> dict[str, Any]:
    path = login_path()
    assert path is not None, "BUG: a sign-in without a place for it"
    lock = path.with_name(f"{path.name}.lock")
    _take(lock)
    try:
        # Another process may have renewed it while we waited.
        login = read_login()
        if login is None:
            raise SettingsError("this machine is no longer signed in: run lossless login")
        if _is_fresh(login):
            return login
        tokens = _refresh(login["url"], str(login.get("refreshToken")))
        now_ms = int(time.time() * 1000)
        renewed = {
            **login,
            "accessToken": tokens["access_token"],
            "refreshToken": tokens.get("refresh_token", login.get("refreshToken")),
            "expiresAtMs": now_ms + int(tokens["expires_in"]) * 1000,
        }
        _write(path, renewed)
        return renewed
    finally:
        lock.unlink(missing_ok=True)


def _refresh(url: str, refresh_token: str) -> dict[str, Any]:
    http = Http(url)
    try:
        server = http.request(*endpoints.oauth_metadata()).json()
        base = urllib.parse.urlsplit(http.url).path
        endpoint = urllib.parse.urlsplit(str(server["token_endpoint"])).path.removeprefix(base)
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": "lossless-cli"}
        body = urllib.parse.urlencode(form).encode("ascii")
        reply = http.request("POST", endpoint, body=body, content_type="application/x-www-form-urlencoded")
        content = reply.json()
    except RequestRefused as error:
        if error.code == "invalid_grant":
            raise SettingsError("the sign-in of this machine has ended: run lossless login again") from None
        raise
    finally:
        http.close()
    if not isinstance(content, dict) or "access_token" not in content:
        raise LosslessError("the service gave no access token")
    return content


def _take(lock: Path) -> None:
    seen: tuple[object, float] | None = None
    while True:
        try:
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            return
        except FileExistsError:
            pass
        try:
            status = os.stat(lock)
        except FileNotFoundError:
            continue
        mark = (status.st_ino, status.st_mtime_ns)
        # By how long it was observed, not by its date: clocks differ.
        if seen is None or seen[0] != mark:
            seen = (mark, time.monotonic())
        if time.monotonic() - seen[1] >= _STALE_SECONDS:
            lock.unlink(missing_ok=True)
        else:
            time.sleep(0.05)


def _write(path: Path, login: dict[str, Any]) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as out:
        json.dump(login, out, indent=2)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    os.replace(partial, path)
