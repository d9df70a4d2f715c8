import type { LineageLink } from "@lossless/client";
import { lineageAddress } from "../lineage/lineage-address.ts";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { useRead } from "../../parts/use-read.ts";
import { countText, durationText, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  experimentId: string;
}

/** Milliseconds between looks for new ones. */
const lookEveryMs = 15_000;

/** Versions of artifacts that the run used, deleted ones by their names; a link to its lineage. */
export function UsedInputs({ service, experimentId }: Props) {
  const { found } = useRead(
    (stopped) => service.client.lineage.ofRun(experimentId, stopped),
    [experimentId],
    lookEveryMs,
  );
  const versions = found?.inputs.filter(({ node }) => node.kind === "version") ?? [];
  if (found === undefined || found.inputs.length + found.outputs.length === 0) return null;
  const graph = <a href={lineageAddress({ run: experimentId })}>lineage</a>;
  if (versions.length === 0) return <p class="written-part">{graph}</p>;
  return (
    <section class="written-part" aria-label="Used by the run">
      <h2>
        Used by the run{" "}
        <span class="count">{countText(versions.length + found.inputsLeftOut)}</span> {graph}
      </h2>
      <ul class="written-versions used">
        {versions.map((link) => (
          <Used key={`${link.node.id} ${link.role}`} {...link} />
        ))}
      </ul>
    </section>
  );
}

const states = { trashed: "in the trash", deleted: "deleted", unknown: "not here" };

function Used({ node: { name, version = "", state }, role, named, atMs }: LineageLink) {
  return (
    <li>
      <span class="name">
        {state === "present" ? (
          <>
            <a href={artifactAddress(name)}>{name}</a>{" "}
            <a href={artifactAddress(name, { version })}>{version}</a>
          </>
        ) : (
          <>
            <bdi>{name}</bdi> {version} <em>{states[state]}</em>
          </>
        )}
      </span>
      <span class="count">
        {[role && `as ${role}`, named && `asked for as ${named}`].filter(Boolean).join(", ")}
      </span>
      {atMs !== null && (
        <time dateTime={new Date(atMs).toISOString()} title={timeText(atMs)}>
          {durationText(Date.now() - atMs)} ago
        </time>
      )}
    </li>
  );
}
