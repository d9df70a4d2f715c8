"""Runs of projects of W&B's service."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..._ground.errors import LosslessError
from ..kept_files import KeptFiles
from ..source import SourceRun
from . import queries
from .graphql import GraphQl
from .run import WandbServiceRun

_URL = "https://api.wandb.ai"
_PER_PAGE = 100


class WandbService:
    # Its points have other ids than those of offline runs.
    format = "wandb-service"
    title = "W&B"

    def __init__(self, names: list[str], is_dry: bool) -> None:
        self._names = names
        self._is_dry = is_dry
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        key = os.environ.get("WANDB_API_KEY")
        if not key:
            raise LosslessError("a key of W&B's service is needed: set WANDB_API_KEY")
        graphql = GraphQl(os.environ.get("WANDB_BASE_URL") or _URL, key)
        kept = KeptFiles()
        found: list[SourceRun] = []
        for name in self._names:
            entity, project, run_id = _parts(name)
            ids = [run_id] if run_id else self._ids(graphql, entity, project)
            found += [WandbServiceRun(graphql, entity, project, each, kept, self._is_dry) for each in ids]
        return found

    def _ids(self, graphql: GraphQl, entity: str, project: str) -> list[str]:
        if graphql.ask(queries.RUNS, entity=entity, project=project, perPage=1).get("project") is None:
            raise LosslessError(f"W&B's service has no project {entity}/{project} that this key may read")
        nodes = graphql.pages(
            queries.RUNS, ("project", "runs"), entity=entity, project=project, perPage=_PER_PAGE, order="+created_at"
        )
        return [str(node["name"]) for node in nodes]


def _parts(name: str) -> tuple[str, str, str]:
    parts = [part for part in name.strip("/").split("/") if part]
    # An address of the pages is `ENTITY/PROJECT/runs/ID`.
    if len(parts) == 4 and parts[2] == "runs":
        parts.pop(2)
    if len(parts) not in (2, 3):
        raise LosslessError(f"{name} is neither ENTITY/PROJECT nor ENTITY/PROJECT/RUN of W&B's service")
    return parts[0], parts[1], parts[2] if len(parts) == 3 else ""
