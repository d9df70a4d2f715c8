import type {
  Annotation,
  ChangedExperiment,
  ExperimentArtifactsReply,
  VersionAlias,
} from "@lossless/client";
import type { PageProps } from "../../page.ts";
import { GuestVersions } from "../../guests/guest-versions.tsx";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { Copy } from "../../parts/copy.tsx";
import { pullCommand } from "../../parts/shell-word.ts";
import { useRead } from "../../parts/use-read.ts";
import { usualMetric } from "../compare/difference/usual-metric.ts";
import { useFollowed } from "../compare/use-followed.ts";
import { numberText } from "../experiments/cell-text.ts";
import { AliasChips } from "../artifact/aliases.tsx";
import { Choose } from "./choose.tsx";
import { sectionsByName } from "./sections.ts";
import type { Attributes } from "./use-attributes.ts";
import { bestOf, readValuesAtSteps, type ValueAtStep } from "./values-at-steps.ts";
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
  state: ChangedExperiment;
  /** The metrics of the experiment. */
  seriesNames: readonly string[];
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
        <Versions {...props} isRun={isRun} />
      ) : (
        <GuestVersions
          service={service}
          versions={written?.versions.slice(0, versionsShown) ?? []}
        />
      )}
      <UsedInputs {...{ service, experimentId, annotations }} attributes={found} />
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
function Versions(props: Props & { isRun: boolean }) {
  const { written, isRun } = props;
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
      <WithValues {...props} versions={versions.slice(0, versionsShown)} />
    </>
  );
}

/** Artifacts whose aliases are read at most. */
const aliasedMax = 20;
/** Milliseconds between two looks: an alias is set after its version, and is moved. */
const aliasesMs = 10_000;

/** Metrics to choose from at most: more are slow in a list of the browser's. */
const choicesMax = 1_000;

/** Versions by artifact, and the value of a metric at each: a validation loss, or a chosen one. */
function WithValues(props: Props & Pick<ExperimentArtifactsReply, "versions">) {
  const { service, location, experimentId, state, seriesNames, versions } = props;
  const metric = location.parameter("value") ?? usualMetric(seriesNames)?.name;
  const steps = versions.flatMap(({ step }) => step ?? []);
  const { reply } = useFollowed(
    { experiments: [state] },
    JSON.stringify([metric, steps]),
    async (_, stopped) => {
      return {
        behind: 0,
        metric,
        values: await readValuesAtSteps(service, experimentId, metric, steps, stopped),
      };
    },
  );
  const aliases = useAliases(service, versions);
  // The reply of the metric before stands until the next one has come.
  const values = reply?.metric === metric ? reply?.values : undefined;
  const all = [...(values?.values() ?? [])].map(({ value }) => value);
  const best = metric === undefined ? undefined : bestOf(metric, all);
  const options = sectionsByName(seriesNames, true)
    .flatMap(({ series }) => series)
    .slice(0, choicesMax)
    .map((name) => [name, name] as const);
  return (
    <>
      {metric !== undefined && steps.length > 0 && (
        <p class="choices">
          <Choose
            label="value at the step"
            value={metric}
            options={options}
            onChoose={(value) => location.change({ value })}
          />
        </p>
      )}
      {[...Map.groupBy(versions, ({ artifact }) => artifact)].map(([artifact, own]) => (
        <section key={artifact}>
          <h2 class="written-artifact">
            <a href={artifactAddress(artifact)}>{artifact}</a>
          </h2>
          <ul class="written-versions">
            {own.map((one) => (
              <Version
                key={one.version}
                {...one}
                aliases={aliases?.get(artifact) ?? []}
                found={one.step === null ? undefined : values?.get(one.step)}
                best={best}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The aliases of the artifacts of which versions are listed, by artifact. */
function useAliases(
  { client }: PageProps["service"],
  versions: ExperimentArtifactsReply["versions"],
): ReadonlyMap<string, readonly VersionAlias[]> | undefined {
  const artifacts = [...new Set(versions.map(({ artifact }) => artifact))].slice(0, aliasedMax);
  const { found } = useRead(
    async (stopped) =>
      new Map(
        await Promise.all(
          artifacts.map(async (artifact) => {
            // Without a reply the version stands there without them.
            const aliases = await client.artifacts.aliases(artifact, stopped).catch(() => []);
            return [artifact, aliases] as const;
          }),
        ),
      ),
    [artifacts],
    aliasesMs,
  );
  return found;
}

type VersionProps = ExperimentArtifactsReply["versions"][number] & {
  /** The value of the chosen metric; undefined: there is none, or it is not read. */
  found: ValueAtStep | undefined;
  best: number | undefined;
  /** The aliases of its artifact. */
  aliases: readonly VersionAlias[];
};

function Version({ found, best, aliases, ...one }: VersionProps) {
  const { artifact, version, step, committedAtMs, bytes, files } = one;
  return (
    <li>
      <span class="name">
        <a href={artifactAddress(artifact, { version })}>{version}</a>{" "}
        <AliasChips {...{ aliases, version }} />
      </span>
      <span>{step !== null && `step ${countText(step)}`}</span>
      <span>
        {found !== undefined && numberText(found.value)}
        {found !== undefined && found.step !== step && ` at step ${countText(found.step)}`}{" "}
        {found !== undefined && found.value === best && (
          <span class="best" role="img" aria-label="best" title="the best of these">
            ★
          </span>
        )}
      </span>
      <span>
        {bytesText(bytes)} in {countedText(files, "file")}
      </span>
      <time dateTime={new Date(committedAtMs).toISOString()} title={timeText(committedAtMs)}>
        {durationText(Date.now() - committedAtMs)} ago
      </time>
      <Copy text={pullCommand(artifact, version)} label="copy pull command" />
    </li>
  );
}
