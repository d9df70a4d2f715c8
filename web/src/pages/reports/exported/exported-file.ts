import type { Report } from "@lossless/client";
import { escaped } from "../../../parts/escaped.ts";
import { timeText } from "../../../parts/words.ts";
import type { ExportedChart } from "./exported-chart.ts";

/** A script or style, with the hash by which the file's policy allows it. */
export interface Inline {
  text: string;
  hash: string;
}

/**
 * A block in the file: the page's markup, charts with their words, or the reason why a chart is
 * missing.
 */
export type ExportedBlock =
  | { kind: "markup"; markup: string }
  | {
      kind: "chart";
      chart: ExportedChart;
      legend: string;
      caption: string;
      sentence: string;
      width?: "half" | undefined;
    }
  | { kind: "lack"; name: string; words: string };

export interface ExportedFrom {
  organization: string;
  person: string;
  /** Address of the report. */
  address: string;
  nowMs: number;
}

/** Size of a file at most: larger ones would hardly open. */
export const fileBytesMax = 50_000_000;

/**
 * The report as one HTML file that needs no service and no network. Its policy allows this script
 * only and loads nothing; everything people wrote is text, or markup made from it earlier.
 */
export function exportedFile(
  report: Pick<Report, "name" | "changedAtMs" | "changedBy">,
  blocks: readonly ExportedBlock[],
  from: ExportedFrom,
  script: Inline,
  style: Inline,
): string {
  const charts = blocks.flatMap((block) => (block.kind === "chart" ? [block.chart] : []));
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${script.hash}'`,
    `style-src 'sha256-${style.hash}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  const { organization, person, address, nowMs } = from;
  const facts =
    `Changed by ${report.changedBy} on ${timeText(report.changedAtMs)}. Saved as a file by ${person} ` +
    `of ${organization} on ${timeText(nowMs)} from `;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(report.name)}</title>
<style>${style.text}</style>
</head>
<body>
<main class="report exported">
<article class="sheet">
<h1>${escaped(report.name)}</h1>
<p class="facts">${escaped(facts)}<a href="${escaped(address)}" rel="noreferrer">${escaped(address)}</a></p>
${blocks.map(blockMarkup).join("\n")}
</article>
</main>
<script type="application/json" id="charts">${jsonText(charts)}</script>
<script>${script.text}</script>
</body>
</html>
`;
}

function blockMarkup(block: ExportedBlock): string {
  if (block.kind === "markup") return block.markup;
  if (block.kind === "lack")
    return `<section><h3>${escaped(block.name)}</h3><p>${escaped(block.words)}</p></section>`;
  const { chart, legend, caption, sentence, width } = block;
  return (
    `<section${width === undefined ? "" : ` data-width="${width}"`}><figure class="chart"><figcaption><h3>${escaped(chart.name)}</h3>` +
    `${legend}</figcaption>` +
    `<div class="plot" role="img" aria-label="${escaped(`${chart.name}: ${sentence}`)}"></div>` +
    `<div class="happened"></div>` +
    `<p class="below">${escaped(caption)} <span class="at"></span></p></figure></section>`
  );
}

/** JSON that cannot close the element around it. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", String.raw`\u003c`)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}
