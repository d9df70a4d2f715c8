import type { TableBlock } from "@lossless/protocol";
import { parseColumns } from "@lossless/protocol/query-list";
import { useState } from "preact/hooks";
import { Labelled } from "../../parts/labelled.tsx";
import type { Service } from "../../signed-in.ts";
import { idQuery, idsOfQuery } from "../compare/compare-address.ts";
import { useCompared } from "../compare/use-compared.ts";
import { Choose } from "../experiment/choose.tsx";
import { ColumnPicker } from "../experiments/column-picker.tsx";
import { ChosenRuns } from "./chosen-runs.tsx";
import { FolderField } from "./folder-field.tsx";
import { MoreSettings } from "./more-settings.tsx";
import type { ReportBoard } from "./report-board.tsx";
import { emptyBlocks } from "./report-draft.ts";
import { tableWords } from "./set-words.ts";

interface Props {
  service: Service;
  board: ReportBoard;
  block: TableBlock;
  onChange: (block: TableBlock) => void;
}

/** Fields of a table in a report: its experiments, columns and order; the rest opens. */
export function TableFields({ service, board, block, onChange }: Props) {
  const [isPicking, setIsPicking] = useState(false);
  const columns = readColumns(block.columns);
  const orders = ["created", "slug", ...columns].flatMap((field) => [
    [field, `${field}, smallest first`] as const,
    [`${field} desc`, `${field}, largest first`] as const,
  ]);
  return (
    <div class="block-fields">
      <TableRuns {...{ service, block, onChange }} />
      <div class="field">
        Columns
        <span class="picked-columns">{columns.join(", ")}</span>
        <div class="choices">
          <button type="button" onClick={() => setIsPicking(true)}>
            choose columns…
          </button>
          <Choose
            label="order"
            value={block.sort}
            options={orders}
            onChoose={(sort) => onChange({ ...block, sort })}
          />
        </div>
      </div>
      {isPicking && (
        <ColumnPicker
          columns={columns}
          ask={(body, signal) => service.client.views.fields(body, signal)}
          onChange={(next) => onChange({ ...block, columns: next.join(", ") })}
          onReset={() => onChange({ ...block, columns: emptyBlocks.table.columns })}
          onClose={() => setIsPicking(false)}
        />
      )}
      <MoreFields {...{ service, board, block, onChange }} />
    </div>
  );
}

/** A table has a query alone: chosen experiments are one of their ids. */
function TableRuns({ service, block, onChange }: Omit<Props, "board">) {
  const ids = idsOfQuery(block.query);
  const asked = { kind: "ids" as const, ids: ids ?? [""] };
  const { compared } = useCompared(service, { asked, hidden: new Set(), reference: undefined });
  const find = (query: string) => onChange({ ...block, query });
  return (
    <ChosenRuns
      {...{ service, ids, known: compared?.experiments ?? [] }}
      onChange={(next) => find(next.length === 0 ? "" : idQuery(next))}
      query={{ text: block.query, onChange: find }}
    />
  );
}

function MoreFields({ service, board, block, onChange }: Props) {
  const { folderId, ...anywhere } = block;
  const text = (label: string, name: "columns" | "sort") => (
    <Labelled label={label}>
      <input
        value={block[name]}
        onInput={(event) => onChange({ ...block, [name]: event.currentTarget.value })}
      />
    </Labelled>
  );
  return (
    <MoreSettings set={tableWords(block)}>
      <Labelled label="Rows">
        <input
          type="number"
          min={1}
          max={100}
          value={block.limit}
          onChange={(event) => {
            const limit = Math.round(Number(event.currentTarget.value));
            onChange({ ...block, limit: Math.min(100, Math.max(1, limit || 1)) });
          }}
        />
      </Labelled>
      <FolderField
        {...{ service, board, folderId }}
        onChoose={(chosen) =>
          onChange(chosen === undefined ? anywhere : { ...anywhere, folderId: chosen })
        }
      />
      {text("Columns as text", "columns")}
      {text("Sort as text", "sort")}
    </MoreSettings>
  );
}

/** The columns of a text; none of one that cannot be read. */
function readColumns(text: string): string[] {
  try {
    return parseColumns(text);
  } catch {
    return [];
  }
}
