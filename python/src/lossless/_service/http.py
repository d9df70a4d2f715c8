"""One request and its reply over a kept-alive connection; errors as in _ground/errors.py."""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import http.client
import json
import os
import socket
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

from .._ground.errors import ConnectionFailed, LosslessError, RequestRefused, SettingsError, Superseded
from .._ground.settings import is_loopback
from .._ground.signal_handlers import is_of_signal_handler
from .._ground.version import __version__
from .connection import connection_to

_COMPRESS_FROM_BYTES = 16_384
# Seconds after which a proxy may close an idle connection.
_IDLE_SECONDS = 4.0
_PIECE_BYTES = 262_144


class Reply:
    """A complete reply of status 2xx. `server_time_ms` is the service's clock, to the second."""

    def __init__(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.server_time_ms = _time_ms(headers.get("date"))

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise ConnectionFailed("the reply is not JSON: this is not the service") from None


class Http:
    """
    Requests to one origin, for one thread at a time; a forked process gets its own connection.
    """

    def __init__(self, url: str, timeout: float = 30.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise SettingsError(f"{url!r} is not an http(s) address of a service")
        if parts.username or parts.password:
            raise SettingsError("an address must not contain a user or a password")
        try:
            _ = parts.port
        except ValueError:
            raise SettingsError(f"{url!r} has an invalid port") from None
        self.url = url.rstrip("/")
        self._parts = parts
        self._path = parts.path.rstrip("/")
        self._timeout = timeout
        self._is_near = is_loopback(parts.hostname)
        self._connection: http.client.HTTPConnection | None = None
        self._used_at = 0.0
        self._pid = os.getpid()

    def request(
        self,
        method: str,
        path: str,
        *,
        credential: str | None = None,
        organization: str | None = None,
        body: bytes | None = None,
        content_type: str = "application/json",
        may_be_gzip: bool = False,
        timeout: float | None = None,
    ) -> Reply:
        """
        Makes one attempt. JSON may always be compressed, another body if it `may_be_gzip`: not
        where the service stores it as it is sent. Raises ConnectionFailed, RequestRefused,
        Superseded.
        """
        response = self._send(method, path, credential, organization, body, content_type, timeout, may_be_gzip)
        try:
            reply = Reply(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if is_of_signal_handler(error):
                raise
            raise self._failed(error) from None
        if response.will_close:
            self.close()
        self._used_at = time.monotonic()
        if not 200 <= response.status < 300:
            raise _refusal(reply)
        return reply

    @contextlib.contextmanager
    def streamed(
        self, method: str, path: str, *, credential: str, organization: str | None, body: bytes, accept: str
    ) -> Iterator[http.client.HTTPResponse]:
        """
        Opens a reply that is read as it arrives. Raises as `request` does, while it is read too.
        """
        response = self._send(method, path, credential, organization, body, "application/json", None, accept=accept)
        try:
            if response.status != 200:
                raise _refusal(Reply(response.status, response.headers, response.read()))
            yield response
        except (OSError, http.client.HTTPException) as error:
            if is_of_signal_handler(error):
                raise
            raise self._failed(error) from None
        finally:
            # A connection whose reply was not read to its end cannot be reused.
            self.close()

    def pieces(self, method: str, path: str, *, credential: str, organization: str | None) -> Iterator[bytes]:
        """
        Yields the bytes of a reply as they arrive. May raise as `request` does at any of them.
        """
        response = self._send(method, path, credential, organization, None, "application/json", None)
        try:
            if response.status != 200:
                raise _refusal(Reply(response.status, response.headers, response.read()))
            while piece := response.read1(_PIECE_BYTES):
                yield piece
        except (OSError, http.client.HTTPException) as error:
            if is_of_signal_handler(error):
                raise
            raise self._failed(error) from None
        finally:
            self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _send(
        self,
        method: str,
        path: str,
        credential: str | None,
        organization: str | None,
        body: bytes | None,
        content_type: str,
        timeout: float | None,
        may_be_gzip: bool = False,
        accept: str | None = None,
    ) -> http.client.HTTPResponse:
        headers = {"User-Agent": f"lossless-python/{__version__}", "Accept-Encoding": "identity"}
        if accept is not None:
            headers["Accept"] = accept
        if credential is not None:
            headers["Authorization"] = f"Bearer {credential}"
        if organization is not None:
            headers["x-svc-organization"] = organization
        if body is not None:
            headers["Content-Type"] = content_type
            may_be_gzip = may_be_gzip or content_type == "application/json"
            if len(body) >= _COMPRESS_FROM_BYTES and not self._is_near and may_be_gzip:
                headers["Content-Encoding"] = "gzip"
                body = gzip.compress(body, 1)
        # A parent's connection must not be used: replies could reach either process.
        if self._pid != os.getpid() or time.monotonic() - self._used_at > _IDLE_SECONDS:
            self.close()
            self._pid = os.getpid()
        is_sent = False
        try:
            connection = self._connected(self._timeout if timeout is None else timeout)
            is_sent = True
            connection.request(method, self._path + path, body=body, headers=headers)
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if is_of_signal_handler(error):
                raise
            raise self._failed(error, not_sent=not is_sent) from None
        except ValueError as error:
            self.close()
            if is_of_signal_handler(error):
                raise
            # The original message would contain the credential.
            raise SettingsError("the credential has characters that no HTTP header may have (a line end?)") from None

    def _connected(self, timeout: float) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = connection_to(self._parts, timeout)
            self._connection.connect()
        elif self._connection.sock is not None:
            self._connection.sock.settimeout(timeout)
        return self._connection

    def _failed(self, error: Exception, not_sent: bool = False) -> LosslessError:
        reason = str(error) or type(error).__name__
        is_refused = isinstance(error, (ConnectionRefusedError, socket.gaierror))
        return ConnectionFailed(f"cannot reach the service at {self.url} ({reason})", not_sent, is_refused)


def _refusal(reply: Reply) -> RequestRefused:
    """
    Parses the error in either form: v2 `{error: {message, details}}`, v1 `{error: code, message}`.
    """
    status = reply.status
    code, message, epoch, request_id = f"http_{status}", f"HTTP {status}", None, None
    try:
        content = json.loads(reply.body)
    except ValueError:
        content = None
    if isinstance(content, dict):
        error = content.get("error")
        if isinstance(error, dict):
            message = str(error.get("message", message))
            details = dict(
                pair.strip().split("=", 1) for pair in str(error.get("details", "")).split(";") if "=" in pair
            )
            code, request_id = details.get("code", code), details.get("request_id")
        elif isinstance(error, str):
            code, message, epoch = error, str(content.get("message", message)), content.get("epoch")
    if code == "superseded" and isinstance(epoch, int):
        return Superseded(message, epoch)
    return RequestRefused(
        message + _where_to_look(status, code, message),
        status,
        code,
        _seconds(reply.headers.get("retry-after")),
        request_id,
    )


def _where_to_look(status: int, code: str, message: str) -> str:
    """Suggests the wrong setting, where the service, or a gateway before it, cannot name it."""
    if status == 401 and code == "unauthorized":
        return " Check LOSSLESS_API_KEY and LOSSLESS_URL, or sign in with `lossless login`."
    if status == 404 and message in ("HTTP 404", "There is nothing at this address."):
        return " Is LOSSLESS_URL the address of the service?"
    return ""


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        return max(0.0, _time_ms(text) / 1000 - time.time())


def _time_ms(text: str | None) -> int:
    """Parses the time of an HTTP date; our own when there is none."""
    try:
        return int(email.utils.parsedate_to_datetime(text or "").timestamp() * 1000)
    except ValueError:
        return int(time.time() * 1000)
