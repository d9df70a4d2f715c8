import { useMemo } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import { Copy } from "../../parts/copy.tsx";
import { countText } from "../../parts/words.ts";
import { metaLines } from "./meta-tree.ts";

/** More lines would be slow to lay out; a search finds the others. */
const linesShown = 2_000;

/** Meta as a tree, with a test of the query language for each of its lines. */
export function MetaTab({ meta, location }: { meta: unknown; location: PageLocation }) {
  const wanted = location.parameter("mq") ?? "";
  const lines = useMemo(() => metaLines(meta, wanted), [meta, wanted]);
  return (
    <>
      <div class="query">
        <input
          type="search"
          aria-label="Search meta"
          placeholder="Search keys and values"
          value={wanted}
          onInput={(event) => location.change({ mq: event.currentTarget.value })}
        />
        <Copy text={JSON.stringify(meta, undefined, 2)} label="copy as JSON" />
      </div>
      <ul class="meta-tree">
        {lines.slice(0, linesShown).map(({ path, text, isText, filter }) => (
          <li key={path.join("\n")} style={{ paddingLeft: `${1.25 * (path.length - 1)}rem` }}>
            <span class="key">{path.at(-1)}</span>{" "}
            {text !== undefined && <span class={isText ? "text" : "plain"}>{text}</span>}{" "}
            {filter !== undefined && <Copy text={filter} label="copy path as filter" />}
          </li>
        ))}
      </ul>
      {lines.length === 0 && (
        <p class="waiting">{wanted === "" ? "No meta." : "Nothing in it is called that."}</p>
      )}
      {lines.length > linesShown && (
        <p class="count">
          The first {countText(linesShown)} of {countText(lines.length)} lines; search for others.
        </p>
      )}
    </>
  );
}
