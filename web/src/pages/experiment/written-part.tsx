import type { AttributesResultData } from "@lossless/client";
import { Copy } from "../../parts/copy.tsx";
import { Listing } from "../../parts/listing.tsx";
import { countText } from "../../parts/words.ts";
import { foundPairs, tagOf, type WrittenPair } from "./written.ts";

/** Lines shown at most: more would be slow to lay out, and a search finds the others. */
const linesShown = 2_000;
/** Characters shown of a value; longer ones can be opened. */
const charactersShown = 300;

interface PairsProps {
  title: string;
  pairs: readonly WrittenPair[];
  /** The text searched for. */
  wanted: string;
}

/** Params or tags, which only MLflow's clients change. */
export function WrittenPairs({ title, pairs, wanted }: PairsProps) {
  if (pairs.length === 0) return null;
  const found = foundPairs(pairs, wanted);
  return (
    <section class="written-part" aria-label={title}>
      <h2>
        {title} <span class="count">{countText(pairs.length)}</span>
      </h2>
      <ul class="meta-tree">
        {found.slice(0, linesShown).map(({ key, value, filter }) => (
          <li key={key}>
            <span class="key">{key}</span> <Value name={key} value={value} />{" "}
            <span class="line-actions">
              <Copy text={filter} label="copy as filter" />
            </span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="count">No key or value matches.</p>}
      {found.length > linesShown && (
        <p class="count">
          Showing the first {countText(linesShown)} of {countText(found.length)}. Search to find the
          others.
        </p>
      )}
    </section>
  );
}

function Value({ name, value }: { name: string; value: string }) {
  if (name === "mlflow.parentRunId")
    return <a href={`/experiments/${encodeURIComponent(value)}`}>{value}</a>;
  if (value.length <= charactersShown) return <span class="text">{value}</span>;
  return (
    <details class="long">
      <summary>{value.slice(0, charactersShown / 3)}…</summary>
      <pre>{value}</pre>
    </details>
  );
}

/** Data sets that the run read. */
export function Datasets({ datasets }: Pick<AttributesResultData, "datasets">) {
  if (datasets.length === 0) return null;
  return (
    <section class="written-part" aria-label="Data sets">
      <h2>
        Data sets <span class="count">{countText(datasets.length)}</span>
      </h2>
      <Listing
        label="Data sets"
        columns={["name", "digest", "context", "source"]}
        rows={datasets.map(({ name, digest, sourceType, source, tags }) => ({
          key: `${name}\n${digest}`,
          cells: [
            <bdi class="name">{name}</bdi>,
            <code>{digest}</code>,
            tagOf(tags, "mlflow.data.context") ?? null,
            <details class="long">
              <summary>{sourceType === "" ? "source" : sourceType}</summary>
              <pre>{source}</pre>
            </details>,
          ],
        }))}
        empty=""
      />
    </section>
  );
}
