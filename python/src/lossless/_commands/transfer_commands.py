"""
`lossless push` and `lossless pull` of the Python package: artifacts for machines with only pip.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._ground.errors import LosslessError

if TYPE_CHECKING:
    from .._artifacts.restore import LoadedVersion
    from .._artifacts.versions import SavedVersion

COMMANDS = ("push", "pull")


def add_commands(commands: Any) -> None:
    """Adds the commands. Options are named as in the service's own command line, which has more."""
    push = commands.add_parser("push", help="store files as a new version of an artifact")
    push.add_argument("path", type=Path, metavar="DIR|FILE", help="the file or directory to store")
    push.add_argument("artifact", help="path of the artifact")
    push.add_argument("--version", help="name of the version; by default the number above the latest one")
    push.add_argument(
        "--meta",
        action="append",
        default=[],
        metavar="K=V",
        help="an entry of the version's meta, as JSON if V is JSON, otherwise as text; may be repeated",
    )
    push.add_argument("--take-over", action="store_true", help="start over although an earlier push was superseded")
    pull = commands.add_parser("pull", help="fetch a version of an artifact")
    pull.add_argument("artifact", help="path of the artifact")
    pull.add_argument("directory", nargs="?", metavar="DIR", help="by default the last part of the artifact's path")
    pull.add_argument("--version", default="latest", help="name or number of the version (latest)")
    pull.add_argument("--force", action="store_true", help="replace DIR as a whole if it exists")
    pull.add_argument("--no-verify", action="store_true", help="do not compare checksums")
    for command in (push, pull):
        command.add_argument("--parallel", type=_count, default=8, metavar="N", help="transfers at once (8)")
        command.add_argument("--url", help="address of the service (LOSSLESS_URL)")
        command.add_argument("--api-key", help="organization API key (LOSSLESS_API_KEY, which other users cannot see)")
        command.add_argument("--json", action="store_true", help="answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    try:
        done = _push(arguments) if arguments.command == "push" else _pull(arguments)
    except KeyboardInterrupt:
        # Both sides keep what has arrived.
        print("lossless: stopped; run the same command again to resume", file=sys.stderr)
        return 130
    except OSError as error:
        raise LosslessError(str(error)) from error
    if arguments.json:
        print(json.dumps(dataclasses.asdict(done), default=_plain, indent=2))
        return 0
    count = f"{done.files:,} {'file' if done.files == 1 else 'files'}, {done.bytes:,} bytes"
    again = ", resumed" if done.resumed else ""
    print(f"{_shown(done.artifact)} {done.version} is {_outcome(done)}: {count}{again}")
    if warning := getattr(done, "warning", None):
        print(f"lossless: {warning}", file=sys.stderr)
    return 0


def _push(arguments: argparse.Namespace) -> SavedVersion:
    from .._artifacts.versions import save_artifact

    return save_artifact(
        arguments.path,
        arguments.artifact,
        arguments.version,
        meta=dict(_entry(text) for text in arguments.meta),
        take_over=arguments.take_over,
        parallel=arguments.parallel,
        url=arguments.url,
        api_key=arguments.api_key,
    )


def _pull(arguments: argparse.Namespace) -> LoadedVersion:
    from .._artifacts.versions import load_artifact

    def load(version: str | int) -> LoadedVersion:
        return load_artifact(
            arguments.artifact,
            arguments.directory or arguments.artifact.rpartition("/")[2],
            version,
            replace=arguments.force,
            verify=not arguments.no_verify,
            parallel=arguments.parallel,
            url=arguments.url,
            api_key=arguments.api_key,
        )

    named: str = arguments.version
    try:
        return load(named)
    except LosslessError as error:
        # `--version 1` is 000000000001, unless a version is called 1.
        if getattr(error, "code", None) != "not_found" or not named.isdecimal():
            raise
        return load(int(named))


def _entry(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise LosslessError(f"--meta must be K=V, not {text!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 64, not {text!r}")
    return int(text)


def _outcome(done: SavedVersion | LoadedVersion) -> str:
    directory = getattr(done, "directory", None)
    if directory is None:
        return "stored"
    checked = "checksums right" if getattr(done, "verified", False) else "checksums not checked"
    return f"in {_shown(os.fspath(directory))}, {checked}"


def _plain(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else dict(value)


def _shown(text: str) -> str:
    """The text without control characters, which no terminal may get: names may contain any."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
