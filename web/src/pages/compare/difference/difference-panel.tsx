import type { DifferenceReply } from "@lossless/protocol";
import { useMemo } from "preact/hooks";
import { saidOf } from "../cut-list.ts";
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
  filtersOf,
  type DifferenceCell,
} from "./difference-table.ts";
import { Heads } from "./heads.tsx";
import { KeyFilters, KeyMenu } from "./key-menu.tsx";
import { MeantFields } from "./meant-fields.tsx";
import { MissingValue } from "./missing.tsx";
import { SaveCsv } from "./save-csv.tsx";
import { TablePanel } from "./table-panel.tsx";
import { TableRows } from "./table-rows.tsx";
import { useDifference } from "./use-difference.ts";

/** Keys of the metas that differ, with a column for each experiment. */
export function DifferencePanel({ service, location, compared, address }: PanelProps) {
  const read = () => readDifferenceView((name) => location.parameter(name));
  const view = read();
  const { reply, problem } = useDifference(service, compared, {
    equalKeys: view.isEqualShown,
    hiddenKeys: view.isHiddenShown,
    text: view.text,
    metricsMax: 0,
  });
  const columns = useMemo(() => reply && columnsOf(reply, compared), [reply, compared]);
  const change = (changed: Partial<DifferenceView>) =>
    location.change(differenceParameters({ ...read(), ...changed }));
  const known = reply && columns && { reply, columns };
  return (
    <TablePanel
      title="difference"
      label="Difference"
      said={reply && saidOf(countsText(reply), compared)}
      problem={problem}
      search={{ label: "Search keys", text: view.text, onText: (text) => change({ text }) }}
      choices={
        <>
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
            keys starting with _
          </button>
          {known && (
            <SaveCsv name="difference" rows={() => differenceCsv(known.reply, known.columns)} />
          )}
        </>
      }
    >
      {known &&
        (known.reply.keys.length === 0 ? (
          <p class="count">
            {nothingText(view, known.columns.length)}{" "}
            {view.text !== "" && (
              <MeantFields
                {...{ service, text: view.text, kind: "meta" }}
                onText={(text) => change({ text })}
              />
            )}
          </p>
        ) : (
          <Rows {...known} {...{ location, address }} />
        ))}
    </TablePanel>
  );
}

interface RowsProps extends Pick<PanelProps, "location" | "address"> {
  reply: DifferenceReply;
  columns: readonly Column[];
}

function Rows({ reply, columns, location, address }: RowsProps) {
  return (
    <TableRows
      rows={differenceRows(reply, columns)}
      unit="key"
      cells={columns.length + 1}
      label="Keys that differ"
      heads={
        <>
          <th scope="col">key</th>
          <Heads columns={columns} />
        </>
      }
      keyOf={({ key }) => key.field}
      draw={({ key, title, cells }) => (
        <>
          <th scope="row">
            <KeyMenu {...{ field: key.field, title, location, address }}>
              <KeyFilters filters={filtersOf(key)} />
            </KeyMenu>
          </th>
          {cells.map((cell, at) => (
            <Cell key={columns[at].experimentId} cell={cell} />
          ))}
        </>
      )}
    />
  );
}

function nothingText({ text, isEqualShown }: DifferenceView, experiments: number): string {
  if (text !== "") return "No differing key matches.";
  if (isEqualShown) return "No experiment has meta.";
  return experiments < 2
    ? "There is only one experiment, so nothing can differ."
    : "No key differs.";
}

/** A cell; a difference from the reference has a sign besides its colour. */
function Cell({ cell: { text, isMissing, differs, isCut } }: { cell: DifferenceCell }) {
  return (
    <td data-differs={differs} title={isCut ? `${text} (truncated)` : text}>
      {differs && (
        <span class="differs" role="img" aria-label="differs:">
          ≠
        </span>
      )}
      {isMissing ? <MissingValue /> : <bdi>{text}</bdi>}
    </td>
  );
}
