"""W&B's GraphQL, and the files that its replies refer to."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..._ground.errors import LosslessError

_SECONDS = 60.0
_SCHEMES = ("https", "http")
# Waits before a request is sent again: W&B limits the rate, and asks to come back.
_WAITS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)


class WandbRefused(LosslessError):
    """W&B's service does not give it."""


class GraphQl:
    def __init__(self, url: str, key: str, waits: tuple[float, ...] = _WAITS) -> None:
        self._url = url.rstrip("/")
        if urllib.parse.urlsplit(self._url).scheme not in _SCHEMES:
            raise WandbRefused(f"{url} is no address of W&B's service: it begins with https:// or http://")
        self._authorization = "Basic " + base64.b64encode(f"api:{key}".encode()).decode()
        self._waits = waits

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """Returns the data of a reply. Raises WandbRefused."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self._url}/graphql", body, {"Content-Type": "application/json"})
        self._sign(request)
        content = self._fetched(request)
        try:
            reply = json.loads(content)
        except ValueError:
            raise WandbRefused(f"{self._url} answers with something that is no JSON: is it W&B's service?") from None
        if reply.get("errors"):
            told = "; ".join(str(each.get("message", each)) for each in reply["errors"])
            raise WandbRefused(f"W&B's service refuses: {told[:500]}")
        data = reply.get("data")
        if not isinstance(data, dict):
            raise WandbRefused("a reply of W&B's service has no data")
        return data

    def pages(self, query: str, path: tuple[str, ...], **variables: Any) -> Iterator[dict[str, Any]]:
        """Yields the nodes of a connection, of all its pages. Raises WandbRefused."""
        cursor: str | None = None
        while True:
            found: Any = self.ask(query, cursor=cursor, **variables)
            for name in path:
                found = (found or {}).get(name)
            for edge in (found or {}).get("edges") or []:
                yield edge["node"]
            info = (found or {}).get("pageInfo") or {}
            following = info.get("endCursor")
            if not info.get("hasNextPage") or not following or following == cursor:
                return
            cursor = following

    def save(self, url: str, path: Path) -> None:
        """Saves a file under its name when it is complete. Raises WandbRefused and OSError."""
        whole = urllib.parse.urljoin(f"{self._url}/", url)
        # Signed addresses of buckets are of other hosts, which must not see the key.
        there, here = urllib.parse.urlsplit(whole), urllib.parse.urlsplit(self._url)
        if there.scheme not in _SCHEMES:
            raise WandbRefused(f"W&B's service names a file at {there.scheme}:, which is no address of the web")
        request = urllib.request.Request(whole)
        if (there.scheme, there.netloc) == (here.scheme, here.netloc):
            self._sign(request)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.partial")
        self._fetched(request, beside)
        os.replace(beside, path)

    def _sign(self, request: urllib.request.Request) -> None:
        # A redirection may lead to another host: it does not get the header.
        request.add_unredirected_header("Authorization", self._authorization)

    def _fetched(self, request: urllib.request.Request, path: Path | None = None) -> bytes:
        problem = ""
        for wait in (*self._waits, None):
            try:
                with urllib.request.urlopen(request, timeout=_SECONDS) as reply:
                    if path is None:
                        return bytes(reply.read())
                    with open(path, "wb") as file:
                        shutil.copyfileobj(reply, file)
                    wanted = reply.headers.get("Content-Length")
                    if wanted is not None and path.stat().st_size != int(wanted):
                        raise ConnectionError("it broke off")
                    return b""
            except urllib.error.HTTPError as error:
                problem = f"{error.code} {error.reason}"
                if error.code in (401, 403):
                    raise WandbRefused(f"W&B's service refuses the key: {problem}") from None
                if error.code != 429 and error.code < 500:
                    raise WandbRefused(f"W&B's service refuses: {problem}") from None
            except (OSError, http.client.HTTPException) as error:
                problem = str(error) or type(error).__name__
            if wait is not None:
                time.sleep(wait)
        raise WandbRefused(f"W&B's service cannot be reached: {problem}")
