import type { Annotation, AttributesResultData, LineageLink, RunLineage } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { lineageAddress } from "../lineage/lineage-address.ts";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { persistently } from "../../parts/persistently.ts";
import { countText, durationText, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  experimentId: string;
  /** The page follows the experiment: its annotations announce what was used. */
  annotations: readonly Annotation[] | undefined;
  attributes: AttributesResultData | undefined;
}

const announcing = ["artifact", "artifact-used"];

/** Reads the lineage of a run, and again when something new is announced. */
function useRunLineage({
  service,
  experimentId,
  annotations,
  attributes,
}: Props): RunLineage | undefined {
  const [found, setFound] = useState<RunLineage>();
  const noted =
    annotations?.filter(({ meta }) => announcing.includes(meta["kind"] as string)) ?? [];
  const newest = noted[0]?.annotationId;
  const { datasets = [], models = [] } = attributes ?? {};
  useEffect(() => {
    const stopped = new AbortController();
    const read = (signal: AbortSignal) => service.client.lineage.ofRun(experimentId, signal);
    void persistently(read, stopped.signal).then((lineage) => lineage && setFound(lineage));
    return () => stopped.abort();
  }, [service, experimentId, newest, datasets.length, models.length]);
  return found;
}

/**
 * Versions of artifacts that the run used, deleted ones by their names; a link to its lineage.
 * Guests see names only: the pages behind the links are not for them.
 */
export function UsedInputs(props: Props) {
  const isGuest = props.service.visit !== undefined;
  const found = useRunLineage(props);
  const versions = found?.inputs.filter(({ node }) => node.kind === "version") ?? [];
  if (found === undefined || found.inputs.length + found.outputs.length === 0) return null;
  if (isGuest && versions.length === 0) return null;
  const graph = !isGuest && <a href={lineageAddress({ run: props.experimentId })}>lineage</a>;
  if (versions.length === 0) return <p class="written-part">{graph}</p>;
  return (
    <section class="written-part" aria-label="Used by the run">
      <h2>
        Used by the run{" "}
        <span class="count">{countText(versions.length + found.inputsLeftOut)}</span> {graph}
      </h2>
      <ul class="written-versions used">
        {versions.map((link) => (
          <Used key={`${link.node.id} ${link.role}`} {...link} isGuest={isGuest} />
        ))}
      </ul>
    </section>
  );
}

const states = { trashed: "in the trash", deleted: "deleted", unknown: "not here" };

function Used({ node, role, named, atMs, isGuest }: LineageLink & { isGuest: boolean }) {
  const { name, version = "", state } = node;
  return (
    <li>
      <span class="name">
        {state === "present" && !isGuest ? (
          <>
            <a href={artifactAddress(name)}>{name}</a>{" "}
            <a href={artifactAddress(name, { version })}>{version}</a>
          </>
        ) : (
          <>
            <bdi>{name}</bdi> {version} {state !== "present" && <em>{states[state]}</em>}
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
