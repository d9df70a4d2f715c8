import type { ExperimentArtifactsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { unfinished } from "../artifacts/rows/upload.ts";
import type { Reader } from "../database/database.ts";
import { SqlText } from "./table/sql-text.ts";

type Version = ExperimentArtifactsReply["versions"][number];
type Upload = ExperimentArtifactsReply["uploads"][number];

interface OfExperiment {
  organizationId: string;
  experimentId: string;
}

/**
 * `views.experimentArtifacts`: the artifacts that an experiment of the organization wrote, newest
 * first.
 */
export async function readExperimentArtifacts(
  reader: Reader,
  { organizationId, experimentId }: OfExperiment,
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
  const uploads = await readUploads(reader, { organizationId, experimentId });
  return { versions: rows.slice(0, limits.experimentVersionsMax), truncated, uploads };
}

/**
 * The uploads under way whose meta names the experiment. Which one a version has is remembered when
 * it is committed; until then the metas say it, of which those without its slug are not read.
 */
async function readUploads(
  reader: Reader,
  { organizationId, experimentId }: OfExperiment,
): Promise<Upload[]> {
  const experiment = await reader.get<{ slug: string }>(
    "SELECT slug FROM experiment WHERE organization = $1 AND id = $2 AND trashed_at_ms IS NULL",
    organizationId,
    experimentId,
  );
  if (experiment === undefined) return [];
  const { slug } = experiment;
  const text = new SqlText([organizationId]);
  const isNamed = text.like(reader, "upload.meta", longestPlain(slug));
  const rows = await reader.all<Upload & { meta: string }>(
    `SELECT artifact.path AS artifact, upload.version, upload.id AS upload,
       upload.created_at_ms AS "beganAtMs", upload.bytes, upload.files, upload.meta
     FROM upload JOIN artifact ON artifact.id = upload.artifact
     WHERE upload.organization = $1 AND upload.state IN ${unfinished} AND ${isNamed}
     ORDER BY upload.created_at_ms DESC, upload.id DESC LIMIT ${limits.uploadsLookedAtMax}`,
    ...text.values,
  );
  return rows
    .filter(({ meta }) => (JSON.parse(meta) as { experiment?: unknown }).experiment === slug)
    .slice(0, limits.experimentUploadsMax)
    .map(({ artifact, version, upload, beganAtMs, bytes, files }) => {
      return { artifact, version, upload, beganAtMs, bytes, files };
    });
}

/** The longest piece of a text that JSON does not escape, whoever writes it. */
function longestPlain(text: string): string {
  const pieces = text.split(/["\\/*]|[^\x20-\x7e]/);
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), "");
}
