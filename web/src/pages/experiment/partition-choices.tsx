import type { CatalogSeries } from "@lossless/client";
import type { ChartView, Choice } from "../../chart/view.ts";
import type { RankedKey } from "../../chart/groups/ranked-keys.ts";
import { Choose } from "./choose.tsx";
import { keysOf } from "./partitions.ts";

interface Props {
  catalog: readonly CatalogSeries[];
  /** Fields of meta in which the page's experiments differ. */
  metaFields: readonly RankedKey[];
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
}

/** Chooses the keys that distinguish partitions, and the partitions shown. */
export function PartitionChoices({ catalog, metaFields, view, change }: Props) {
  const keys = keysOf(catalog);
  if (keys.size + metaFields.length === 0) return null;
  const parting = [...keys.keys(), ...metaFields.map(({ key }) => key)];
  const { split, only } = view;
  const choose = (key: string, value: string) => {
    const rest = only.filter((choice) => choice.key !== key);
    const chosen: Choice[] = value === "" ? rest : [...rest, { key, value: value.slice(1) }];
    change({ only: chosen });
  };
  return (
    <>
      <Choose
        label="partitions"
        value={split.kind === "key" ? `key:${split.key}` : split.kind}
        options={[
          ["colour", "by colour"],
          ["together", "together"],
          ...parting.map((key): [string, string] => [
            `key:${key}`,
            `one chart per ${key.replace(/^meta\./, "")}`,
          ]),
        ]}
        onChoose={(text) =>
          change({
            split:
              text === "colour" || text === "together"
                ? { kind: text }
                : { kind: "key", key: text.slice("key:".length) },
          })
        }
      />
      {[...keys].map(([key, values]) => (
        <Choose
          key={key}
          label={key}
          value={only.some((choice) => choice.key === key) ? `=${valueOf(only, key)}` : ""}
          options={[["", "all"], ...values.map((value): [string, string] => [`=${value}`, value])]}
          onChoose={(text) => choose(key, text)}
        />
      ))}
    </>
  );
}

function valueOf(only: readonly Choice[], key: string): string {
  return only.find((choice) => choice.key === key)?.value ?? "";
}
