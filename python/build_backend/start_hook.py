"""
The build backend of the packages here: flit's, whose wheels also get the .pth files beside
pyproject.toml. Python runs these when it starts; flit puts no file beside a package.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path
from typing import Any

from flit_core import buildapi

build_sdist = buildapi.build_sdist
get_requires_for_build_editable = buildapi.get_requires_for_build_editable
get_requires_for_build_sdist = buildapi.get_requires_for_build_sdist
get_requires_for_build_wheel = buildapi.get_requires_for_build_wheel
prepare_metadata_for_build_editable = buildapi.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = buildapi.prepare_metadata_for_build_wheel


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    return _with_hooks(directory, buildapi.build_wheel(directory, settings, metadata))


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    return _with_hooks(directory, buildapi.build_editable(directory, settings, metadata))


def _with_hooks(directory: str, name: str) -> str:
    """Adds the files to the wheel and to its list of files, with times and modes of flit's own."""
    hooks = {path.name: path.read_bytes() for path in sorted(Path.cwd().glob("*.pth"))}
    wheel = Path(directory, name)
    with zipfile.ZipFile(wheel) as archive:
        entries = [(entry, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries:
            if entry.filename.endswith(".dist-info/RECORD"):
                for hook, text in hooks.items():
                    archive.writestr(_like(entry, hook), text)
                content = "".join(_line(*each) for each in hooks.items()).encode() + content
            archive.writestr(entry, content)
    return name


def _like(entry: zipfile.ZipInfo, name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, entry.date_time)
    made.external_attr, made.compress_type = entry.external_attr, entry.compress_type
    return made


def _line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(content)}\n"
