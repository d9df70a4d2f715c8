import type { TableReply } from "@lossless/protocol";
import { readQuery } from "@lossless/protocol/query-language";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { toggled } from "../../parts/toggled.ts";
import { countText, messageOf, timeText } from "../../parts/words.ts";
import { QueryField } from "../../query/query-field.tsx";
import { useAsked } from "../../query/use-asked.ts";
import type { Service } from "../../signed-in.ts";
import { sortIn } from "../compare/compare-address.ts";
import { defaultSort } from "../experiments/table-address.ts";
import { UnknownFields } from "../experiments/unknown-fields.tsx";
import { WhyNothing } from "../experiments/why-nothing.tsx";

interface Props {
  service: Service;
  /** The folder of the report's experiments: the list begins with it. */
  folder?: { id: string; path: string } | undefined;
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
  onClose: () => void;
}

const shownMax = 50;
/** Experiments of a chart at most. */
const chosenMax = 100;
/** Milliseconds without typing before the search is sent. */
const pauseMs = 200;

/** Chooses experiments from a list, which a search or a query narrows as it does the table. */
export function PickRuns({ service, folder, chosen, onChange, onClose }: Props) {
  const [text, setText] = useState("");
  const [isEverywhere, setIsEverywhere] = useState(folder === undefined);
  const asked = useAsked(service);
  const { found, problem } = useFound(service, text, isEverywhere ? undefined : folder?.id);
  return (
    <Dialog title="Choose experiments" onClose={onClose}>
      <QueryField
        label="Search experiments"
        placeholder="Words, or a query: meta.lr > 0.01"
        {...{ text, onText: setText, ...asked }}
      />
      {folder !== undefined && (
        <label class="in-folder">
          <input
            type="checkbox"
            checked={!isEverywhere}
            onChange={(event) => setIsEverywhere(!event.currentTarget.checked)}
          />
          only in {folder.path || "the folder of this report"}
        </label>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
      <Found {...{ service, found, chosen, onChange }} onSearch={setText} />
      <p class="choices">
        <button type="button" class="strong" onClick={onClose}>
          Done
        </button>
        <span class="count">{countText(chosen.length)} chosen</span>
      </p>
    </Dialog>
  );
}

/** The reply to the query that it answers. */
interface Answer {
  query: string;
  reply: TableReply;
}

/**
 * What a text finds, once nobody has typed for a while. A text whose end is missing leaves the list
 * as it is; one that cannot be read at all finds nothing.
 */
function useFound(service: Service, text: string, folderId: string | undefined) {
  const [found, setFound] = useState<Answer>();
  const [problem, setProblem] = useState<string>();
  const query = text.trim();
  const { error } = readQuery(query);
  const isUnread = error !== undefined && error.position < query.length;
  useEffect(() => {
    if (error !== undefined) return;
    const stopped = new AbortController();
    const where = {
      ...(query !== "" && { query }),
      ...(folderId !== undefined && { folderId }),
    };
    const body = { ...where, sort: sortIn(defaultSort), limit: shownMax };
    const timer = setTimeout(() => {
      service.client.views.experiments(body, stopped.signal).then(
        (reply) => (setFound({ query, reply }), setProblem(undefined)),
        (failure: unknown) => stopped.signal.aborted || setProblem(messageOf(failure)),
      );
    }, pauseMs);
    return () => (clearTimeout(timer), stopped.abort());
  }, [service, query, folderId]);
  return { found: isUnread ? undefined : found, problem };
}

interface FoundProps extends Pick<Props, "service" | "chosen" | "onChange"> {
  /** Undefined: nothing is read, or the text is no query. */
  found: Answer | undefined;
  onSearch: (text: string) => void;
}

function Found({ service, found, chosen, onChange, onSearch }: FoundProps) {
  const { query = "", reply } = found ?? {};
  const rows = reply?.rows ?? [];
  const address = { query, folder: undefined, search: onSearch };
  return (
    <>
      <div class="found-runs">
        <UnknownFields address={address} columns={[]} unknown={reply?.unknown} />
        {reply?.total === 0 && (
          <>
            <p>No experiment is found.</p>
            <WhyNothing {...{ service, address }} />
          </>
        )}
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
                  />
                  {name ?? slug}
                </label>
                <span class="count">{timeText(createdAtMs)}</span>
              </li>
            );
          })}
        </ul>
      </div>
      {rows.length > 0 && (
        <p class="count" role="status">
          {reply!.total > rows.length
            ? `The newest ${countText(rows.length)} of ${countText(reply!.total)}. Search to find others.`
            : `${countText(reply!.total)} found`}
        </p>
      )}
    </>
  );
}
