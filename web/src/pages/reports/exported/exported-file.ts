import type { Report } from "@lossless/client";
import { timeText } from "../../../parts/words.ts";
import type { ExportedChart } from "./exported-chart.ts";

/** A script or style, and the hash by which the file's policy allows it and no other. */
export interface Inline {
  text: string;
  hash: string;
}

/**
 * A block as it stands in the file: what the page drew of it as markup, charts with their words, or
 * why a chart is none.
 */
export type ExportedBlock =
  | { kind: "markup"; markup: string }
  | { kind: "chart"; chart: ExportedChart; legend: string; caption: string; sentence: string }
  | { kind: "lack"; name: string; words: string };

export interface ExportedFrom {
  organization: string;
  person: string;
  /** Where the report is. */
  address: string;
  nowMs: number;
}

/** More would be no page that anybody opens. */
export const fileBytesMax = 50_000_000;

/**
 * The report as one file of HTML that needs no service and no network. Its policy lets it run this
 * very script and loads nothing; all that people wrote is text or what was made of it before.
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
  const { chart, legend, caption, sentence } = block;
  return (
    `<section><figure class="chart"><figcaption><h3>${escaped(chart.name)}</h3>` +
    `${legend}</figcaption>` +
    `<div class="plot" role="img" aria-label="${escaped(`${chart.name}: ${sentence}`)}"></div>` +
    `<div class="happened"></div>` +
    `<p class="below">${escaped(caption)} <span class="at"></span></p></figure></section>`
  );
}

export function escaped(text: string): string {
  return text.replaceAll(
    /[&<>"']/g,
    (character) =>
      ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[character]!,
  );
}

/** JSON in which nothing can end the element around it. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", String.raw`\u003c`)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}
