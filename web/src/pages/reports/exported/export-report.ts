import { RequestError, type OverviewBody, type OverviewReply, type Report } from "@lossless/client";
import type { ChartBlock, MediaBlock } from "@lossless/protocol";
import type { Signal } from "@preact/signals";
import { h, render } from "preact";
import { chartDataOf, type ChartData, foundDataOf } from "../../../chart/chart-data.ts";
import { isOfService } from "../../../chart/groups/of-service.ts";
import { loadGroups } from "../../../chart/groups/use-groups-part.ts";
import type { ChartView } from "../../../chart/view.ts";
import { margin, rightOf } from "../../../chart/axes/margins.ts";
import type { LineLook } from "../../../chart/lines/looks.ts";
import { readInParts } from "../../../chart/overview/parts.ts";
import { overviewRequest as chartRequest } from "../../../chart/overview/request.ts";
import { LineReadings, sentenceOf } from "../../../chart/cursor/readings.tsx";
import { plotHeight } from "../../../chart/size.ts";
import { countedText } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import { foundByBlock, standingText, titleOf, viewOfBlock } from "../chart-block.ts";
import type { ReportPictures } from "../pictures/report-pictures.ts";
import type { ShownCharts } from "../report-blocks.tsx";
import type { ShownChart } from "../report-chart.tsx";
import type { ExportedChart } from "./exported-chart.ts";
import { exportedFile, fileBytesMax, type ExportedBlock } from "./exported-file.ts";
import { readWhole } from "./read-whole.ts";
import { readLane, type ExportContext } from "./read-lane.ts";
import { serviceUrl } from "../../../base-path.ts";

/** Width of a chart's figure, in a file and on a page with enough room. */
export const figureWidth = 926;

/** Width of a chart's figure that is half as wide as the report. */
const halfWidth = 455;

export interface ExportedReport {
  file: Blob;
  /** Sentences about what is missing, and why. */
  missing: readonly string[];
}

/** A report as its page shows it. */
export interface ShownReport {
  page: Element;
  shown: ShownCharts;
  pictures: ReportPictures;
  /** Whether all of it is read, however far from the screen. */
  whole: Signal<boolean>;
}

/**
 * Reads the present data of the charts and builds the file. Texts and tables are copied from the
 * page, where they were drawn without anything executable. Throws the reason if stopped.
 */
export async function exportReport(
  service: Service,
  report: Report,
  { page, shown, pictures, whole }: ShownReport,
  tell: (words: string) => void,
  stopped: AbortSignal,
): Promise<ExportedReport> {
  try {
    await readWhole(page, whole, tell, stopped);
    tell("Loading the data of the charts …");
    return await readReport(service, report, { page, shown, pictures }, stopped);
  } finally {
    whole.value = false;
  }
}

async function readReport(
  service: Service,
  report: Report,
  { page, shown, pictures }: Omit<ShownReport, "whole">,
  stopped: AbortSignal,
): Promise<ExportedReport> {
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
      if (block.kind === "media") missing.push(...lacksOf(block, drawn[at]));
      blocks.push({ kind: "markup", markup: await markupOf(drawn[at], pictures) });
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
    `The file would have ${megabytes} MB, more than the limit of ${fileBytesMax / 1e6} MB. Remove charts, lines or pictures.`,
  );
}

/** Says what the file lacks of media. */
function lacksOf({ media, title, name }: MediaBlock, drawn: Element): string[] {
  const unread = drawn.querySelectorAll(".picture:not(:has(img))").length;
  const lacks = [
    ...(["audio", "video", "html"].includes(media) ? [`a file cannot have ${media}`] : []),
    ...(unread > 0 ? [`${countedText(unread, "picture")} could not be read`] : []),
    drawn.querySelector("[data-left-out]")?.textContent ?? "",
  ];
  return lacks.filter(Boolean).map((words) => `${title || name}: ${words}`);
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
  const { members, reference, cut } = shown;
  const { seriesName, otherSeriesNames = [], operator } = block;
  const names = [seriesName, ...otherSeriesNames];
  const wanted = viewOfBlock(block);
  const hasNames = members.length * (operator === undefined ? names.length : 1) > 1;
  const wide = block.width === "half" ? halfWidth : figureWidth;
  const plotWidth = wide - margin.left - rightOf(hasNames, wide);
  const pictures: ExportedChart["pictures"] = [];
  let drawn: ChartData | undefined;
  for (const ratio of [1, 2]) {
    const columns = Math.round(plotWidth * ratio);
    const ids = members.map(({ experimentId }) => experimentId);
    const request = chartRequest(ids, names, wanted.only, wanted, columns, operator);
    drawn = await readDrawn(reading, request, { block, wanted, members, cut });
    pictures.push({ ratio, overview: drawn.overview, looks: [...drawn.looks] });
  }
  const { view, caption, digits } = drawn!;
  const [{ overview, looks }] = pictures;
  const overviews = pictures.map((picture) => picture.overview);
  const isWhole = view.range === undefined;
  const asked = { names, axis: view.x.kind, overviews, isWhole };
  const lane = reference && (await readLane(reading, { ...asked, reference }));
  const standing = standingText(block, { ...shown, points: overview.points });
  const words = [caption, standing, ...(lane?.words ?? [])];
  const happened = lane?.happened ?? [];
  const size = { width: wide, height: plotHeight };
  const chart: ExportedBlock = {
    kind: "chart",
    legend: legendOf(overview, looks, digits),
    chart: { name, view, digits, ...size, hasNames, pictures, happened },
    caption: words.filter(Boolean).join(" · "),
    sentence: sentenceOf(overview, looks),
    width: block.width,
  };
  return { chart, lacks: lane?.problem === undefined ? [] : [`${name}: ${lane.problem}`] };
}

