import type { ReportBlock } from "@lossless/client";
import { useMemo } from "preact/hooks";
import { Loaded } from "../../parts/loaded.tsx";
import type { Service } from "../../signed-in.ts";
import { Markdown } from "./markdown.tsx";
import { MarksReader, ReportBoard } from "./report-board.tsx";
import { ReportChart, type ShownChart } from "./report-chart.tsx";
import { ReportTable } from "./report-table.tsx";

/** The present content of charts, by index of their blocks. */
export type ShownCharts = Map<number, ShownChart>;

interface Props {
  service: Service;
  blocks: readonly ReportBlock[];
  /** Filled while charts are drawn. */
  shown: ShownCharts;
}

/** The blocks of a report. */
export function ReportBlocks({ service, blocks, shown }: Props) {
  const board = useMemo(() => new ReportBoard(), []);
  return (
    <>
      <MarksReader {...{ service, board }} />
      {blocks.map((block, at) => (
        <section key={at} data-block={block.kind} data-width={block.width}>
          {block.kind === "text" ? (
            <Markdown text={block.markdown} />
          ) : block.kind === "chart" ? (
            <ReportChart
              {...{ service, block, board }}
              onShown={(chart) => void shown.set(at, chart)}
            />
          ) : block.kind === "media" ? (
            <Loaded load={loadMedia} props={{ service, board, block }} />
          ) : (
            <ReportTable {...{ service, board, block }} />
          )}
        </section>
      ))}
    </>
  );
}

const loadMedia = () => import("./report-media.tsx").then(({ ReportMedia }) => ReportMedia);
