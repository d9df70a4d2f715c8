import type { ReportBlock } from "@lossless/client";
import type { TableBlock } from "@lossless/protocol";
import { Labelled } from "../../parts/labelled.tsx";
import type { Service } from "../../signed-in.ts";
import { ChartFields } from "./chart-fields.tsx";
import { FolderField } from "./folder-field.tsx";
import { Markdown } from "./markdown.tsx";
import type { ReportBoard } from "./report-board.tsx";
import { MediaFields } from "./media-fields.tsx";
import { PickButtons } from "./pick-buttons.tsx";
import { ReportChart } from "./report-chart.tsx";
import { ReportMedia } from "./report-media.tsx";
import { ReportTable } from "./report-table.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  block: ReportBlock;
  onChange: (block: ReportBlock) => void;
}

/** The fields of a block, with a preview below. */
export function BlockEditor({ service, board, block, onChange }: Props) {
  switch (block.kind) {
    case "text":
      return (
        <>
          <Labelled label="Text, in Markdown">
            <textarea
              value={block.markdown}
              rows={Math.min(30, Math.max(4, block.markdown.split("\n").length + 1))}
              maxLength={32_000}
              onInput={(event) => onChange({ ...block, markdown: event.currentTarget.value })}
            />
          </Labelled>
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
          <ChartFields {...{ service, board, block, onChange }} />
          <ReportChart {...{ service, block, board }} onPin={onChange} />
        </>
      );
    case "media":
      return (
        <>
          <MediaFields {...{ service, block, onChange }} />
          <ReportMedia {...{ service, block }} />
        </>
      );
    case "table":
      return (
        <>
          <TableFields {...{ service, board, block, onChange }} />
          <ReportTable {...{ service, board, block }} />
        </>
      );
  }
}

interface TableProps extends Omit<Props, "block" | "onChange"> {
  block: TableBlock;
  onChange: (block: TableBlock) => void;
}

function TableFields({ service, board, block, onChange }: TableProps) {
  const { folderId, ...anywhere } = block;
  const text = (label: string, name: "query" | "columns" | "sort") => (
    <Labelled label={label}>
      <input
        value={block[name]}
        onInput={(event) => onChange({ ...block, [name]: event.currentTarget.value })}
      />
    </Labelled>
  );
  return (
    <div class="block-fields">
      {text("Query", "query")}
      {text("Columns", "columns")}
      {text("Sort", "sort")}
      <PickButtons {...{ service, block, onChange }} />
      <FolderField
        {...{ service, board, folderId }}
        onChoose={(chosen) =>
          onChange(chosen === undefined ? anywhere : { ...anywhere, folderId: chosen })
        }
      />
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
    </div>
  );
}
