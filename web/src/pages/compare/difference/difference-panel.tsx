import { limits } from "@lossless/protocol/limits";
import { useMemo, useState } from "preact/hooks";
import type { PanelProps } from "../panel.ts";
import { columnsOf, type Column } from "./column.ts";
import {
  differenceParameters,
  readDifferenceView,
  type DifferenceView,
} from "./difference-view.ts";
import {
  countsText,
  differenceCsv,
  differenceRows,
  type DifferenceCell,
  type DifferenceRow,
} from "./difference-table.ts";
import { Heads } from "./heads.tsx";
import { Missing } from "./missing.tsx";
import { KeyMenu } from "./key-menu.tsx";
import { SaveCsv } from "./save-csv.tsx";
import { useDifference } from "./use-difference.ts";

/** The keys of the metas that differ, with a column for each experiment. */
export function DifferencePanel({ service, location, compared }: PanelProps) {
  const view = readDifferenceView((name) => location.parameter(name));
  const { reply, problem } = useDifference(service, compared, {
    equalKeys: view.isEqualShown,
    hiddenKeys: view.isHiddenShown,
    text: view.text,
    metricsMax: 0,
  });
  const columns = useMemo(() => reply && columnsOf(reply, compared), [reply, compared]);
  const change = (changed: Partial<DifferenceView>) =>
    location.change(differenceParameters({ ...view, ...changed }));
  return (
    <section class="difference" aria-label="Difference">
      <header>
        <h2>difference</h2>
        {reply !== undefined && (
          <p class="count" role="status">
            {countsText(reply)}
          </p>
        )}
        <div class="choices">
          <input
            type="search"
            aria-label="Search keys"
            placeholder="Search keys"
            value={view.text}
            maxLength={limits.queryCharactersMax}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
          <button
            type="button"
            aria-pressed={view.isEqualShown}
            onClick={() => change({ isEqualShown: !view.isEqualShown })}
          >
            equal keys
          </button>
          <button
            type="button"
            aria-pressed={view.isHiddenShown}
            onClick={() => change({ isHiddenShown: !view.isHiddenShown })}
          >
            keys with _
          </button>
          {reply !== undefined && columns !== undefined && (
            <SaveCsv name="difference" rows={() => differenceCsv(reply, columns)} />
          )}
        </div>
      </header>
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {reply === undefined || columns === undefined ? (
        problem === undefined && <p class="count">…</p>
      ) : reply.keys.length === 0 ? (
        <p class="count">{nothingText(view, columns.length)}</p>
      ) : (
        <Rows rows={differenceRows(reply, columns)} columns={columns} location={location} />
      )}
    </section>
  );
}

function nothingText({ text, isEqualShown }: DifferenceView, experiments: number): string {
  if (text !== "") return "No key that differs is called that.";
  if (isEqualShown) return "No meta has a key.";
  return experiments < 2 ? "One experiment differs from nothing." : "No key differs.";
}

/** So many are laid out at once: more rows come by a button. */
const rowsShown = 100;

interface RowsProps extends Pick<PanelProps, "location"> {
  rows: readonly DifferenceRow[];
  columns: readonly Column[];
}

function Rows({ rows, columns, location }: RowsProps) {
  const [most, setMost] = useState(rowsShown);
  const left = rows.length - most;
  return (
    <>
      <div class="scrolled" tabIndex={0} role="region" aria-label="Keys that differ">
        <table class="compares">
          <thead>
            <tr>
              <th scope="col">key</th>
              <Heads columns={columns} />
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map(({ key, title, cells }) => (
              <tr key={key.field}>
                <th scope="row">
                  <KeyMenu compared={key} title={title} location={location} />
                </th>
                {cells.map((cell, at) => (
                  <Cell key={columns[at].experimentId} cell={cell} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && (
        <button type="button" onClick={() => setMost(most + rowsShown)}>
          {left.toLocaleString("en")} more keys
        </button>
      )}
    </>
  );
}

/** What differs from the reference has a sign, and not its colour alone. */
function Cell({ cell: { text, isMissing, differs, isCut } }: { cell: DifferenceCell }) {
  return (
    <td data-differs={differs} title={isCut ? `${text} (cut)` : text}>
      {differs && (
        <span class="differs" role="img" aria-label="differs:">
          ≠
        </span>
      )}
      {isMissing ? <Missing /> : <bdi>{text}</bdi>}
    </td>
  );
}
