import type { Annotation, ExperimentArtifactsReply } from "@lossless/client";
import type { PageProps } from "../../page.ts";
import { GuestVersions } from "../../guests/guest-versions.tsx";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { Copy } from "../../parts/copy.tsx";
import { pullCommand } from "../../parts/shell-word.ts";
import type { Attributes } from "./use-attributes.ts";
import { RunFiles } from "./run-files.tsx";
import { RunModels } from "./run-models.tsx";
import { UsedInputs } from "./used-inputs.tsx";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";

/**
 * Versions listed at most: more would be slow to lay out, and an artifact's page has all of them.
 */
const versionsShown = 500;

interface Props extends PageProps {
  experimentId: string;
  /** Undefined while they are read. */
  written: ExperimentArtifactsReply | undefined;
  attributes: Attributes;
  annotations: readonly Annotation[] | undefined;
}

/** Versions written by the experiment, and files and models written by MLflow's clients. */
export function ArtifactsTab(props: Props) {
  const { experimentId, written, attributes, annotations, service, location } = props;
  const { found, revision } = attributes;
  const isRun = found !== undefined && found.run !== null;
  const shared = { service, location };
  return (
    <>
      {service.visit === undefined ? (
        <Versions written={written} isRun={isRun} />
      ) : (
        <GuestVersions
          service={service}
          versions={written?.versions.slice(0, versionsShown) ?? []}
        />
      )}
      {service.visit === undefined && (
        <UsedInputs {...{ service, experimentId, annotations }} attributes={found} />
      )}
      {isRun && (
        <div class="written-part">
          <RunFiles
            {...shared}
            revision={revision}
            owner={experimentId}
            empty="The run has no files."
          />
        </div>
      )}
      {found !== undefined && service.visit === undefined && (
        <RunModels {...shared} models={found.models} />
      )}
    </>
  );
}

/** Versions, newest first. */
function Versions({ written, isRun }: Pick<Props, "written"> & { isRun: boolean }) {
  if (written === undefined) return <p class="waiting">…</p>;
  const { versions, truncated } = written;
  if (versions.length === 0) {
    return isRun ? null : (
      <p class="waiting">
        No artifacts yet. Versions whose meta names this experiment appear here. The clients of
        Lossless write that meta automatically.
      </p>
    );
  }
  const isCut = truncated || versions.length > versionsShown;
  return (
    <>
      {isCut && (
        <p class="count">
          Showing the newest {countText(Math.min(versions.length, versionsShown))} of{" "}
          {truncated ? "more than " : ""}
          {countText(versions.length)}.
        </p>
      )}
      <ul class="written-versions">
        {versions.slice(0, versionsShown).map((one) => (
          <Version key={`${one.artifact} ${one.version}`} {...one} />
        ))}
      </ul>
    </>
  );
}

function Version(one: ExperimentArtifactsReply["versions"][number]) {
  const { artifact, version, step, committedAtMs, bytes, files } = one;
  const command = pullCommand(artifact, version);
  return (
    <li>
      <span class="name">
        <a href={artifactAddress(artifact)}>{artifact}</a>{" "}
        <a href={artifactAddress(artifact, { version })}>{version}</a>
      </span>
      <span>{step !== null && `step ${countText(step)}`}</span>
      <span>
        {bytesText(bytes)} in {countedText(files, "file")}
      </span>
      <time dateTime={new Date(committedAtMs).toISOString()} title={timeText(committedAtMs)}>
        {durationText(Date.now() - committedAtMs)} ago
      </time>
      <code>{command}</code>
      <Copy text={command} label="copy command" />
    </li>
  );
}
