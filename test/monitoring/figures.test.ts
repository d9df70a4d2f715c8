import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { answerOf } from "../backup/recorded.ts";
import { Figures } from "../figures.ts";
import { checkoutRoot, organizations, Service } from "../service.ts";

/** Names of figures as text has them; a histogram's samples stand for the histogram. */
const figureNames = /\b(?:lossless|process|nodejs)_[a-z0-9_]+\b/g;
const sampleSuffix = /_(?:bucket|sum|count)$/;

suite("figures", () => {
  let service: Service;
  let served: Map<string, string>;
  let text: string;
  let figures: Figures;
  let client: LosslessClient;

  before(async () => {
    figures = await Figures.onFreePort();
    service = await Service.start({ flags: figures.flags });
    client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
    await client.openExperiment({ slug: "run", description: "", meta: {} });
    text = await figures.text();
    served = new Map(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]),
    );
  });

  after(() => service[Symbol.asyncDispose]());

  test("each has a type and a sentence, and none is of an unknown thread", () => {
    const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const sample of samples) {
      const name = /^\w+/.exec(sample)![0];
      assert.ok(served.has(name) || served.has(name.replace(sampleSuffix, "")), sample);
    }
    for (const name of served.keys()) assert.match(text, new RegExp(`^# HELP ${name} \\S`, "m"));
    assert.equal(served.get("lossless_storage_commit_seconds"), "histogram");
    assert.match(text, /^lossless_storage_commit_seconds_bucket\{le="\+Inf"\} [1-9]/m);
    assert.match(text, /^lossless_ready 1$/m);
  });

  test("operating.md has a row for each, and for no other", () => {
    const page = read("docs/operating.md");
    const section = /\n## Figures\n([\s\S]*?)\n## /.exec(page)![1];
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    const documented = rows.flatMap((row) => named(row.split(" | ")[0]));
    assert.deepEqual([...documented].sort(), [...served.keys()].sort());
  });

  for (const file of ["grafana-dashboard.json", "alerts.yml", "alerts.test.yml"]) {
    test(`${file} asks for figures that are served`, () => {
      const asked = named(read(`deploy/monitoring/${file}`));
      assert.ok(asked.length > 10);
      assert.deepEqual(
        asked.filter((name) => !served.has(name)),
        [],
      );
    });
  }

  test("the dashboard has panels that do not overlap, each with words and a query", () => {
    const dashboard = JSON.parse(read("deploy/monitoring/grafana-dashboard.json")) as Dashboard;
    const taken = new Set<string>();
    for (const { id, type, title, description, gridPos, targets } of dashboard.panels) {
      assert.ok(title.length > 0 && !taken.has(`id ${id}`), title);
      taken.add(`id ${id}`);
      if (type !== "row") assert.ok(description!.length > 0 && targets!.length > 0, title);
      for (const { expr } of targets ?? []) assert.ok(named(expr).length > 0, expr);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(x < 24 && !taken.has(`${x} ${y}`), `${title} lies over another panel`);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });

  test("the newest backup, as the command wrote it down, and what is in the trash", async () => {
    assert.match(text, /^lossless_last_backup_timestamp_seconds 0$/m);
    assert.match(text, /^lossless_trash_entries 0$/m);
    const place = mkdtempSync(join(tmpdir(), "lossless-figures-"));
    const begun = Math.floor(Date.now() / 1_000);
    const { generation } = await answerOf<{ generation: { bytes: number } }>(
      "backup",
      join(place, "backups"),
      "--data",
      service.dataDirectory,
    );
    rmSync(place, { recursive: true });
    assert.ok((await figures.value("lossless_last_backup_timestamp_seconds")) >= begun);
    assert.equal(await figures.value("lossless_last_backup_bytes"), generation.bytes);
    assert.equal(await figures.value("lossless_last_backup_problems"), 0);
    const { experimentId } = await client.experiment({ experimentSlug: "run" });
    await client.trash.experiments([experimentId]);
    assert.equal(await figures.value("lossless_trash_entries"), 1);
    assert.equal(await figures.value("lossless_trash_overdue"), 0);
  });

  /** Without doubles; a histogram once. */
  function named(source: string): string[] {
    const names = [...source.matchAll(figureNames)].map(([name]) =>
      served.get(name.replace(sampleSuffix, "")) === "histogram"
        ? name.replace(sampleSuffix, "")
        : name,
    );
    return [...new Set(names)];
  }
});

interface Dashboard {
  panels: {
    id: number;
    type: string;
    title: string;
    description?: string;
    gridPos: { x: number; y: number; w: number; h: number };
    targets?: { expr: string }[];
  }[];
}

function read(path: string): string {
  return readFileSync(join(checkoutRoot, path), "utf8");
}
