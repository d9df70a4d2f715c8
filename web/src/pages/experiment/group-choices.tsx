import type { CatalogSeries, GuestVisit } from "@lossless/client";
import { useState } from "preact/hooks";
import type { Cut } from "../../chart/cut.ts";
import { choiceName, isOfTools, keyName, ownKeys } from "../../chart/groups/keys.ts";
import type { RankedKey } from "../../chart/groups/ranked-keys.ts";
import { bands, type ChartView, type Grouping } from "../../chart/view.ts";
import { Menu } from "../../parts/menu.tsx";
import { countText } from "../../parts/words.ts";
import { Choose } from "./choose.tsx";
import { type KeyChoice, KeyPicker, rankedChoice } from "./key-picker.tsx";
import { keysOf } from "./partitions.ts";

interface Props {
  catalog: readonly CatalogSeries[];
  /** Fields of meta in which the page's experiments differ; undefined until they are read. */
  metaFields: readonly RankedKey[] | undefined;
  cut: Cut | undefined;
  /** Whether the page shows several experiments. */
  isOfSeveral?: boolean;
  /** Set for guests, to whom not all fields are shown. */
  visit: GuestVisit | undefined;
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
}

const bandNames = {
  minmax: "minimum to maximum",
  std: "standard deviation",
  sem: "standard error",
};

/** Chooses the groups that are drawn as means, by one key or several, and the band around them. */
export function GroupChoices(props: Props) {
  const { catalog, metaFields, cut, isOfSeveral = false, visit, view, change } = props;
  const [isOpen, setIsOpen] = useState(false);
  const { group, band } = view;
  if (cut !== undefined && group?.kind === "without")
    return <GroupingRefusal cut={cut} change={change} />;
  // The other keys of experiments that are not here are unknown.
  const isLeftOut = cut === undefined;
  const ofMeta = (metaFields ?? []).map((one) => ({ ...rankedChoice(one), isLeftOut }));
  const keys: KeyChoice[] = [
    ...ofMeta.filter(({ key }) => !isOfTools(key)),
    ...[...keysOf(catalog)].map(([key, values]) => {
      return { ...rankedChoice({ key, values: values.length }), isLeftOut };
    }),
    ...(isOfSeveral ? ownKeysFor(visit) : []).map((key) => ({ key, name: choiceName(key) })),
    ...ofMeta.filter(({ key }) => isOfTools(key)),
  ];
  if (keys.length === 0 && group === undefined) return null;
  const words = groupingWords(group);
  return (
    <span class="choose">
      group by{" "}
      <Menu sign={`${words} ▾`} label={`group by: ${words}`} staysOpen onOpen={setIsOpen}>
        {isOpen && (
          <>
            {group !== undefined && <BandChoice {...{ band, change }} />}
            <KeyPicker
              keys={metaFields && keys}
              grouping={group}
              change={(next) => change({ group: next })}
            />
          </>
        )}
      </Menu>
    </span>
  );
}

/** The band around a mean. */
function BandChoice({ band, change }: Pick<ChartView, "band"> & Pick<Props, "change">) {
  return (
    <Choose
      label="band"
      value={band}
      options={bands.map((each) => [each, bandNames[each]])}
      onChoose={(text) => change({ band: bands.find((each) => each === text)! })}
    />
  );
}

function groupingWords(group: Grouping | undefined): string {
  if (group === undefined) return "nothing";
  return `${group.kind === "by" ? "" : "all but "}${group.keys.map(keyName).join(", ")}`;
}

/** The fields of experiments by which the service groups for a reader. */
function ownKeysFor(visit: GuestVisit | undefined): readonly string[] {
  if (visit === undefined) return ownKeys;
  const shown = visit.isAnonymous
    ? ["status", "state"]
    : ["status", "state", "tag", "group", "commit"];
  return ownKeys.filter((key) => shown.includes(choiceName(key)));
}

/** A mean of only some members would be mistaken for the group's, so there is none. */
function GroupingRefusal({ cut: { shown, of }, change }: { cut: Cut } & Pick<Props, "change">) {
  return (
    <span class="soft" role="note">
      group by all but a key: only {countText(shown)} of {countText(of)} experiments are shown.
      Narrow the query, or group by keys.{" "}
      <button type="button" onClick={() => change({ group: undefined })}>
        stop grouping
      </button>
    </span>
  );
}
