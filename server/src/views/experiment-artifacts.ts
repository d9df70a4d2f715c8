import type { ExperimentArtifactsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";

type Version = ExperimentArtifactsReply["versions"][number];

/**
 * `views.experimentArtifacts`: the artifacts that an experiment of the organization wrote, newest
 * first.
 */
export async function readExperimentArtifacts(
  reader: Reader,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
): Promise<ExperimentArtifactsReply> {
  const rows = await reader.all<Version>(
    `SELECT artifact.path AS artifact, version.name AS version, written.step,
       version.committed_at_ms AS "committedAtMs", version.bytes, version.files, version.epoch
     FROM version_experiment AS written
     JOIN artifact ON artifact.id = written.artifact
     JOIN version ON version.artifact = written.artifact AND version.name = written.version
     WHERE written.organization = $1 AND written.experiment = $2
     ORDER BY version.committed_at_ms DESC, artifact.path, version.name DESC LIMIT $3`,
    organizationId,
    experimentId,
    limits.experimentVersionsMax + 1,
  );
  const truncated = rows.length > limits.experimentVersionsMax;
  return { versions: rows.slice(0, limits.experimentVersionsMax), truncated };
}
