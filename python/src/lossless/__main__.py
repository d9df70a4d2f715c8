"""`python -m lossless`, and the command `lossless` of this package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ._errors import LosslessError
from ._settings import settings_of
from ._version import __version__


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="lossless", description="Records machine-learning experiments.")
    parser.add_argument("--version", action="version", version=f"lossless {__version__} (Python)")
    commands = parser.add_subparsers(dest="command", required=True)
    sync = commands.add_parser("sync", help="send what recordings have left on this machine")
    sync.add_argument("directory", nargs="*", type=Path, help="one recording, or a directory of them; all by default")
    sync.add_argument("--url", help="address of the service (LOSSLESS_URL; else where it was recorded for)")
    sync.add_argument("--api-key", help="organization API key (LOSSLESS_API_KEY, which other users cannot see)")
    sync.add_argument("--patience", type=float, default=60.0, help="seconds to wait for a service that is down (60)")
    sync.add_argument("--list", action="store_true", help="only say what is left")
    imports = commands.add_parser("import", help="import what another tool has recorded").add_subparsers(
        dest="source", required=True
    )
    tensorboard = imports.add_parser("tensorboard", help="import event files; each run becomes an experiment")
    tensorboard.add_argument("directory", type=Path, help="the directory that tensorboard --logdir would get")
    tensorboard.add_argument(
        "--project", help="what the experiments' names begin with; the directory's name by default"
    )
    tensorboard.add_argument("--follow", action="store_true", help="go on with what is written, until Ctrl-C")
    tensorboard.add_argument("--url", help="address of the service (LOSSLESS_URL)")
    tensorboard.add_argument("--api-key", help="organization API key (LOSSLESS_API_KEY, which other users cannot see)")
    tensorboard.add_argument("--patience", type=float, default=60.0, help="seconds to wait for a service that is down")
    arguments = parser.parse_args(words)
    try:
        return _import(arguments) if arguments.command == "import" else _sync(arguments)
    except LosslessError as error:
        print(f"lossless: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _import(arguments: argparse.Namespace) -> int:
    from ._tensorboard import import_tensorboard

    settings = settings_of(arguments.url, arguments.api_key)
    is_whole = import_tensorboard(
        arguments.directory,
        arguments.project,
        settings,
        sys.stdout,
        follow=arguments.follow,
        patience=arguments.patience,
    )
    return 0 if is_whole else 1


def _sync(arguments: argparse.Namespace) -> int:
    from ._sync import spools, sync

    settings = settings_of(arguments.url, arguments.api_key)
    found = [spool for root in arguments.directory or [settings.spool] for spool in spools(root)]
    if not found:
        print("nothing is left to send")
        return 0
    if arguments.list:
        for spool in found:
            print(spool)
        return 0
    if settings.credential is None:
        raise LosslessError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
    return 1 if sync(found, settings, sys.stdout, arguments.patience, arguments.url) else 0


if __name__ == "__main__":
    sys.exit(main())