/** Reads the lines of a chart, or its groups over all that the block finds. */
async function readDrawn(
  { service, stopped }: ExportContext,
  request: OverviewBody,
  {
    block,
    wanted,
    members,
    cut,
  }: { block: ChartBlock; wanted: ChartView } & Pick<ShownChart, "members" | "cut">,
): Promise<ChartData> {
  const { views } = service.client;
  const read = (body: OverviewBody) => readInParts((part) => views.overview(part, stopped), body);
  const lines = await read(request);
  const part = wanted.group && (await loadGroups());
  const lacksLines = lines.partitions > lines.series.length;
  if (part === undefined || !isOfService(wanted, cut !== undefined, lacksLines))
    return chartDataOf(lines, members, wanted, cut, part)!;
  const asked = part.groupsRequest(foundByBlock(block), request, wanted.group!);
  const groups = await views.groups(asked, stopped);
  const own = await read(part.membersRequest(request, groups));
  const named = { ...groups, seriesName: block.seriesName };
  return foundDataOf(named, own, members, wanted, part);
}

/** The names of the lines with their last values, from the file's data and not the page's. */
function legendOf(overview: OverviewReply, looks: readonly LineLook[], digits: number): string {
  const place = document.createElement("div");
  render(h(LineReadings, { overview, looks, digits }), place);
  keepStyles(place.querySelectorAll<HTMLElement>(".readings"));
  const markup = place.innerHTML;
  render(null, place);
  return markup;
}

/** Markup for the file, with links to the service: a file has no pages beside it. */
async function markupOf(drawn: Element, pictures: ReportPictures): Promise<string> {
  const copy = drawn.cloneNode(true) as Element;
  const shown = drawn.querySelectorAll("img");
  for (const [at, picture] of copy.querySelectorAll("img").entries()) {
    const own = picture.dataset.picture;
    picture.src = own === undefined ? dataOf(shown[at]) : await textOf(await pictures.read(own));
    sizeInFile(picture, shown[at]);
  }
  keepStyles(copy.querySelectorAll<HTMLElement>(".tag"));
  // Fields and buttons do nothing in a file; heads of tables are their words.
  for (const control of copy.querySelectorAll("button, input, iframe, audio, video, canvas"))
    control.replaceWith(...(control.closest("th") === null ? [] : control.childNodes));
  for (const link of copy.querySelectorAll("a")) {
    link.setAttribute("href", link.href);
    link.setAttribute("rel", "noopener noreferrer nofollow");
  }
  return copy.outerHTML;
}

/** Styles as data, since the file's policy refuses them in its markup: its script sets them. */
function keepStyles(elements: Iterable<HTMLElement>): void {
  for (const element of elements) {
    element.dataset.style = element.getAttribute("style") ?? "";
    element.removeAttribute("style");
  }
}

/** Gives a logged picture the size that it has on the page: the file's policy refuses styles. */
function sizeInFile(picture: HTMLImageElement, shown: HTMLImageElement): void {
  const box = picture.closest<HTMLElement>(".picture");
  if (box === null) return;
  picture.width = shown.clientWidth;
  picture.height = shown.clientHeight;
  picture.dataset.small = String(box.dataset.small === "true");
  box.replaceWith(picture);
}

/** The bytes of a picture as they are stored, as an address that holds them. */
function textOf(content: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(content);
  });
}

/** A picture as text: the address that the page has for it ends with the page. */
function dataOf(picture: HTMLImageElement): string {
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  if (canvas.width === 0) return "";
  canvas.getContext("2d")!.drawImage(picture, 0, 0);
  return canvas.toDataURL("image/png");
}
