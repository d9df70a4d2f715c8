"""Parts of endpoint addresses; the endpoints are in endpoints.py."""

from __future__ import annotations

from urllib.parse import quote

from .errors import LosslessError

Endpoint = tuple[str, str]
"""Method and address."""


def segment(value: str) -> str:
    """Escapes a segment of a path."""
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise LosslessError("a name is not well-formed Unicode") from None


def address(path: str, **query: str | None) -> str:
    pairs = [f"{name}={segment(value)}" for name, value in query.items() if value is not None]
    return f"{path}?{'&'.join(pairs)}" if pairs else path


def experiment_page(url: str, slug: str) -> str:
    """Address of an experiment's page, whether or not the service has the experiment yet."""
    return url.rstrip("/") + "/go?slug=" + quote(slug, safe="/", errors="replace")


def project_page(url: str, project: str) -> str:
    """Address of the page with the experiments whose slugs begin with the project."""
    page = url.rstrip("/") + "/experiments"
    if not project:
        return page
    pattern = project.replace("\\", "\\\\").replace('"', '\\"')
    return f"{page}?q=" + quote(f'slug ~ "{pattern}/*"', safe="/", errors="replace")
