"""`lossless import SOURCE` of the Python package, by the pipeline of _importing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .._ground.settings import settings_of

# Words after `import`, and what they say of themselves.
SOURCES = {
    "aim": ("import Aim's repositories, by its package", "directories with .aim in them"),
    "clearml": (
        "import ClearML's offline sessions, without its package",
        "files offline-….zip, their directories, or the directory of all (~/.clearml/cache/offline)",
    ),
    "comet": (
        "import Comet's offline archives, without its package",
        "files KEY.zip, or the directory of them (~/.cometml-runs)",
    ),
    "neptune": (
        "import runs that neptune-exporter has written",
        "the directory with data and files in it, or a part RUN_part_0.parquet",
    ),
    "swanlab": (
        "import SwanLab's runs on this machine, without its package",
        "the directory `swanlog`, a run in it, or a .swanlab file",
    ),
    "tables": (
        "import CSV, TSV, JSON lines and Parquet of any form, and DVCLive's directories",
        "files, or directories of them",
    ),
    "trackio": ("import Trackio's projects", "a file PROJECT.db, or the directory of all projects"),
    "wandb": (
        "import W&B's offline runs, or those of its service, without its package",
        "the directory `wandb`, a run in it, or a .wandb file",
    ),
}


def add_sources(imports: Any) -> None:
    for name, (help, paths) in SOURCES.items():
        command = imports.add_parser(name, help=help)
        command.add_argument("path", nargs="+", type=Path, help=paths)
        if name == "tables":
            command.add_argument("--step-column", metavar="NAME", help="the column with the steps; found by its name")
        if name == "wandb":
            command.add_argument(
                "--service",
                action="store_true",
                help="paths are ENTITY/PROJECT or ENTITY/PROJECT/RUN of W&B's service; its key is WANDB_API_KEY",
            )
        command.add_argument("--prefix", default="", help="put before the names of the experiments")
        command.add_argument("--folder", default="", help="folder of new experiments, names joined by slashes")
        command.add_argument("--dry-run", action="store_true", help="only read, and say what would be imported")
        command.add_argument("--no-files", action="store_true", help="leave out files and artifacts")
        command.add_argument("--report", type=Path, metavar="FILE", help="write the whole comparison as JSON")
        command.add_argument("--url", help="address of the service (LOSSLESS_URL)")
        command.add_argument("--api-key", help="organization API key (LOSSLESS_API_KEY, which other users cannot see)")
        command.add_argument(
            "--patience", type=float, default=60.0, help="seconds to wait for a service that is down (60)"
        )


def import_from(arguments: argparse.Namespace) -> int:
    from .._importing.importer import Options, import_source

    folder = tuple(name for name in arguments.folder.split("/") if name)
    options = Options(
        prefix=arguments.prefix,
        folder=folder,
        is_dry=arguments.dry_run,
        with_files=not arguments.no_files,
        report=arguments.report,
        patience=arguments.patience,
    )
    settings = settings_of(arguments.url, arguments.api_key)
    try:
        return 0 if import_source(_source(arguments), settings, options, sys.stdout) else 1
    except OSError as error:
        raise LosslessError(str(error)) from error


def _source(arguments: argparse.Namespace) -> Any:
    if arguments.source == "aim":
        from .._importing.aim_repositories.source import AimRepositories

        return AimRepositories(arguments.path)
    if arguments.source == "clearml":
        from .._importing.clearml_sessions.source import ClearmlSessions

        return ClearmlSessions(arguments.path)
    if arguments.source == "comet":
        from .._importing.comet_archives.source import CometArchives

        return CometArchives(arguments.path)
    if arguments.source == "neptune":
        from .._importing.neptune_exports.source import NeptuneExport

        return NeptuneExport(arguments.path)
    if arguments.source == "swanlab":
        from .._importing.swanlab_runs.source import SwanlabDirectory

        return SwanlabDirectory(arguments.path)
    if arguments.source == "tables":
        from .._importing.table_files.source import TableFiles

        return TableFiles(arguments.path, arguments.step_column)
    if arguments.source == "trackio":
        from .._importing.trackio_projects.source import TrackioDirectory

        return TrackioDirectory(arguments.path)
    if arguments.service:
        from .._importing.wandb_service.source import WandbService

        return WandbService([str(path) for path in arguments.path], arguments.dry_run)
    from .._importing.wandb_runs.source import WandbDirectory

    return WandbDirectory(arguments.path)
