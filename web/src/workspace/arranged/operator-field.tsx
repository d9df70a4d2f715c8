import type { SeriesOperator } from "@lossless/protocol";
import { seriesNamesText } from "../../chart/series-names.ts";
import { Choose } from "../../pages/experiment/choose.tsx";

interface Props {
  /** Names and patterns of the chart. */
  chosen: readonly string[];
  operator: SeriesOperator | undefined;
  onChange: (chosen: string[], operator: SeriesOperator | undefined) => void;
}

/** Operators whose result depends on which series comes first. */
const ordered = ["dividedBy", "minus"] as const;

/** Chooses whether two series are drawn as they are, or combined at each step. */
export function OperatorField({ chosen, operator, onChange }: Props) {
  if (!mayCombine(chosen)) return null;
  const swapped = chosen.toReversed();
  const option = (names: readonly string[], each: SeriesOperator) =>
    [`${names === swapped ? "swapped " : ""}${each}`, seriesNamesText(names, each)] as const;
  return (
    <Choose
      label="drawn as"
      value={operator ?? ""}
      options={[
        ["", "a line each"],
        ...ordered.flatMap((each) => [option(chosen, each), option(swapped, each)]),
        option(chosen, "plus"),
        option(chosen, "times"),
      ]}
      onChoose={(value) => {
        const isSwapped = value.startsWith("swapped ");
        const next = value.replace("swapped ", "") as SeriesOperator | "";
        onChange([...(isSwapped ? swapped : chosen)], next === "" ? undefined : next);
      }}
    />
  );
}

/** Two metrics are combined, and no pattern. */
export function mayCombine(chosen: readonly string[]): boolean {
  return chosen.length === 2 && chosen.every((name) => !name.includes("*"));
}
