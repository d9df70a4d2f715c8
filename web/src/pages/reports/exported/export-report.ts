import type { Report } from "@lossless/client";
import type { ChartBlock } from "@lossless/protocol";
import { captionOf } from "../../../chart/caption.ts";
import { margin, rightOf } from "../../../chart/draw.ts";
import { grouped } from "../../../chart/grouped.ts";
import { looksInOrder, type Member } from "../../../chart/lines.ts";
import { overviewOf } from "../../../chart/overview-parts.ts";
import { questionOf as chartQuestion } from "../../../chart/question.ts";
import { sentenceOf } from "../../../chart/readings.tsx";
import { plotHeight } from "../../../chart/room.ts";
import { pause } from "../../../parts/pause.ts";
import type { Service } from "../../../signed-in.ts";
import { standingText, titleOf, viewOfBlock } from "../chart-block.ts";
import type { ShownCharts } from "../report-blocks.tsx";
import { exportedFile, fileBytesMax, type ExportedBlock } from "./exported-file.ts";

/** What a chart's figure is wide, in a file and on a page that has the room. */
export const figureWidth = 926;

/**
 * Reads what the charts show at this moment and gives the file. Texts and tables are taken from the
 * page, where they were drawn without anything that could run.
 */
export async function exportReport(
  service: Service,
  report: Report,
  page: Element,
  shown: ShownCharts,
): Promise<Blob> {
  const stopped = new AbortController();
  while (page.querySelector("[data-waiting]") !== null) await pause(100, stopped.signal);
  const [script, style] = await Promise.all([import("exported:script"), import("exported:style")]);
  const drawn = [...page.querySelectorAll("[data-block]")];
  const blocks: ExportedBlock[] = [];
  for (const [at, block] of report.blocks.entries())
    blocks.push(
      block.kind === "chart"
        ? await exportedChart(service, block, shown.get(at) ?? noLines, legendOf(drawn[at]))
        : { kind: "markup", markup: markupOf(drawn[at]) },
    );
  const { organization, person } = service.session;
  const from = {
    organization: organization?.name ?? "",
    person: person.email,
    address: new URL(`/reports/${report.id}`, window.location.origin).href,
    nowMs: Date.now(),
  };
  const file = new Blob([exportedFile(report, blocks, from, script, style)], { type: "text/html" });
  if (file.size <= fileBytesMax) return file;
  const megabytes = Math.ceil(file.size / 1e6);
  throw new Error(
    `The file would have ${megabytes} MB, more than ${fileBytesMax / 1e6}: leave out charts, or lines of them.`,
  );
}

async function exportedChart(
  service: Service,
  block: ChartBlock,
  { members, running }: { members: readonly Member[]; running: number },
  legend: string,
): Promise<ExportedBlock> {
  const { views } = service.client;
  const view = viewOfBlock(block);
  const hasNames = members.length > 1;
  const plotWidth = figureWidth - margin.left - rightOf(hasNames);
  const pictures = [];
  for (const ratio of [1, 2]) {
    const columns = Math.round(plotWidth * ratio);
    const ids = members.map(({ experimentId }) => experimentId);
    const question = chartQuestion(ids, block.seriesName, view.only, view, columns);
    const overview = await overviewOf((body) => views.overview(body), question);
    const { group, band, split } = view;
    const drawn =
      group === undefined
        ? { overview, looks: looksInOrder(overview, members, split.kind === "together") }
        : grouped(overview, members, group, band);
    pictures.push({ ratio, overview: drawn.overview, looks: [...drawn.looks] });
  }
  const [{ overview, looks }] = pictures;
  const words = [captionOf(overview, view), standingText(block, overview.points, running)];
  return {
    kind: "chart",
    legend,
    chart: {
      name: titleOf(block),
      view,
      width: figureWidth,
      height: plotHeight,
      hasNames,
      pictures,
    },
    caption: words.filter(Boolean).join(" · "),
    sentence: sentenceOf(overview, looks),
  };
}

const noLines = { members: [], running: 0 };

/** The names of the lines, with their last values. */
function legendOf(drawn: Element): string {
  return drawn.querySelector(".readings")?.outerHTML ?? "";
}

/** Its links lead to the service: a file has no pages beside it. */
function markupOf(drawn: Element): string {
  const copy = drawn.cloneNode(true) as Element;
  for (const link of copy.querySelectorAll("a")) {
    link.setAttribute("href", link.href);
    link.setAttribute("rel", "noopener noreferrer nofollow");
  }
  return copy.outerHTML;
}
