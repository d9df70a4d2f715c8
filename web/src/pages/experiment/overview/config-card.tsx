import { useMemo } from "preact/hooks";
import { Copy } from "../../../parts/copy.tsx";
import { countText } from "../../../parts/words.ts";
import { type MetaLine, metaLines } from "../meta-tree.ts";
import { tabAddress } from "../tabs.ts";
import { foundPairs, writtenPairs } from "../written.ts";
import { Card } from "./card.tsx";
import type { OverviewProps } from "./overview-props.ts";

/** Lines shown at most: the part of the meta has the others. */
const linesShown = 200;
/** Lines from which there is a search. */
const searchedFrom = 12;

type Props = Pick<OverviewProps, "record" | "attributes" | "location">;

/** The config: the meta without reserved keys, and the params of MLflow's clients. */
export function ConfigCard({ record, attributes, location }: Props) {
  const { experimentId, meta } = record;
  const wanted = location.parameter("mq") ?? "";
  const config = useMemo(
    () => Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith("_"))),
    [meta],
  );
  const all = useMemo(() => configLines(config, record, attributes, ""), [config, attributes]);
  const lines = useMemo(
    () => (wanted === "" ? all : configLines(config, record, attributes, wanted)),
    [all, wanted],
  );
  if (all.length === 0) return null;
  return (
    <Card
      title="Config"
      count={countText(all.filter(({ text }) => text !== undefined).length)}
      actions={
        (all.length >= searchedFrom || wanted !== "") && (
          <input
            type="search"
            aria-label="Search the config"
            placeholder="Search keys and values"
            value={wanted}
            onInput={({ currentTarget: { value } }) =>
              location.change({ mq: value, tab: "overview" })
            }
          />
        )
      }
    >
      <ul class="config">
        {lines.slice(0, linesShown).map((line) => (
          <Line key={line.path.join("\n")} line={line} />
        ))}
      </ul>
      {lines.length === 0 && <p class="count">No key or value matches.</p>}
      {lines.length > linesShown && (
        <p class="count">
          Showing the first {countText(linesShown)} of {countText(lines.length)} lines.{" "}
          <a href={tabAddress(experimentId, "meta", wanted === "" ? {} : { mq: wanted })}>
            Show all
          </a>
        </p>
      )}
    </Card>
  );
}

function configLines(
  config: object,
  record: Props["record"],
  attributes: Props["attributes"],
  wanted: string,
): MetaLine[] {
  const params = attributes === undefined ? [] : writtenPairs(attributes, record).params;
  return [
    ...metaLines(config, wanted, true),
    ...foundPairs(params, wanted).map(({ key, value, filter }) => ({
      path: [key],
      text: value,
      isText: true,
      isObject: false,
      filter,
    })),
  ];
}

/** Characters shown of a value; the part of the meta has all of them. */
const charactersShown = 300;

function Line({ line: { path, text, isText, filter } }: { line: MetaLine }) {
  return (
    <li>
      <span class="key" style={{ paddingInlineStart: `${path.length - 1}rem` }}>
        {path.at(-1)}
      </span>
      {text !== undefined && (
        <span class={isText ? "text" : "scalar"}>
          {text.length > charactersShown ? `${text.slice(0, charactersShown)}…` : text}
        </span>
      )}
      {text !== undefined && filter !== undefined && (
        <Copy text={filter} label="filter" name={`copy the filter ${filter}`} />
      )}
    </li>
  );
}
