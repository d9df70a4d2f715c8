import { meantSearches } from "@lossless/protocol/meant-searches";
import { Meant } from "../parts/meant.tsx";
import type { ChartPlaces } from "./drawn-chart.ts";

/** Says that a search finds no charts, with metrics that may be meant. */
export function NothingFound({ names, wanted, nothing, location }: ChartPlaces) {
  return (
    <p class="waiting">
      {nothing}{" "}
      <Meant
        names={meantSearches(wanted.trim(), names)}
        onChoose={(name) => location.change({ m: name })}
      />
    </p>
  );
}
