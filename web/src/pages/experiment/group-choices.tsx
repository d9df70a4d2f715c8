import type { CatalogSeries, GuestVisit } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import type { Cut } from "../../chart/cut.ts";
import { choiceName, ownKeys } from "../../chart/groups/keys.ts";
import { bands, groupingOf, groupingText, type ChartView } from "../../chart/view.ts";
import { countText } from "../../parts/words.ts";
import { Choose } from "./choose.tsx";
import { keysOf } from "./partitions.ts";

interface Props {
  catalog: readonly CatalogSeries[];
  /** Fields of meta in which the page's experiments differ. */
  metaFields: readonly string[];
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
  const keys = [
    ...metaFields,
    ...(isOfSeveral ? ownKeysFor(visit) : []),
    ...keysOf(catalog).keys(),
  ];
  const { group, band } = view;
  if (cut !== undefined && group?.kind === "without")
    return <GroupingRefusal cut={cut} change={change} />;
  if (keys.length === 0 && group === undefined) return null;
  const by = (some: readonly string[]) => groupingText({ kind: "by", keys: some });
  const chosen = group?.kind === "by" ? group.keys : [];
  const left = keys.filter((key) => !chosen.includes(key));
  return (
    <>
      <FirstKey {...{ keys, cut, view, change }} />
      {chosen.slice(1).map((key, at) => (
        <Choose
          key={key}
          label="and by"
          value={key}
          options={[
            ["", "nothing"],
            ...[key, ...left].map((one): Option => [one, choiceName(one)]),
          ]}
          onChoose={(one) => {
            const next = chosen.toSpliced(at + 1, 1, ...(one === "" ? [] : [one]));
            change({ group: groupingOf(by(next)) });
          }}
        />
      ))}
      {chosen.length > 0 && chosen.length < limits.groupKeysMax && left.length > 0 && (
        <Choose
          key="another"
          label="and by"
          value=""
          options={[["", "nothing"], ...left.map((one): Option => [one, choiceName(one)])]}
          onChoose={(one) => change({ group: groupingOf(by([...chosen, one])) })}
        />
      )}
      {group !== undefined && (
        <Choose
          label="band"
          value={band}
          options={bands.map((each): Option => [each, bandNames[each]])}
          onChoose={(text) => change({ band: bands.find((each) => each === text)! })}
        />
      )}
    </>
  );
}

/** The fields of experiments by which the service groups for a reader. */
function ownKeysFor(visit: GuestVisit | undefined): readonly string[] {
  if (visit === undefined) return ownKeys;
  const shown = visit.isAnonymous
    ? ["status", "state"]
    : ["status", "state", "tag", "group", "commit"];
  return ownKeys.filter((key) => shown.includes(choiceName(key)));
}

type Option = [value: string, text: string];

/** The first key, or a key that is left out of all others. */
function FirstKey({
  keys,
  cut,
  view: { group },
  change,
}: { keys: readonly string[] } & Pick<Props, "cut" | "view" | "change">) {
  const allBut = (key: string) => groupingText({ kind: "without", keys: [key] });
  const by = (key: string) => groupingText({ kind: "by", keys: [key] });
  const isBy = group?.kind === "by";
  const known = isBy ? by(group.keys[0]) : groupingText(group);
  // The other keys of those that are not here are unknown.
  const others = cut === undefined ? keys.filter((key) => !ownKeys.includes(key)) : [];
  const options: Option[] = [
    ["", "nothing"],
    ...keys.map((key): Option => [by(key), choiceName(key)]),
    ...others.map((key): Option => [allBut(key), `all but ${choiceName(key)}`]),
  ];
  const isListed = options.some(([value]) => value === known);
  const words = `${isBy ? "" : "all but "}${(isBy ? [group.keys[0]] : (group?.keys ?? [])).map(choiceName).join(", ")}`;
  return (
    <Choose
      label="group by"
      value={known}
      options={isListed ? options : [...options, [known, words]]}
      onChoose={(text) => {
        const next = groupingOf(text);
        const rest = isBy && next?.kind === "by" ? group.keys.slice(1) : [];
        const more = rest.filter((key) => key !== next?.keys[0]);
        change({ group: next && { ...next, keys: [...next.keys, ...more] } });
      }}
    />
  );
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
