import { RequestError, type OverviewReply, type Report } from "@lossless/client";
import type { ChartBlock } from "@lossless/protocol";
import { h, render } from "preact";
import { chartDataOf, type ChartData } from "../../../chart/chart-data.ts";
import { margin, rightOf } from "../../../chart/axes/margins.ts";
import type { LineLook } from "../../../chart/lines/looks.ts";
import { readInParts } from "../../../chart/overview/parts.ts";
import { overviewRequest as chartRequest } from "../../../chart/overview/request.ts";
import { LineReadings, sentenceOf } from "../../../chart/cursor/readings.tsx";
import { plotHeight } from "../../../chart/size.ts";
import { pause } from "../../../parts/pause.ts";
import type { Service } from "../../../signed-in.ts";
import { standingText, titleOf, viewOfBlock } from "../chart-block.ts";
import type { ShownCharts } from "../report-blocks.tsx";
import type { ShownChart } from "../report-chart.tsx";
import type { ExportedChart } from "./exported-chart.ts";
import { exportedFile, fileBytesMax, type ExportedBlock } from "./exported-file.ts";
import { readLane, type ExportContext } from "./read-lane.ts";
import { serviceUrl } from "../../../base-path.ts";

/** Width of a chart's figure, in a file and on a page with enough room. */
export const figureWidth = 926;

export interface ExportedReport {
  file: Blob;
  /** Sentences about what is missing, and why. */
  missing: readonly string[];
}

/**
 * Reads the present data of the charts and builds the file. Texts and tables are copied from the
 * page, where they were drawn without anything executable. Throws the reason if stopped.
 */
export async function exportReport(
  service: Service,
  report: Report,
  page: Element,
  shown: ShownCharts,
  stopped: AbortSignal,
): Promise<ExportedReport> {
  while (page.querySelector("[data-waiting]") !== null && !stopped.aborted)
    await pause(100, stopped);
  stopped.throwIfAborted();
  const [script, style] = await Promise.all([import("exported:script"), import("exported:style")]);
  const drawn = [...page.querySelectorAll("[data-block]")];
  const blocks: ExportedBlock[] = [];
  const missing: string[] = [];
  const reading: ExportContext = { service, marks: new Map(), stopped };
  for (const [at, block] of report.blocks.entries()) {
    stopped.throwIfAborted();
    if (block.kind === "chart") {
      const { chart, lacks } = await exportedChart(reading, block, shown.get(at));
      blocks.push(chart);
      missing.push(...lacks);
    } else {
      blocks.push({ kind: "markup", markup: markupOf(drawn[at]) });
      const problem = drawn[at].querySelector("[role=alert]")?.textContent;
      if (problem) missing.push(`a table: ${problem}`);
    }
  }
  const { organization, person } = service.session;
  const from = {
    organization: organization?.name ?? "",
    person: person.email,
    address: `${serviceUrl()}/reports/${report.id}`,
    nowMs: Date.now(),
  };
  const file = new Blob([exportedFile(report, blocks, from, script, style)], { type: "text/html" });
  if (file.size <= fileBytesMax) return { file, missing };
  const megabytes = Math.ceil(file.size / 1e6);
  throw new Error(
    `The file would have ${megabytes} MB, more than the limit of ${fileBytesMax / 1e6} MB. Remove charts or lines.`,
  );
}

interface Exported {
  chart: ExportedBlock;
  /** Sentences about missing parts of it. */
  lacks: string[];
}

/** A chart for the file; a refusal by the service is shown in its place. */
async function exportedChart(
  reading: ExportContext,
  block: ChartBlock,
  shown: ShownChart | undefined,
): Promise<Exported> {
  const name = titleOf(block) || "a chart";
  const lack = (words: string): Exported => ({
    chart: { kind: "lack", name, words },
    lacks: [`${name}: ${words}`],
  });
  if (shown === undefined) return lack("it was not drawn yet");
  if (shown.lack !== undefined) return lack(shown.lack);
  try {
    return await drawnChart(reading, block, shown, name);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return lack(error.message);
  }
}

async function drawnChart(
  reading: ExportContext,
  block: ChartBlock,
  shown: ShownChart,
  name: string,
): Promise<Exported> {
  const { service, stopped } = reading;
  const { views } = service.client;
  const { members, reference, cut } = shown;
  const { seriesName } = block;
  const wanted = viewOfBlock(block);
  const hasNames = members.length > 1;
  const plotWidth = figureWidth - margin.left - rightOf(hasNames, figureWidth);
  const pictures: ExportedChart["pictures"] = [];
  let drawn: ChartData | undefined;
  for (const ratio of [1, 2]) {
    const columns = Math.round(plotWidth * ratio);
    const ids = members.map(({ experimentId }) => experimentId);
    const request = chartRequest(ids, seriesName, wanted.only, wanted, columns);
    const overview = await readInParts((body) => views.overview(body, stopped), request);
    drawn = chartDataOf(overview, members, wanted, cut);
    pictures.push({ ratio, overview: drawn.overview, looks: [...drawn.looks] });
  }
  const { view, caption, digits } = drawn!;
  const [{ overview, looks }] = pictures;
  const overviews = pictures.map((picture) => picture.overview);
  const isWhole = view.range === undefined;
  const asked = { seriesName, axis: view.x.kind, overviews, isWhole };
  const lane = reference && (await readLane(reading, { ...asked, reference }));
  const standing = standingText(block, { ...shown, points: overview.points });
  const words = [caption, standing, ...(lane?.words ?? [])];
  const happened = lane?.happened ?? [];
  const size = { width: figureWidth, height: plotHeight };
  const chart: ExportedBlock = {
    kind: "chart",
    legend: legendOf(overview, looks, digits),
    chart: { name, view, digits, ...size, hasNames, pictures, happened },
    caption: words.filter(Boolean).join(" · "),
    sentence: sentenceOf(overview, looks),
  };
  return { chart, lacks: lane?.problem === undefined ? [] : [`${name}: ${lane.problem}`] };
}

/** The names of the lines with their last values, from the file's data and not the page's. */
function legendOf(overview: OverviewReply, looks: readonly LineLook[], digits: number): string {
  const place = document.createElement("div");
  render(h(LineReadings, { overview, looks, digits }), place);
  const markup = place.innerHTML;
  render(null, place);
  return markup;
}

/** Markup for the file, with links to the service: a file has no pages beside it. */
function markupOf(drawn: Element): string {
  const copy = drawn.cloneNode(true) as Element;
  for (const link of copy.querySelectorAll("a")) {
    link.setAttribute("href", link.href);
    link.setAttribute("rel", "noopener noreferrer nofollow");
  }
  return copy.outerHTML;
}
