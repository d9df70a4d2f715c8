import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";
import type { Figures } from "./bench.ts";
import { barTable, figureTable } from "./table.ts";

/** Parts of pages, each of which a run of the bench replaces. */
const pages = {
  start: "docs/performance.md",
  metrics: "docs/performance.md",
  columns: "docs/performance.md",
  artifacts: "docs/performance.md",
  pages: "docs/performance.md",
  console: "docs/performance.md",
  deleting: "docs/performance.md",
  mlflow: "docs/performance.md",
  sizing: "docs/sizing.md",
  trackers: "docs/benchmark.md",
} as const;

/**
 * Puts the bars of a run, and every figure below them, into their section of a page.
 * What stands outside the marks is written by people.
 *
 * @param how what was run and how often, for the line above the table
 */
export function writeDown(
  section: keyof typeof pages,
  how: string,
  figures: Figures,
  table = barTable(figures),
): void {
  write(section, how, { table, figures });
}

/** The same for some parts of a bench: figures of the others stay as they were measured before. */
export function writePartsDown(section: keyof typeof pages, how: string, figures: Figures): void {
  const all = new Map([...writtenFigures(section), ...figures]);
  const others = all.size > figures.size ? " Figures of other parts are from earlier runs." : "";
  write(section, how + others, { table: barTable(all), figures: all });
}

function write(
  section: keyof typeof pages,
  how: string,
  { table, figures }: { table: string; figures: Figures },
): void {
  const { on, where } = dateAndMachine();
  const parts = [
    `Measured on ${on}, ${where}: ${how}`,
    table,
    ...(figures.size > 0
      ? [`<details><summary>Every figure</summary>\n\n${figureTable(figures)}\n\n</details>`]
      : []),
  ];
  replacePart(pages[section], section, parts.join("\n\n"));
}

/** The figures of an earlier run, with the digits that were written. */
function writtenFigures(section: keyof typeof pages): Figures {
  const page = readFileSync(join(checkoutRoot, pages[section]), "utf8");
  const measured = page.split(`<!-- measured: ${section} -->`)[1]?.split("<!-- end")[0];
  const rows = measured?.split("<details>")[1]?.matchAll(/^\| (.+) \| ([\d.,e+-]+) \|$/gm) ?? [];
  return new Map(Array.from(rows, ([, name, text]) => [name, Number(text.replaceAll(",", ""))]));
}

/** Replaces what stands between the marks of a section. */
export function replacePart(page: string, section: string, text: string): void {
  const file = join(checkoutRoot, page);
  const [begin, end] = [`<!-- measured: ${section} -->`, `<!-- end of ${section} -->`];
  const [before, rest] = readFileSync(file, "utf8").split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${page} has no marks of ${section}.`);
  writeFileSync(file, `${before}${begin}\n\n${text}\n\n${end}${after}`);
}

export function dateAndMachine(): { on: string; where: string } {
  const machine = `${cpus().length} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return {
    on: new Date().toISOString().slice(0, 10),
    where: `${machine}, ${process.platform} ${process.arch}, Node ${process.versions.node}`,
  };
}
