import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { LosslessClient, type OverviewReply } from "@lossless/client";
import { organizations } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { run } from "./command-line.ts";

const service = suiteService({}, async ({ baseUrl }) => {
  const client = new LosslessClient({
    baseUrl,
    apiKey: organizations.acme.key,
  });
  const recorder = await client.record({ slug: "run/1" });
  for (let step = 0; step < 300; step++) {
    const value = step === 150 ? 99 : (step * 7) % 11;
    recorder.record("loss", value, step, { timestampMs: 1_000 + step });
    if (step > 0) recorder.record("tokens", step / 8, step, { timestampMs: 1_000 + step });
  }
  for (const [step, value] of [0, 40, 1_000].entries())
    recorder.record("sparse", value, 100 * step, { timestampMs: 1_000 });
  for (const [step, value] of [1, NaN, 3, NaN].entries())
    recorder.record("diverged", value, step, { timestampMs: 1_000 + step });
  recorder.record("below", -1, 1_000, { timestampMs: 2_000 });
  await recorder.finish();
});

suite("lossless plot", () => {
  test("draws along every axis, and says what has no place on it", async () => {
    for (const [words, ends, told] of [
      [[], ["0", "299"], "300 points, not sampled"],
      [["--x", "time"], ["1970-01-01T00:00:01Z", "1970-01-01T00:00:01.299Z"], "300 points"],
      [["--x", "elapsed"], ["0", "299"], "300 points"],
      [["--x", "offset", "--from", "100.5"], ["100.5", "299"], "199 points"],
      [["--log-x"], ["1", "299"], "299 points, not sampled; last 3; 1 more point not on this axis"],
      [["--x", "tokens"], ["0.125", "37.38"], "299 points, not sampled; last 3; 1 more point not"],
    ] as const) {
      const { code, stdout, stderr } = await run(
        service.baseUrl,
        "plot",
        "run/1",
        "loss",
        ...words,
      );
      assert.equal(code, 0, stderr);
      const [axis, caption] = stdout.trimEnd().split("\n").slice(-2);
      assert.deepEqual(axis.trim().split(/\s+/), ends);
      assert.ok(caption.includes(told), caption);
      assert.match(stdout, /99/);
    }
  });

  test("a finite value is not told as the last one where it is none, or may be none", async () => {
    for (const [words, told] of [
      [[], "; last NaN"],
      [["--to", "1.5"], "; last finite value 1"],
    ] as const) {
      const { stdout } = await run(service.baseUrl, "plot", "run/1", "diverged", ...words);
      assert.ok(stdout.trimEnd().endsWith(told), stdout);
    }
  });

  test("a line goes on to the points outside of the range", async () => {
    const words = ["sparse", "--from", "50", "--to", "150", "--width", "40"];
    const { stdout } = await run(service.baseUrl, "plot", "run/1", ...words);
    const rows = stdout.split("\n").filter((row) => row.includes("┤"));
    // One point alone would be one dot.
    const dotted = rows.map((row) => row.slice(row.indexOf("┤") + 1));
    const columns = Array.from(dotted[0]).filter((_, at) =>
      dotted.some((row) => row[at] > "\u2800"),
    );
    assert.ok(columns.length >= 13, stdout);
  });

  test("where nothing can be drawn it says why", async () => {
    for (const [words, told] of [
      [["loss", "--x", "below"], /^No points in this range; 300 more points not on this axis\.$/m],
      [["loss", "--to=-2"], /^No points in this range\.$/m],
      [["below", "--log"], /^none above 0 ┤/m],
    ] as const) {
      const { code, stdout, stderr } = await run(service.baseUrl, "plot", "run/1", ...words);
      assert.equal(code, 0, stderr);
      assert.match(stdout, told);
      assert.doesNotMatch(stdout, /NaN/);
    }
  });

  test("two series are combined at each step, and what has no value is told", async () => {
    const words = ["loss", "--over", "tokens", "--json"];
    const { code, stdout, stderr } = await run(service.baseUrl, "plot", "run/1", ...words);
    assert.equal(code, 0, stderr);
    const [{ exact, combined }] = (JSON.parse(stdout) as OverviewReply).series;
    assert.deepEqual(combined, {
      operator: "dividedBy",
      seriesName: "tokens",
      unpaired: 1,
      nonfinite: 0,
    });
    assert.equal(exact?.value[149], 99 / (150 / 8));
    const minus = await run(service.baseUrl, "plot", "run/1", "loss", "--minus", "loss");
    assert.match(minus.stdout, /^loss − loss: 300 points, not sampled; last 0$/m);
    const both = await run(service.baseUrl, "plot", "run/1", ...words, "--minus", "loss");
    assert.equal(both.code, 2);
  });

  test("writes an SVG with each spike, nothing from elsewhere, and no other format", async () => {
    const directory = mkdtempSync(join(tmpdir(), "lossless-plot-"));
    try {
      const path = join(directory, "loss.svg");
      const size = ["--width", "300", "--height", "200"];
      const words = ["loss", "--out", path, ...size];
      const { code, stdout, stderr } = await run(service.baseUrl, "plot", "run/1", ...words);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /loss\.svg: loss: 300 points, not sampled; last 3$/m);
      const svg = readFileSync(path, "utf8");
      assert.match(svg, /<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="300" height="200"/);
      assert.doesNotMatch(svg, /NaN|undefined|href|<script|<style/);
      const line = /<path fill="none" stroke="#0b66b5"[^>]* d="([^"]+)"/.exec(svg)![1];
      const places = [...line.matchAll(/[ML]([\d.]+) ([\d.]+)/g)];
      assert.equal(places.length, 300);
      const highest = places.toSorted((one, other) => Number(one[2]) - Number(other[2]))[0];
      assert.equal(places.indexOf(highest), 150);
      const dense = await run(
        service.baseUrl,
        "plot",
        "run/1",
        "loss",
        "--out",
        path,
        "--width=200",
      );
      assert.equal(dense.code, 0, dense.stderr);
      const none = await run(service.baseUrl, "plot", "run/1", "loss", "--out", "loss.png");
      assert.equal(none.code, 2);
      assert.match(none.stderr, /end its name in \.svg.*convert the file: rsvg-convert/s);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("smooths, and refuses what is no weight", async () => {
    const plot = (...words: string[]) => run(service.baseUrl, "plot", "run/1", "loss", ...words);
    const smoothed = await plot("--smooth", "0.99");
    assert.equal(smoothed.code, 0, smoothed.stderr);
    assert.doesNotMatch(smoothed.stdout, /^ *99 /m);
    assert.equal((await plot("--gauss", "20")).code, 0);
    const byX = await plot("--smooth-x", "0.99");
    assert.equal(byX.code, 0, byX.stderr);
    assert.doesNotMatch(byX.stdout, /^ *99 /m);
    for (const words of [
      ["--smooth", "1"],
      ["--gauss", "much"],
      ["--smooth", "0.5", "--gauss", "3"],
      ["--smooth-x", "1"],
      ["--smooth-x", "0.5", "--smooth", "0.5"],
    ]) {
      assert.equal((await plot(...words)).code, 2, words.join(" "));
    }
  });
});
