import type { AttributesResultData, ExperimentArtifactsReply } from "@lossless/client";
import { Age } from "../../../parts/age.tsx";
import { artifactAddress } from "../../../parts/artifact-address.ts";
import { bytesText, countedText, countText, leastText } from "../../../parts/words.ts";
import { tabAddress } from "../tabs.ts";
import { Card } from "./card.tsx";

interface Props {
  experimentId: string;
  /** Undefined while they are read. */
  written: ExperimentArtifactsReply | undefined;
  models: AttributesResultData["models"];
}

/** Artifacts listed at most, and uploads. */
const listedMax = 6;

/** The latest version of each artifact that the run wrote, and uploads under way. */
export function ArtifactsCard({ experimentId, written, models }: Props) {
  if (written === undefined) return null;
  const { versions, truncated, uploads } = written;
  const latest = [...Map.groupBy(versions, ({ artifact }) => artifact).values()];
  if (latest.length + uploads.length + models.length === 0) return null;
  return (
    <Card
      title="Artifacts"
      actions={
        <a href={tabAddress(experimentId, "artifacts")}>
          {versions.length > listedMax
            ? `all ${leastText(versions.length, truncated)}`
            : "show all"}
        </a>
      }
    >
      <ul class="written-last">
        {uploads.slice(0, listedMax).map(({ upload, artifact, version, bytes, beganAtMs }) => (
          <li key={upload}>
            <a href={artifactAddress(artifact)}>{artifact}</a>
            <span class="count">
              <span class="warn">uploading</span> {version}, {bytesText(bytes)}, began{" "}
              <Age at={new Date(beganAtMs).toISOString()} />
            </span>
          </li>
        ))}
        {latest.slice(0, listedMax).map(([newest, ...older]) => (
          <li key={newest.artifact}>
            <a href={artifactAddress(newest.artifact, { version: newest.version })}>
              {newest.artifact}
            </a>
            <span class="count">
              {newest.version}
              {newest.step !== null && `, step ${countText(newest.step)}`},{" "}
              {bytesText(newest.bytes)}
              {", "}
              <Age at={new Date(newest.committedAtMs).toISOString()} />
              {older.length > 0 && `, ${countText(older.length)} older`}
            </span>
          </li>
        ))}
      </ul>
      {latest.length > listedMax && (
        <p class="count">and {countedText(latest.length - listedMax, "more artifact")}</p>
      )}
      {models.length > 0 && <p class="count">{countedText(models.length, "logged model")}</p>}
    </Card>
  );
}
