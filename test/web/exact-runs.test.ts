import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { LosslessClient, OverviewReply } from "@lossless/client";
import type { Page } from "playwright-core";
import { tried } from "../every-case.ts";
import { importRuns, keptRuns } from "./import-runs.ts";
import { pagesSuite } from "./pages-suite.ts";
import { fixture, looks, Painters, type Points } from "./painters.ts";

/** Other real runs, as lossless import takes them. */
const runs = process.env.LOSSLESS_TEST_RUNS ?? keptRuns;

pagesSuite("what a canvas shows of real runs, byte for byte", (pages) => {
  const { service, organizations } = pages;
  let client: LosslessClient;
  const all = globSync(join(runs, "*.csv.gz")).toSorted();
  const files = tried(all, (file) => !file.includes("-repeat"));

  before(async () => {
    assert.ok(files.length > 0, `there is no .csv.gz in ${runs}`);
    await importRuns({ baseUrl: service.baseUrl, key: organizations.acme.key }, runs);
    ({ client } = pages);
  });

  for (const file of files) {
    test(`${slugOf(file)}: the picture of the service is that of every point`, async (t) => {
      const painters = await Painters.on((await pages.newPage()).page);
      const { experimentId } = await client.experiment({ experimentSlug: slugOf(file) });
      const differing: string[] = [];
      let pictures = 0;
      for (const [seriesName, points] of seriesOf(file)) {
        await painters.take(points);
        for (const range of rangesOf(points)) {
          for (const look of looks) {
            const reply = await client.views.overview({
              series: [{ experimentId, seriesName }],
              xAxis: "step",
              columns: look.width * look.ratio,
              align: true,
              ...range,
            });
            const count = await painters.differing(look, reply);
            const place = `${seriesName} ${range.start ?? ""}~${range.end ?? ""}`;
            if (count > 0) differing.push(`${place}, ${look.width} at ${look.ratio}: ${count}`);
            pictures++;
          }
        }
      }
      t.diagnostic(`${pictures} pictures`);
      assert.deepEqual(differing, []);
    });
  }

  const windows = [
    { width: 700, ratio: 1 },
    { width: 1_280, ratio: 2 },
    { width: 3_840, ratio: 1 },
  ];
  for (const { width, ratio } of tried(windows, ({ width }) => width !== 3_840)) {
    test(`charts of a page ${width} wide, at ${ratio}, with their axes`, async () => {
      for (const file of [files[0], files[files.length - 1]]) {
        const { experimentId } = await client.experiment({ experimentSlug: slugOf(file) });
        const look = { viewport: { width, height: 1_000 }, deviceScaleFactor: ratio };
        const { page, seen } = await pages.signedIn(look);
        const replies = repliesOf(page);
        const address = `${service.baseUrl}/experiments/${experimentId}?tab=charts`;
        for (const view of ["", "&y=log", "&r=101~467", "&r=130~131", "&xs=log&r=50~3000"]) {
          replies.clear();
          await page.goto(address + view);
          await page.locator("figure.chart canvas").first().waitFor();
          await page.evaluate(await fixture("web/src/chart/paint/page-chart.fixture.ts"));
          for (const [seriesName, points] of seriesOf(file)) {
            // Values that a logarithmic axis cannot show have another test.
            if (view === "&y=log" && points.value.some((value) => value <= 0)) continue;
            const figure = page.locator(`figure[data-series="${seriesName}"]`);
            await figure.scrollIntoViewIfNeeded();
            await figure.getByText(/(\d|no) points?/).waitFor();
            const given = JSON.stringify([points, replies.get(seriesName)]);
            const count = await page.evaluate<number>(`fixture.differingOnPage(...${given})`);
            assert.equal(count, 0, `${slugOf(file)} ${seriesName} ${view}`);
          }
        }
        assert.deepEqual(seen.problems, []);
        await page.context().close();
      }
    });
  }
});

function slugOf(file: string): string {
  return basename(file, ".csv.gz");
}

/** Read from the file itself: in the order of the steps, equal ones by time, then as they came. */
function seriesOf(file: string): Map<string, Points> {
  const [, ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  const rows = lines.map((line, at) => {
    const [step, elapsedMs, name, value] = line.trimEnd().split(",");
    const ms = elapsedMs === "" ? at + 1 : Number(elapsedMs);
    return { name, step: Number(step), ms, value: Number(value) };
  });
  rows.sort((one, other) => one.step - other.step || one.ms - other.ms);
  const series = [...Map.groupBy(rows, ({ name }) => name)];
  return new Map(
    series.map(([name, own]) => [
      name,
      {
        step: own.map(({ step }) => step),
        value: own.map(({ value }) => value),
        ms: own.map(({ ms }) => ms),
      },
    ]),
  );
}

/** All of it, its middle, some hundred steps, and what lies between two points. */
function rangesOf({ step }: Points): { start?: number; end?: number }[] {
  const at = (share: number) => step[Math.floor(share * (step.length - 1))];
  const middle = step.findIndex((each, row) => each >= at(0.5) && step[row + 1] > each);
  const ranges = [
    { start: at(0.31) + 1, end: at(0.72) },
    { start: at(0.4), end: at(0.4) + 300 },
    { start: step[middle] + 0.25, end: step[middle + 1] - 0.25 },
  ];
  return [{}, ...ranges.filter(({ start, end }) => start < end)];
}

/** The page's last replies for charts, by series. */
function repliesOf(page: Page): Map<string, OverviewReply> {
  const replies = new Map<string, OverviewReply>();
  page.on("response", (response) => {
    if (!response.url().endsWith("/overview")) return;
    void response.json().then((reply: OverviewReply) => {
      const name = reply.series[0]?.seriesName;
      if (name !== undefined) replies.set(name, reply);
    });
  });
  return replies;
}
