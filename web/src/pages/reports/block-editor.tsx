import type { ReportBlock } from "@lossless/client";
import type { ChartBlock, TableBlock } from "@lossless/protocol";
import type { ComponentChildren } from "preact";
import type { Board } from "../../chart/board.ts";
import type { Service } from "../../signed-in.ts";
import { Markdown } from "./markdown.tsx";
import { ReportChart } from "./report-chart.tsx";
import { ReportTable } from "./report-table.tsx";

interface Props {
  service: Service;
  board: Board;
  block: ReportBlock;
  onChange: (block: ReportBlock) => void;
}

/** The fields of a block, and below them what it becomes. */
export function BlockEditor({ service, board, block, onChange }: Props) {
  switch (block.kind) {
    case "text":
      return (
        <>
          <label class="field">
            Text, in Markdown
            <textarea
              value={block.markdown}
              rows={Math.min(30, Math.max(4, block.markdown.split("\n").length + 1))}
              maxLength={32_000}
              onInput={(event) => onChange({ ...block, markdown: event.currentTarget.value })}
            />
          </label>
          {block.markdown.trim() !== "" && (
            <div class="preview" aria-label="Preview" role="group">
              <Markdown text={block.markdown} />
            </div>
          )}
        </>
      );
    case "chart":
      return (
        <>
          <ChartFields block={block} onChange={onChange} />
          <ReportChart {...{ service, block, board }} onPin={onChange} />
        </>
      );
    case "table":
      return (
        <>
          <TableFields block={block} onChange={onChange} />
          <ReportTable {...{ service, block }} />
        </>
      );
  }
}

function ChartFields({
  block,
  onChange,
}: {
  block: ChartBlock;
  onChange: (block: ChartBlock) => void;
}) {
  const { experimentIds, query, pinned: _, ...rest } = block;
  const isLive = experimentIds === undefined;
  return (
    <div class="block-fields">
      <Field label="Title">
        <input
          value={block.title}
          placeholder={block.seriesName}
          maxLength={128}
          onInput={(event) => onChange({ ...block, title: event.currentTarget.value })}
        />
      </Field>
      <Field label="Series">
        <input
          value={block.seriesName}
          maxLength={1_000}
          onInput={(event) => onChange({ ...block, seriesName: event.currentTarget.value })}
        />
      </Field>
      <Field label="Experiments">
        <select
          value={isLive ? "query" : "ids"}
          onChange={(event) =>
            onChange(
              event.currentTarget.value === "ids"
                ? { ...rest, experimentIds: [] }
                : { ...rest, query: "" },
            )
          }
        >
          <option value="query">what a query finds, live</option>
          <option value="ids">these</option>
        </select>
      </Field>
      {isLive ? (
        <Field label="Query">
          <input
            value={query ?? ""}
            onInput={(event) => onChange({ ...rest, query: event.currentTarget.value })}
          />
        </Field>
      ) : (
        <Field label="Their ids, separated by commas">
          <input
            value={experimentIds.join(", ")}
            onChange={(event) => {
              const ids = event.currentTarget.value.split(/[\s,]+/).filter((id) => id !== "");
              onChange({ ...rest, experimentIds: ids.slice(0, 100) });
            }}
          />
        </Field>
      )}
      <Field label="Drawn as (the query of its page)">
        <input
          value={block.view}
          placeholder="x=elapsed&s=ema:0.99"
          onChange={(event) => onChange({ ...block, view: queryOf(event.currentTarget.value) })}
        />
      </Field>
    </div>
  );
}

/** A whole address may be pasted. */
function queryOf(text: string): string {
  const at = text.indexOf("?");
  return (at < 0 ? text : text.slice(at + 1)).trim();
}

function TableFields({
  block,
  onChange,
}: {
  block: TableBlock;
  onChange: (block: TableBlock) => void;
}) {
  const text = (label: string, name: "query" | "columns" | "sort") => (
    <Field label={label}>
      <input
        value={block[name]}
        onInput={(event) => onChange({ ...block, [name]: event.currentTarget.value })}
      />
    </Field>
  );
  return (
    <div class="block-fields">
      {text("Query", "query")}
      {text("Columns", "columns")}
      {text("Sort", "sort")}
      <Field label="Rows">
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
      </Field>
    </div>
  );
}

function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label class="field">
      {label}
      {children}
    </label>
  );
}
