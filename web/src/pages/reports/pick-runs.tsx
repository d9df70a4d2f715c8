import type { TableReply } from "@lossless/protocol";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { toggled } from "../../parts/toggled.ts";
import { countText, messageOf, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { defaultSort } from "../experiments/table-address.ts";
import { sortIn } from "../compare/compare-address.ts";

interface Props {
  service: Service;
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
  onClose: () => void;
}

const shownMax = 50;
/** Experiments of a chart at most. */
const chosenMax = 100;
/** Milliseconds without typing before the search is sent. */
const pauseMs = 200;

/** Chooses experiments from a list, which a search or a query narrows. */
export function PickRuns({ service, chosen, onChange, onClose }: Props) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<TableReply>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stopped = new AbortController();
    const query = text.trim();
    const body = { ...(query !== "" && { query }), sort: sortIn(defaultSort), limit: shownMax };
    const timer = setTimeout(() => {
      service.client.views.experiments(body, stopped.signal).then(
        (reply) => (setFound(reply), setProblem(undefined)),
        (error: unknown) => stopped.signal.aborted || setProblem(messageOf(error)),
      );
    }, pauseMs);
    return () => (clearTimeout(timer), stopped.abort());
  }, [service, text]);
  const rows = found?.rows ?? [];
  return (
    <Dialog title="Choose experiments" onClose={onClose}>
      <input
        type="search"
        aria-label="Search experiments"
        placeholder="Words, or a query: meta.lr > 0.01"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <ul class="picked">
        {rows.map(({ experimentId, slug, name, createdAtMs }) => {
          const isChosen = chosen.includes(experimentId);
          return (
            <li key={experimentId}>
              <label>
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={!isChosen && chosen.length >= chosenMax}
                  onChange={() => onChange(toggled(chosen, experimentId))}
                />{" "}
                {name ?? slug}
              </label>
              <span class="count">{timeText(createdAtMs)}</span>
            </li>
          );
        })}
      </ul>
      {found !== undefined && found.total > rows.length && (
        <p class="count">
          The newest {countText(rows.length)} of {countText(found.total)}. Search to find others.
        </p>
      )}
      <p class="choices">
        <button type="button" class="strong" onClick={onClose}>
          Done
        </button>
        <span class="count">{countText(chosen.length)} chosen</span>
      </p>
    </Dialog>
  );
}
