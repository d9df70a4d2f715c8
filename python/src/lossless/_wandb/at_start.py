"""
Imported when Python starts, by the .pth files of the installed packages: of this one where
LOSSLESS_AS_WANDB is set, of lossless-as-wandb wherever it is not off.
"""

from __future__ import annotations

from .._ground.warning import say
from .door import is_wanted, stand_in

try:
    if is_wanted("1"):
        stand_in()
except Exception as error:
    # Python would print a traceback that names a .pth file.
    say(f"lossless: import wandb is not answered by Lossless: {error}")
