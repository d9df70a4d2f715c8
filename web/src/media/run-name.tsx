import { Swatch } from "../chart/lines/swatch.tsx";
import { metadataText } from "./logged-series.ts";
import type { MediaExperiment } from "./media-experiment.ts";

interface Props {
  experiments: readonly MediaExperiment[];
  experimentId: string;
  metadata?: Readonly<Record<string, string>>;
  /** Follows the name. */
  note?: string;
}

/** The experiment that logged something, where a page has several, and the metadata of it. */
export function RunName({ experiments, experimentId, metadata = {}, note = "" }: Props) {
  const experiment = experiments.find((one) => one.experimentId === experimentId);
  const isOne = experiment?.kind === undefined;
  const own = metadataText(metadata);
  if (isOne && own === "" && note === "") return null;
  return (
    <p class="run-name">
      {!isOne && (
        <>
          <Swatch kind={experiment.kind!} /> <bdi>{experiment.name}</bdi>{" "}
        </>
      )}
      <span class="count">{[own, note].filter(Boolean).join(", ")}</span>
    </p>
  );
}
