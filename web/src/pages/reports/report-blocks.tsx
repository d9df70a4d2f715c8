import type { ReportBlock } from "@lossless/client";
import { useMemo } from "preact/hooks";
import { Board } from "../../chart/board.ts";
import type { Member } from "../../chart/lines.ts";
import type { Service } from "../../signed-in.ts";
import { Markdown } from "./markdown.tsx";
import { ReportChart } from "./report-chart.tsx";
import { ReportTable } from "./report-table.tsx";

/** Whose lines a chart has, and how many of them are running, by the place of its block. */
export type ShownCharts = Map<number, { members: readonly Member[]; running: number }>;

interface Props {
  service: Service;
  blocks: readonly ReportBlock[];
  /** It is filled while charts are drawn. */
  shown: ShownCharts;
}

/** What a report says and shows. */
export function ReportBlocks({ service, blocks, shown }: Props) {
  const board = useMemo(() => new Board(), []);
  return (
    <>
      {blocks.map((block, at) => (
        <section key={at} data-block={block.kind}>
          {block.kind === "text" ? (
            <Markdown text={block.markdown} />
          ) : block.kind === "chart" ? (
            <ReportChart
              {...{ service, block, board }}
              onMembers={(members, running) => void shown.set(at, { members, running })}
            />
          ) : (
            <ReportTable {...{ service, block }} />
          )}
        </section>
      ))}
    </>
  );
}
