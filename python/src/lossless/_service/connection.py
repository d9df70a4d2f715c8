"""Connections to services and stores, through the environment's proxies as in curl."""

from __future__ import annotations

import base64
import http.client
import ipaddress
import ssl
import urllib.parse
import urllib.request

from .._ground.errors import SettingsError
from .._ground.settings import is_loopback

_PORTS = {"http": 80, "https": 443}


def connection_to(
    parts: urllib.parse.SplitResult, timeout: float, block_bytes: int = 16_384
) -> http.client.HTTPConnection:
    """
    Returns a connection, not yet open. Addresses of https are reached through a proxy's tunnel;
    those of http are requested from the proxy itself, since few allow tunnels to other ports than
    that of https. Raises SettingsError.
    """
    host, scheme = parts.hostname or "", parts.scheme
    port = parts.port or _PORTS[scheme]
    context = ssl.create_default_context() if scheme == "https" else None
    proxy = None if _is_direct(host, port) else urllib.request.getproxies().get(scheme)
    if not proxy:
        return _plain_or_secure(host, port, timeout, context, block_bytes)
    at = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if at.scheme not in _PORTS or not at.hostname:
        # Not shown in full: the address may contain a password.
        raise SettingsError(f"the proxy {at.hostname or ''} of {scheme}_proxy is not an HTTP proxy")
    proxy_port = at.port or _PORTS[at.scheme]
    headers = _authorization(at)
    if context is not None:
        connection = _plain_or_secure(at.hostname, proxy_port, timeout, context, block_bytes)
        connection.set_tunnel(host, port, headers)
        return connection
    if at.scheme == "https":
        own = ssl.create_default_context()
        asked: _AskedFor = _SecurelyAsked(at.hostname, proxy_port, timeout=timeout, context=own, blocksize=block_bytes)
    else:
        asked = _AskedFor(at.hostname, proxy_port, timeout=timeout, blocksize=block_bytes)
    asked.origin = f"http://{parts.netloc.rpartition('@')[2]}"
    asked.proxy_headers = headers
    return asked


class _AskedFor(http.client.HTTPConnection):
    """A connection to a proxy that is asked for another host's content."""

    origin = ""
    proxy_headers: dict[str, str] = {}

    def putrequest(self, method: str, url: str, skip_host: bool = False, skip_accept_encoding: bool = False) -> None:
        super().putrequest(method, f"{self.origin}{url}", skip_host, skip_accept_encoding)
        for name, value in self.proxy_headers.items():
            self.putheader(name, value)


class _SecurelyAsked(_AskedFor, http.client.HTTPSConnection):
    pass


def _authorization(proxy: urllib.parse.SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    words = f"{urllib.parse.unquote(proxy.username)}:{urllib.parse.unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(words.encode()).decode()}"}


def _is_direct(host: str, port: int) -> bool:
    """
    Whether a host is reached directly: this machine, or one that no_proxy covers by name, domain or
    network.
    """
    if is_loopback(host) or urllib.request.proxy_bypass(f"{host}:{port}"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(_is_in(address, each.strip()) for each in urllib.request.getproxies().get("no", "").split(","))


def _is_in(address: ipaddress.IPv4Address | ipaddress.IPv6Address, network: str) -> bool:
    try:
        return "/" in network and address in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _plain_or_secure(
    host: str, port: int, timeout: float, context: ssl.SSLContext | None, block_bytes: int
) -> http.client.HTTPConnection:
    if context is None:
        return http.client.HTTPConnection(host, port, timeout=timeout, blocksize=block_bytes)
    return http.client.HTTPSConnection(host, port, timeout=timeout, context=context, blocksize=block_bytes)
