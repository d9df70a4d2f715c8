import type { ChartBlock } from "@lossless/protocol";
import { Labelled } from "../../parts/labelled.tsx";
import type { Service } from "../../signed-in.ts";
import { defaultSort } from "../experiments/table-address.ts";
import { FolderField } from "./folder-field.tsx";
import type { ReportBoard } from "./report-board.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  block: ChartBlock;
  onChange: (block: ChartBlock) => void;
}

/** Fields of a chart in a report: its data, and its appearance. */
export function ChartFields({ service, board, block, onChange }: Props) {
  const { experimentIds } = block;
  const drawn = unnamed(block);
  return (
    <div class="block-fields">
      <Labelled label="Title">
        <input
          value={block.title}
          placeholder={block.seriesName}
          maxLength={128}
          onInput={(event) => onChange({ ...block, title: event.currentTarget.value })}
        />
      </Labelled>
      <Labelled label="Series">
        <input
          value={block.seriesName}
          maxLength={1_000}
          onInput={(event) => onChange({ ...block, seriesName: event.currentTarget.value })}
        />
      </Labelled>
      <Labelled label="Experiments">
        <select
          value={experimentIds === undefined ? "query" : "ids"}
          onChange={(event) =>
            onChange(
              event.currentTarget.value === "ids"
                ? { ...drawn, experimentIds: [] }
                : { ...drawn, query: "" },
            )
          }
        >
          <option value="query">found by a query (live)</option>
          <option value="ids">listed by id</option>
        </select>
      </Labelled>
      {experimentIds === undefined ? (
        <LiveFields {...{ service, board, block, onChange }} />
      ) : (
        <Labelled label="Experiment ids, separated by commas">
          <input
            value={experimentIds.join(", ")}
            onChange={(event) => {
              const ids = event.currentTarget.value.split(/[\s,]+/).filter((id) => id !== "");
              onChange({ ...drawn, experimentIds: ids.slice(0, 100) });
            }}
          />
        </Labelled>
      )}
      <Labelled label="Experiment whose marks are shown (id)">
        <input
          value={block.referenceId ?? ""}
          placeholder="the first experiment"
          onChange={(event) => {
            const { referenceId: _, ...rest } = block;
            const referenceId = event.currentTarget.value.trim();
            onChange(referenceId === "" ? rest : { ...rest, referenceId });
          }}
        />
      </Labelled>
      <Labelled label="View (the part after ? of a page's address)">
        <input
          value={block.view}
          placeholder="x=elapsed&s=ema:0.99"
          onChange={(event) => onChange({ ...block, view: queryOf(event.currentTarget.value) })}
        />
      </Labelled>
    </div>
  );
}

/** A block without its experiments and the time of pinning. */
function unnamed(block: ChartBlock): ChartBlock {
  const { experimentIds: _ids, query: _query, folderId: _folder, sort: _sort, ...rest } = block;
  const { pinned: _pinned, ...drawn } = rest;
  return drawn;
}

interface Live {
  query: string;
  folderId: string | undefined;
  sort: string | undefined;
}

function LiveFields({ service, board, block, onChange }: Props) {
  const live: Live = { query: block.query ?? "", folderId: block.folderId, sort: block.sort };
  const change = (part: Partial<Live>) => {
    const { query, folderId, sort } = { ...live, ...part };
    const where = folderId !== undefined && { folderId };
    onChange({ ...unnamed(block), query, ...where, ...(sort !== undefined && { sort }) });
  };
  return (
    <>
      <Labelled label="Query">
        <input
          value={live.query}
          onInput={(event) => change({ query: event.currentTarget.value })}
        />
      </Labelled>
      <Labelled label="Sort by; the first hundred are drawn">
        <input
          value={live.sort ?? ""}
          placeholder={defaultSort}
          onChange={(event) => change({ sort: event.currentTarget.value.trim() || undefined })}
        />
      </Labelled>
      <FolderField
        {...{ service, board, folderId: live.folderId }}
        onChoose={(folderId) => change({ folderId })}
      />
    </>
  );
}

/** The query in a text, which may be a whole pasted address. */
function queryOf(text: string): string {
  const at = text.indexOf("?");
  return (at < 0 ? text : text.slice(at + 1)).trim();
}
