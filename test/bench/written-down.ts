import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";
import type { Figures } from "./bench.ts";
import { barTable, figureTable } from "./table.ts";

/** Parts of pages, each of which a run of the bench replaces. */
const pages = {
  metrics: "docs/performance.md",
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
  const file = join(checkoutRoot, pages[section]);
  const page = readFileSync(file, "utf8");
  const [begin, end] = [`<!-- measured: ${section} -->`, `<!-- end of ${section} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${pages[section]} has no marks of ${section}.`);
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const where = `${machine}, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
  const parts = [
    `Measured on ${date}, ${where}: ${how}`,
    table,
    ...(figures.size > 0
      ? [`<details><summary>Every figure</summary>\n\n${figureTable(figures)}\n\n</details>`]
      : []),
  ];
  writeFileSync(file, `${before}${begin}\n\n${parts.join("\n\n")}\n\n${end}${after}`);
}
