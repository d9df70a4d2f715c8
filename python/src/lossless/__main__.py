"""
`python -m lossless`, and the command `lossless` of this package.

The service's own command line (Node) is called `lossless` too, and has many more commands.
Whichever comes first on the PATH, all commands work: those missing here are handed on.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ._commands.calm_output import calm_output
from ._commands.import_commands import SOURCES, add_sources, import_from
from ._commands.transfer_commands import COMMANDS, add_commands, run
from ._ground.errors import LosslessError
from ._ground.settings import settings_of
from ._ground.version import __version__

_ELSEWHERE = "lossless login, serve, experiments and all other commands are the service's own command line (Node)"
# Set for the other command, so that two of this kind do not hand a command to each other.
_HANDED_OVER = "LOSSLESS_HANDED_OVER"


def main(words: list[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["run"]:
        from ._commands.run_command import run_program

        # Outside the rest: the program has the streams of this process, and what it raises.
        return run_program(words[1:])
    with calm_output():
        return _main(words)


def _main(words: list[str]) -> int:
    if _is_elsewhere(words):
        return _hand_over(words)
    parser = argparse.ArgumentParser(
        prog="lossless",
        description="Records machine-learning experiments.",
        epilog=f"{_ELSEWHERE}; where it is on the PATH this command hands them over to it.",
    )
    parser.add_argument("--version", action="version", version=f"lossless {__version__} (Python)")
    commands = parser.add_subparsers(dest="command", required=True)
    sync = commands.add_parser("sync", help="send recordings that wait on this machine")
    sync.add_argument("directory", nargs="*", type=Path, help="one recording, or a directory of them; all by default")
    sync.add_argument("--url", help="address to send to, instead of the one it was recorded for")
    sync.add_argument("--api-key", help="organization API key (LOSSLESS_API_KEY, which other users cannot see)")
    sync.add_argument("--patience", type=float, default=60.0, help="seconds to wait for a service that is down (60)")
    sync.add_argument("--slug", help="the experiment of one recording whose own note of it is lost")
    sync.add_argument("--list", action="store_true", help="only list what waits")
    commands.add_parser("run", help="run a Python program whose import wandb this package answers")
    imports = commands.add_parser("import", help="import what another tool has recorded").add_subparsers(
        dest="source", required=True
    )
    tensorboard = imports.add_parser("tensorboard", help="import event files; each run becomes an experiment")
    tensorboard.add_argument("directory", type=Path, help="the directory that tensorboard --logdir would get")
    tensorboard.add_argument("--project", help="beginning of the experiments' names; the directory's name by default")
    tensorboard.add_argument("--follow", action="store_true", help="keep reading new events, until Ctrl-C")
    tensorboard.add_argument("--url", help="address of the service (LOSSLESS_URL)")
    tensorboard.add_argument("--api-key", help="organization API key (LOSSLESS_API_KEY, which other users cannot see)")
    tensorboard.add_argument("--patience", type=float, default=60.0, help="seconds to wait for a service that is down")
    add_sources(imports)
    add_commands(commands)
    arguments = parser.parse_args(words)
    try:
        if arguments.command in COMMANDS:
            return run(arguments)
        return _import(arguments) if arguments.command == "import" else _sync(arguments)
    except LosslessError as error:
        print(f"lossless: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _is_elsewhere(words: Sequence[str]) -> bool:
    if not words or words[0].startswith("-") or words[0] in ("sync", *COMMANDS):
        return False
    if words[0] != "import":
        return True
    return len(words) > 1 and words[1] not in ("tensorboard", *SOURCES) and not words[1].startswith("-")


def _hand_over(words: Sequence[str]) -> int:
    command = None if os.environ.get(_HANDED_OVER) else _other_command()
    if command is None:
        print(
            f"lossless: no command {words[0]!r} in the Python package. {_ELSEWHERE}, and it is not "
            "on the PATH: run it "
            f"where the service was installed (npx lossless {words[0]} in its clone). "
            "A recording needs no sign-in where LOSSLESS_API_KEY is set.",
            file=sys.stderr,
        )
        return 2
    try:
        return subprocess.run([command, *words], env={**os.environ, _HANDED_OVER: "1"}).returncode
    except KeyboardInterrupt:
        return 130


def _other_command() -> str | None:
    """Returns the first `lossless` on the PATH that is not Python's."""
    for directory in os.get_exec_path():
        found = shutil.which("lossless", path=directory)
        if found is not None and not _is_python(found):
            return found
    return None


def _is_python(command: str) -> bool:
    """Whether pip installed it: it begins with an interpreter's path, or names this module."""
    try:
        content = Path(command).read_bytes()[:200_000]
    except OSError:
        return True
    return b"python" in content.split(b"\n", 1)[0].lower() or b"lossless.__main__" in content


def _import(arguments: argparse.Namespace) -> int:
    if arguments.source in SOURCES:
        return import_from(arguments)
    from ._tensorboard.importer import import_tensorboard

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
    from ._ground.ownership import NotOurs
    from ._sending.sync import spools, sync
    from ._spool.spool_roots import foreign, is_root, known

    settings = settings_of(arguments.url, arguments.api_key)
    for named in arguments.directory:
        if not named.is_dir():
            raise LosslessError(f"there is no directory {named}")
    spool = settings.spool if os.environ.get("LOSSLESS_SPOOL") else None
    usual = known() if spool is None else [spool]
    found: list[Path] = []
    skipped = 0

    def leave(reason: NotOurs) -> None:
        nonlocal skipped
        print(f"lossless: left alone: {reason}", file=sys.stderr)
        # Recordings of other users in a shared directory are no failure.
        skipped = skipped if reason.is_foreign else 1

    reason = None if arguments.directory or os.environ.get("LOSSLESS_SPOOL") else foreign()
    if reason is not None:
        leave(reason)
    for root in arguments.directory or usual:
        try:
            below = spools(root, leave)
            if arguments.directory and not below and not is_root(root, settings) and any(root.iterdir()):
                raise LosslessError(f"{root} has no recording, and none was sent from there")
            found += below
        except NotOurs as error:
            leave(error)
            skipped = 1
        except (OSError, ValueError) as error:
            # The others are sent nevertheless.
            print(f"lossless: {root} cannot be read and is skipped: {error}", file=sys.stderr)
            skipped = 1
    if not found:
        if not skipped:
            print("nothing waits to be sent")
        return skipped
    if arguments.list:
        for spool in found:
            print(spool)
        return skipped
    if arguments.slug is not None and len(found) != 1:
        raise LosslessError("--slug is for one recording: name its directory")
    if settings.credential is None:
        raise LosslessError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
    return 1 if sync(found, settings, sys.stdout, arguments.patience, arguments.url, arguments.slug) else skipped


if __name__ == "__main__":
    sys.exit(main())
