"""Downloaded and unpacked files of one run at a time, until the next one is read."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path


class KeptFiles:
    def __init__(self) -> None:
        # Removed when this object goes, at the latest with the process.
        self._root = tempfile.TemporaryDirectory(prefix="lossless-import-")
        self._of = ""

    def of(self, key: str) -> Path:
        """Returns the directory of a run; that of the run before it is removed."""
        directory = Path(self._root.name, hashlib.sha256(key.encode()).hexdigest()[:16])
        if key != self._of:
            for other in Path(self._root.name).iterdir():
                shutil.rmtree(other, ignore_errors=True)
            directory.mkdir()
            self._of = key
        return directory
