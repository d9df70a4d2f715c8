import { useMemo, useState } from "preact/hooks";
import { Copy } from "../../parts/copy.tsx";
import { countText } from "../../parts/words.ts";
import { metaLines } from "../experiment/meta-tree.ts";

/** Lines shown at most: more would be slow to lay out, and a search finds the others. */
const linesShown = 1_000;

/** The meta of the version; checksums are shown with the files. */
export function Meta({ meta }: { meta: Readonly<Record<string, unknown>> }) {
  const [wanted, setWanted] = useState("");
  const shown = useMemo(() => {
    const entries = Object.entries(meta).filter(([key]) => key !== "sha256");
    return Object.fromEntries(entries);
  }, [meta]);
  const lines = useMemo(() => metaLines(shown, wanted), [shown, wanted]);
  if (Object.keys(shown).length === 0) return null;
  return (
    <section class="version-meta" aria-label="Meta">
      <div class="query">
        <h3>Meta</h3>
        <input
          type="search"
          aria-label="Search meta"
          placeholder="Search keys and values"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <Copy text={JSON.stringify(meta, undefined, 2)} label="copy as JSON" />
      </div>
      <ul class="meta-tree">
        {lines.slice(0, linesShown).map(({ path, text, isText }) => (
          <li key={path.join("\n")} style={{ paddingLeft: `${1.25 * (path.length - 1)}rem` }}>
            <span class="key">{path.at(-1)}</span>{" "}
            {text !== undefined && <span class={isText ? "text" : "scalar"}>{text}</span>}
          </li>
        ))}
      </ul>
      {lines.length === 0 && <p class="waiting">No key or value matches.</p>}
      {lines.length > linesShown && (
        <p class="count">
          Showing the first {countText(linesShown)} of {countText(lines.length)} lines. Search to
          find the others.
        </p>
      )}
    </section>
  );
}
