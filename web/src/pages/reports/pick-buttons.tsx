import type { TableBlock } from "@lossless/protocol";
import { parseColumns } from "@lossless/protocol/query-list";
import { useState } from "preact/hooks";
import type { Service } from "../../signed-in.ts";
import { idQuery } from "../compare/compare-address.ts";
import { Choose } from "../experiment/choose.tsx";
import { ColumnPicker } from "../experiments/column-picker.tsx";
import { emptyBlocks } from "./report-draft.ts";
import { PickRuns } from "./pick-runs.tsx";

interface Props {
  service: Service;
  block: TableBlock;
  onChange: (block: TableBlock) => void;
}

/** Chooses columns, order and experiments of a table from lists, which writes its fields. */
export function PickButtons({ service, block, onChange }: Props) {
  const [opened, setOpened] = useState<"columns" | "runs">();
  const [ids, setIds] = useState<readonly string[]>([]);
  const close = () => setOpened(undefined);
  const columns = readColumns(block.columns);
  const orders = ["created", "slug", ...columns].flatMap((field) => [
    [field, `${field}, smallest first`] as const,
    [`${field} desc`, `${field}, largest first`] as const,
  ]);
  return (
    <div class="whole choices">
      <button type="button" onClick={() => setOpened("columns")}>
        choose columns…
      </button>
      <Choose
        label="order"
        value={block.sort}
        options={orders}
        onChoose={(sort) => onChange({ ...block, sort })}
      />
      <button type="button" onClick={() => setOpened("runs")}>
        choose experiments…
      </button>
      {opened === "columns" && (
        <ColumnPicker
          columns={columns}
          ask={(body, signal) => service.client.views.fields(body, signal)}
          onChange={(next) => onChange({ ...block, columns: next.join(", ") })}
          onReset={() => onChange({ ...block, columns: emptyBlocks.table.columns })}
          onClose={close}
        />
      )}
      {opened === "runs" && (
        <PickRuns
          service={service}
          chosen={ids}
          onChange={(next) => {
            setIds(next);
            onChange({ ...block, query: next.length === 0 ? "" : idQuery(next) });
          }}
          onClose={close}
        />
      )}
    </div>
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
