import type { ReportBlock } from "@lossless/client";
import { Labelled } from "../../parts/labelled.tsx";
import type { Service } from "../../signed-in.ts";
import { ChartFields } from "./chart-fields.tsx";
import { Markdown } from "./markdown.tsx";
import type { ReportBoard } from "./report-board.tsx";
import { MediaFields } from "./media-fields.tsx";
import { ReportChart } from "./report-chart.tsx";
import { ReportMedia } from "./report-media.tsx";
import { TableFields } from "./table-fields.tsx";
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
