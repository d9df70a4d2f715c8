import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { checkoutRoot, organizations } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";
import { finished, run, start } from "./command-line.ts";

const service = suiteService();
const directory = suiteDirectory("cli");

/** Values of every magnitude, as a run would log them; the same for the same seed. */
function csv(rows: number, seed: number, elapsed: "all" | "none" | "some"): string {
  const lines = ["step,elapsed_ms,metric,value"];
  for (let row = 1; row <= rows; row++) {
    const step = Math.floor((row - 1) / 3);
    const metric = ["train/loss", "grad/norm", "optimizer/lr"][row % 3];
    const value = Math.sin(row * seed) * 10 ** ((row % 40) - 20);
    const isEmpty = elapsed === "none" || (elapsed === "some" && step < 10);
    lines.push(`${step},${isEmpty ? "" : 100_000 + step * 7},${metric},${value}`);
  }
  return `${lines.join("\n")}\n`;
}

async function write(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, name.endsWith(".gz") ? gzipSync(text) : text);
  return path;
}

/** The independent comparison, `npm run verify-import`. */
async function verifyImport(files: string[], ...flags: string[]): Promise<void> {
  const words = ["test/verify-import.ts", ...files, "--url", service.baseUrl, ...flags];
  const key = ["--api-key", organizations.acme.key];
  await promisify(execFile)(process.execPath, [...words, ...key], { cwd: checkoutRoot });
}

