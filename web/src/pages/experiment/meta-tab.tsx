import type { AttributesResultData, EditReply, ExperimentRecord } from "@lossless/client";
import { useMemo, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { Copy } from "../../parts/copy.tsx";
import { countText } from "../../parts/words.ts";
import { mayWrite } from "../../rights.ts";
import { MetaDialog, type MetaPlace } from "./meta-dialog.tsx";
import { type MetaLine, metaLines } from "./meta-tree.ts";
import { writtenPairs } from "./written.ts";
import { Datasets, WrittenPairs } from "./written-part.tsx";

interface Props extends PageProps {
  record: ExperimentRecord;
  /** Attributes written by MLflow's clients; undefined: not read yet. */
  attributes: AttributesResultData | undefined;
  onEdited: (reply: EditReply) => void;
}

/** Lines shown at most: more would be slow to lay out, and a search finds the others. */
const linesShown = 2_000;

/** The meta as a tree, with a query test for each line, and the attributes beside it. */
export function MetaTab({ record, attributes, service, location, onEdited }: Props) {
  const { experimentId, meta } = record;
  const written = useMemo(
    () => attributes && writtenPairs(attributes, record),
    [attributes, record],
  );
  const isMlflow = written !== undefined && written.params.length + written.tags.length > 0;
  const wanted = location.parameter("mq") ?? "";
  const lines = useMemo(() => metaLines(meta, wanted, true), [meta, wanted]);
  const [place, setPlace] = useState<MetaPlace>();
  const close = () => setPlace(undefined);
  return (
    <>
      <div class="query">
        <input
          type="search"
          aria-label="Search meta"
          aria-keyshortcuts="/"
          placeholder="Search keys and values"
          value={wanted}
          onInput={(event) => location.change({ mq: event.currentTarget.value })}
        />
        {mayWrite(service) && (
          <button type="button" onClick={() => setPlace({ path: [], isNew: true })}>
            + key
          </button>
        )}
        <Copy text={JSON.stringify(meta, undefined, 2)} label="copy as JSON" />
      </div>
      <ul class="meta-tree">
        {lines.slice(0, linesShown).map((line) => (
          <Line
            key={line.path.join("\n")}
            line={line}
            onEdit={mayWrite(service) ? setPlace : undefined}
          />
        ))}
      </ul>
      {lines.length === 0 && !isMlflow && (
        <p class="waiting">{wanted === "" ? "No meta." : "No key or value matches."}</p>
      )}
      {lines.length > linesShown && (
        <p class="count">
          Showing the first {countText(linesShown)} of {countText(lines.length)} lines. Search to
          find the others.
        </p>
      )}
      {written !== undefined && (
        <>
          <WrittenPairs title="Params" pairs={written.params} wanted={wanted} />
          <WrittenPairs title="Tags" pairs={written.tags} wanted={wanted} />
          <Datasets datasets={attributes!.datasets} />
        </>
      )}
      {place !== undefined && (
        <MetaDialog
          {...{ service, experimentId, meta, place }}
          onEdited={(reply) => (close(), onEdited(reply))}
          onClose={close}
        />
      )}
    </>
  );
}

function Line({
  line: { path, text, isText, isObject, filter },
  onEdit,
}: {
  line: MetaLine;
  /** Undefined: the reader may not edit. */
  onEdit: ((place: MetaPlace) => void) | undefined;
}) {
  const names = path.filter((part) => typeof part === "string");
  const shown = path.join(".");
  return (
    <li style={{ paddingLeft: `${1.25 * (path.length - 1)}rem` }}>
      <span class="key">{path.at(-1)}</span>{" "}
      {text !== undefined && <span class={isText ? "text" : "scalar"}>{text}</span>}{" "}
      <span class="line-actions">
        {filter !== undefined && <Copy text={filter} label="copy path as filter" />}
        {/* An entry of a list can only be changed with its list. */}
        {onEdit !== undefined && names.length === path.length && (
          <>
            {isObject && (
              <button
                type="button"
                class="copy"
                aria-label={`+ key in ${shown}`}
                onClick={() => onEdit({ path: names, isNew: true })}
              >
                + key
              </button>
            )}
            <button
              type="button"
              class="copy"
              aria-label={`edit ${shown}`}
              onClick={() => onEdit({ path: names, isNew: false })}
            >
              edit
            </button>
          </>
        )}
      </span>
    </li>
  );
}
