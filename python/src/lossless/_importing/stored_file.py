"""A medium whose file lies in the source; it is read when it is sent."""

from __future__ import annotations

import os
from pathlib import Path

from .._media.media import Media

_ENDS = {
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".gif": "image",
    ".webp": "image",
    ".bmp": "image",
    ".svg": "image",
    ".mp4": "video",
    ".webm": "video",
    ".wav": "audio",
    ".mp3": "audio",
    ".ogg": "audio",
    ".flac": "audio",
    ".html": "html",
}
_BEGINS = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif"}


class FileMedia(Media):
    def __init__(
        self,
        kind: str,
        path: Path,
        end: str | None = None,
        size: tuple[int, int] | None = None,
        caption: str | None = None,
    ) -> None:
        super().__init__(path, caption=caption)
        self._kind = kind
        self._path = path
        self._end = path.suffix.lower() if end is None else end
        self._size = size

    def _file(self) -> tuple[bytes, str]:
        return self._path.read_bytes(), self._end


def kind_of_file(path: Path, name: str | None = None) -> tuple[str, str] | None:
    """
    Returns the kind of a medium and the end of its name, by its name or its first bytes. None: it
    is none.
    """
    end = Path(name or path.name).suffix.lower()
    if end in _ENDS:
        return _ENDS[end], end
    with open(path, "rb") as file:
        begin = file.read(8)
    return next((("image", each) for known, each in _BEGINS.items() if begin.startswith(known)), None)


class BytesMedia(Media):
    """A medium that the source gives as bytes."""

    def __init__(self, kind: str, content: bytes, end: str, caption: str | None = None) -> None:
        super().__init__(content, caption=caption)
        self._kind = kind
        self._content = content
        self._end = end

    def _file(self) -> tuple[bytes, str]:
        return self._content, self._end


def is_inside(path: Path, directory: Path) -> bool:
    """Whether the file lies in the directory, after all links, which may lead anywhere."""
    return os.path.realpath(path).startswith(os.path.realpath(directory) + os.sep)