suite("lossless import and export", () => {
  test("files come back as they were, whether their elapsed_ms is there or not", async () => {
    const texts = new Map([
      ["with.csv", csv(3_000, 1, "all")],
      ["without.csv.gz", csv(2_500, 2, "none")],
      ["some.csv", csv(400, 3, "some")],
    ]);
    const files: string[] = [];
    for (const [name, text] of texts) files.push(await write(`round/${name}`, text));
    const imported = await run(
      service.baseUrl,
      "import",
      ...files,
      "--folder",
      "runs/round",
      "--json",
    );
    assert.equal(imported.code, 0, imported.stderr);
    const { stored, deduplicated, results } = JSON.parse(imported.stdout);
    assert.deepEqual([stored, deduplicated, results.length], [5_900, 0, 3]);
    await verifyImport(files, "--folder", "runs/round");

    const out = join(directory, "round/out");
    const exported = await run(service.baseUrl, "export", "--folder", "runs", "--out", out);
    assert.equal(exported.code, 0, exported.stderr);
    assert.deepEqual(readdirSync(out).toSorted(), ["some.csv", "with.csv", "without.csv"]);
    for (const [name, text] of texts) {
      assert.equal(readFileSync(join(out, name.replace(".gz", "")), "utf8"), text, name);
    }
  });

  test("the same import again stores nothing twice and leaves the experiment alone", async () => {
    const file = await write("again.csv", csv(1_500, 4, "none"));
    await run(service.baseUrl, "import", file);
    const before = await run(service.baseUrl, "experiments", "show", "again", "--json");
    const again = await run(service.baseUrl, "import", file);
    assert.equal(again.code, 0);
    assert.match(again.stdout, /0 new points, 1,500 already stored/);
    const after = await run(service.baseUrl, "experiments", "show", "again", "--json");
    const { updatedAtMs: _, ...first } = JSON.parse(before.stdout).experiment;
    const { updatedAtMs: __, ...second } = JSON.parse(after.stdout).experiment;
    assert.deepEqual(second, first);
    await verifyImport([file]);
  });

  test("killed in the middle and run again, on a service that was killed too: complete, nothing twice", async () => {
    const files: string[] = [];
    for (let seed = 1; seed <= 6; seed++) {
      files.push(await write(`killed/run-${seed}.csv`, csv(20_000, seed, "none")));
    }
    const child = start(service.baseUrl, ["import", ...files, "--parallel", "2"]);
    // Not before the first file is done: what is said of the service comes earlier.
    child.stderr!.on("data", (chunk: Buffer | string) => {
      if (String(chunk).includes("already stored")) child.kill("SIGKILL");
    });
    assert.equal((await finished(child)).code, "SIGKILL");
    await service.kill();
    await service.start();
    const again = await run(service.baseUrl, "import", ...files, "--json");
    assert.equal(again.code, 0, again.stderr);
    const { stored, deduplicated } = JSON.parse(again.stdout);
    assert.equal(stored + deduplicated, 120_000);
    assert.ok(deduplicated >= 20_000, "the first file was complete");
    assert.ok(stored > 0, "the last files were not");
    await verifyImport(files);
    const last = await run(service.baseUrl, "import", ...files, "--json");
    assert.equal(JSON.parse(last.stdout).stored, 0);
  });

  test("wrong rows are told by file and line, the others are stored", async () => {
    const text =
      "step,elapsed_ms,metric,value\n0,,loss,1\n1.5,,loss,1\n2,,,1\n3,,loss,x\n4,,loss,2\n";
    const file = await write("wrong.csv", text);
    const result = await run(service.baseUrl, "import", file);
    assert.equal(result.code, 1);
    assert.match(result.stderr, /wrong\.csv:3: step must be a whole number/);
    assert.match(result.stderr, /wrong\.csv:4: metric must be a name/);
    assert.match(result.stderr, /wrong\.csv:5: value must be a number/);
    assert.match(result.stdout, /2 new points, 0 already stored, 3 wrong rows/);
    const points = await run(service.baseUrl, "series", "points", "wrong", "loss");
    assert.equal(points.stdout, "loss\t0\t1704067200001\t1\nloss\t4\t1704067200005\t2\n");
  });

  test("NaN rows become annotations once, and come back in the export", async () => {
    const text =
      "step,elapsed_ms,metric,value\n0,5,loss,1\n1,6,loss,NaN\n2,7,loss,-Infinity\n3,8,loss,2\n";
    const file = await write("nan.csv", text);
    for (let round = 0; round < 2; round++) {
      const result = await run(service.baseUrl, "import", file);
      assert.equal(result.code, 0, result.stderr);
      const shown = await run(service.baseUrl, "experiments", "show", "nan", "--json");
      assert.equal(JSON.parse(shown.stdout).annotations.length, 2);
    }
    const exported = await run(service.baseUrl, "export", "--slug", "nan", "--stdout");
    assert.equal(exported.stdout, text);
  });

  test("metadata travels in a fifth column; NDJSON has one point a line", async () => {
    const text =
      'step,elapsed_ms,metric,value,meta\n0,5,"a,b",1,"{""split"":""train""}"\n0,5,"a,b",2,"{""split"":""val""}"\n1,6,c,3,\n';
    const file = await write("meta.csv", text);
    const imported = await run(service.baseUrl, "import", file);
    assert.equal(imported.code, 0, imported.stderr);
    assert.equal((await run(service.baseUrl, "export", "--slug", "meta", "--stdout")).stdout, text);
    const ndjson = ["export", "--slug", "meta", "--format", "ndjson", "--gzip", "--out", directory];
    assert.equal((await run(service.baseUrl, ...ndjson)).code, 0);
    const lines = gunzipSync(readFileSync(join(directory, "meta.ndjson.gz")))
      .toString()
      .trim()
      .split("\n");
    assert.deepEqual(JSON.parse(lines[1]), {
      seriesName: "a,b",
      metadata: { split: "val" },
      step: 0,
      timestampMs: 1_704_067_200_005,
      value: 2,
    });
    const again = await run(service.baseUrl, ...ndjson);
    assert.equal(again.code, 1, "a file that exists is not replaced");
    assert.match(again.stderr, /--force/);
  });

  test("an experiment that no import has made is not touched without --append", async () => {
    const file = await write("mine.csv", "step,elapsed_ms,metric,value\n0,5,loss,1\n");
    const { LosslessClient } = await import("@lossless/client");
    const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
    const recorder = await client.record({ slug: "mine", description: "by hand", meta: { lr: 1 } });
    recorder.record("loss", 0.5, 0, { timestampMs: 1 });
    await recorder.flush();
    const refused = await run(service.baseUrl, "import", file);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /was not imported/);
    const { startedAtMs } = await client.experiment({ experimentSlug: "mine" });
    assert.equal((await run(service.baseUrl, "import", file, "--append")).code, 0);
    await write("mine.csv", "step,elapsed_ms,metric,value\n0,5,loss,1\n1,6,loss,2\n");
    assert.equal((await run(service.baseUrl, "import", file)).code, 0);
    const record = await client.experiment({ experimentSlug: "mine" });
    assert.deepEqual([record.status, record.startedAtMs], ["running", startedAtMs]);
    await recorder.finish();
    assert.equal(record.description, "by hand");
    assert.equal(record.meta["lr"], 1);
  });
});
