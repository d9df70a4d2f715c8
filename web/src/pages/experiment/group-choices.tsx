import type { CatalogSeries } from "@lossless/client";
import type { Cut } from "../../chart/cut.ts";
import { bands, groupingOf, groupingText, type ChartView } from "../../chart/view.ts";
import { countText } from "../../parts/words.ts";
import { Choose } from "./choose.tsx";
import { keysOf } from "./partitions.ts";

interface Props {
  catalog: readonly CatalogSeries[];
  /** Fields of meta in which the page's experiments differ. */
  metaFields: readonly string[];
  cut: Cut | undefined;
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
}

const bandNames = {
  minmax: "minimum to maximum",
  std: "standard deviation",
  sem: "standard error",
};

/** Chooses the groups that are drawn as means, and the band around them. */
export function GroupChoices({ catalog, metaFields, cut, view, change }: Props) {
  const keys = [...metaFields, ...keysOf(catalog).keys()];
  const { group, band } = view;
  if (cut !== undefined)
    return <GroupingRefusal cut={cut} isAsked={group !== undefined} change={change} />;
  if (keys.length === 0 && group === undefined) return null;
  const allBut = (key: string) => groupingText({ kind: "without", keys: [key] });
  const by = (key: string) => groupingText({ kind: "by", keys: [key] });
  const known = groupingText(group);
  const options = [
    ["", "nothing"],
    ...keys.map((key) => [allBut(key), `all but ${key}`]),
    ...keys.map((key) => [by(key), key]),
  ].map(([value, text]): [string, string] => [value, text]);
  const isListed = options.some(([value]) => value === known);
  const words = `${group?.kind === "without" ? "all but " : ""}${group?.keys.join(", ")}`;
  return (
    <>
      <Choose
        label="group by"
        value={known}
        options={isListed ? options : [...options, [known, words]]}
        onChoose={(text) => change({ group: groupingOf(text) })}
      />
      {group !== undefined && (
        <Choose
          label="band"
          value={band}
          options={bands.map((each): [string, string] => [each, bandNames[each]])}
          onChoose={(text) => change({ band: bands.find((each) => each === text)! })}
        />
      )}
    </>
  );
}

/** A mean of only some members would be mistaken for the group's, so there is none. */
function GroupingRefusal({
  cut: { shown, of },
  isAsked,
  change,
}: { cut: Cut; isAsked: boolean } & Pick<Props, "change">) {
  return (
    <span class="soft" role="note">
      group by: only {countText(shown)} of {countText(of)} experiments are shown. Narrow the query
      to group them.{" "}
      {isAsked && (
        <button type="button" onClick={() => change({ group: undefined })}>
          stop grouping
        </button>
      )}
    </span>
  );
}
