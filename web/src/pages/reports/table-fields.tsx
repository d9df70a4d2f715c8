import type { TableBlock } from "@lossless/protocol";
import { parseColumns } from "@lossless/protocol/query-list";
import { useState } from "preact/hooks";
import { Labelled } from "../../parts/labelled.tsx";
import { TypedNumber } from "../../parts/typed-number.tsx";
import type { Service } from "../../signed-in.ts";
import { idQuery, idsOfQuery, sortIn } from "../compare/compare-address.ts";
import { useCompared } from "../compare/use-compared.ts";
import { Choose } from "../experiment/choose.tsx";
import { ColumnPicker } from "../experiments/column-picker.tsx";
import { type Found, readFoundKeys } from "../experiments/differing-keys.ts";
import { ChosenRuns } from "./chosen-runs.tsx";
import { FolderField } from "./folder-field.tsx";
import { MoreSettings } from "./more-settings.tsx";
import type { ReportBoard } from "./report-board.tsx";
import { tableWords } from "./set-words.ts";

interface Props {
  service: Service;
  board: ReportBoard;
  block: TableBlock;
  /** The block as it is shown meanwhile, with the last query that can be read. */
  drawn: TableBlock;
  onChange: (block: TableBlock) => void;
  /** Gives it the columns that nobody chose, of these experiments. */
  onUsual: (found: Found) => void;
}

/** Fields of a table in a report: its experiments, columns and order; the rest opens. */
export function TableFields({ service, board, block, drawn, onChange, onUsual }: Props) {
  const [isPicking, setIsPicking] = useState(false);
  const columns = readColumns(block.columns);
  const orders = ["created", "slug", ...columns].flatMap((field) => [
    [field, `${field}, smallest first`] as const,
    [`${field} desc`, `${field}, largest first`] as const,
  ]);
  return (
    <div class="block-fields">
      <TableRuns {...{ service, board, block, onChange }} />
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
          readFound={(stopped) => readFoundKeys(service.client, foundBy(drawn), stopped)}
          onChange={(next) => onChange({ ...block, columns: next.join(", ") })}
          onReset={() => onUsual(foundBy(drawn))}
          onClose={() => setIsPicking(false)}
        />
      )}
      <MoreFields {...{ service, board, block, onChange }} />
    </div>
  );
}

/** A table has a query alone: chosen experiments are one of their ids. */
function TableRuns({ service, board, block, onChange }: Omit<Props, "drawn" | "onUsual">) {
  const ids = idsOfQuery(block.query);
  const asked = { kind: "ids" as const, ids: ids ?? [""] };
  const { compared } = useCompared(service, { asked, hidden: new Set(), reference: undefined });
  const find = (query: string) => onChange({ ...block, query });
  return (
    <ChosenRuns
      {...{ service, board, folderId: block.folderId, ids }}
      known={compared?.experiments ?? []}
      onChange={(next) => find(next.length === 0 ? "" : idQuery(next))}
      query={{ text: block.query, onChange: find }}
    />
  );
}

function MoreFields({ service, board, block, onChange }: Omit<Props, "drawn" | "onUsual">) {
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
        <TypedNumber
          value={block.limit}
          min={1}
          max={100}
          onType={(limit = 1) => onChange({ ...block, limit })}
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

/** The experiments of a block, in its order. */
export function foundBy({ query, folderId, sort }: TableBlock): Found {
  return { query, folder: folderId, sort: sortIn(sort) };
}

/** The columns of a text; none of one that cannot be read. */
function readColumns(text: string): string[] {
  try {
    return parseColumns(text);
  } catch {
    return [];
  }
}
