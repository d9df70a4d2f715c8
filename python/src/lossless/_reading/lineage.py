"""Versions, data sets and models that runs used and made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._ground import endpoints
from .aliases import Ask

if TYPE_CHECKING:
    from ..wire import RecordedUse, RunLineage, VersionLineage


def run_lineage(ask: Ask, experiment_id: str) -> RunLineage:
    found: RunLineage = ask(*endpoints.read_run_lineage(experimentId=experiment_id), None)
    return found


def version_lineage(ask: Ask, artifact: str, version: str) -> VersionLineage:
    found: VersionLineage = ask(*endpoints.read_version_lineage(artifact=artifact, version=version), None)
    return found


def use_recorded(ask: Ask, experiment_id: str, artifact: str, version: str, role: str) -> RecordedUse:
    body = {"experimentId": experiment_id, "artifact": artifact, "version": version, "role": role}
    recorded: RecordedUse = ask(*endpoints.record_use(), body)
    return recorded
