import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpReply } from "../../http.ts";
import { Random } from "../../random.ts";
import { observed, type OrganizationCaller } from "../callers.ts";
import { signInBrowser } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { plainLine, recordRun, seed } from "./plain-lines.ts";

const axes = ["step", "offset", "elapsed", "timestamp", "metric"] as const;

topic(
  `points as CSV (seed ${seed})`,
  (system) => {
    test("every point of the range is a row, and the header says how many", async () => {
      const experiment = await system.acme.open();
      const { points, partners, firstTimestampMs } = await recordRun(
        experiment,
        300,
        new Random(seed),
      );
      for (const xAxis of axes) {
        const { line } = plainLine(points, xAxis, partners, firstTimestampMs);
        const [start, end] = [line[100].x, line[250].x];
        for (const range of [{}, { start }, { end }, { start, end }]) {
          const inside = line.filter(
            ({ x }) => x >= (range.start ?? -Infinity) && x < (range.end ?? Infinity),
          );
          const query = { ...queryOf(experiment, xAxis), ...range };
          const reply = await csv(system, system.acme, query);
          assert.equal(reply.status, 200, reply.text);
          assert.equal(reply.headers["x-svc-points"], String(inside.length));
          const [header, ...rows] = reply.text.trimEnd().split("\n");
          const isPlain = xAxis === "step" || xAxis === "timestamp";
          assert.equal(header, `metadata,${isPlain ? "" : "x,"}step,timestampMs,value`);
          const place = xAxis === "timestamp" ? 2 : 1;
          assert.deepEqual(
            rows.map((row) => row.split(",")).map((row) => [row[place], row.at(-1)]),
            inside.map(({ x, value }) => [String(x), String(value)]),
          );
        }
      }
    });

    test("partitions follow each other, quoted, and may be chosen", async () => {
      const experiment = await system.acme.open();
      const metric = (meta: Record<string, string>, step: number) =>
        experiment.metric({
          metricName: 'a/"b" (c)',
          meta,
          step,
          timestampMs: step,
          metricValue: 1,
        });
      await experiment.send(metric({ rank: "1" }, 4), metric({ rank: '0"' }, 5));
      const query = { ...queryOf(experiment, "step"), seriesName: 'a/"b" (c)' };
      const reply = await csv(system, system.acme, query);
      assert.equal(
        reply.text,
        'metadata,step,timestampMs,value\n"{""rank"":""0\\""""}",5,5,1\n"{""rank"":""1""}",4,4,1\n',
      );
      assert.match(reply.headers["content-type"] as string, /^text\/csv/);
      assert.equal(reply.headers["content-disposition"], 'attachment; filename="a--b- (c).csv"');
      const chosen = { ...query, metadataKey: "rank", metadataValue: "1" };
      const one = await csv(system, system.acme, chosen);
      assert.equal(one.headers["x-svc-points"], "1");
      assert.match(one.text, /\n"\{""rank"":""1""\}",4,4,1\n$/);
    });

    test("several choices are all meant", async () => {
      const experiment = await system.acme.open();
      const metas = ["0", "1"].flatMap((rank) => ["a", "b"].map((subset) => ({ rank, subset })));
      await experiment.send(...metas.map((meta, step) => experiment.metric({ meta, step })));
      const pointsOf = async (filter: object) => {
        const query = { ...queryOf(experiment, "step"), filter: JSON.stringify(filter) };
        const { text, headers } = await csv(system, system.acme, query);
        const rows = text.trimEnd().split("\n").slice(1);
        assert.equal(headers["x-svc-points"], String(rows.length));
        return rows.map((row) => row.split(",").at(-3));
      };
      const rank = { metadataKey: "rank", metadataValue: "1" };
      const subset = { metadataKey: "subset", metadataValue: "b" };
      assert.deepEqual(await pointsOf([rank, subset]), ["3"]);
      assert.deepEqual(await pointsOf([subset, { metadataKey: "rank" }]), ["1", "3"]);
      assert.deepEqual(await pointsOf([]), ["0", "1", "2", "3"]);
    });

    test("several series of several experiments, each row with its own", async () => {
      const [one, other] = [await system.acme.open(), await system.acme.open()];
      const foreign = await system.rival.open();
      for (const [at, experiment] of [one, other, foreign].entries()) {
        const point = { step: 5, timestampMs: 6, metricValue: at };
        await experiment.send(
          experiment.metric({ ...point, metricName: "loss", meta: { rank: "1" } }),
          experiment.metric({ ...point, metricName: "a,b" }),
        );
      }
      const experimentIds = [other, foreign, one].map(({ experimentId }) => experimentId);
      const seriesNames = JSON.stringify(["loss", "a,b", "none"]);
      const query = { experimentIds: experimentIds.join(","), seriesNames, xAxis: "offset" };
      const reply = await csv(system, system.acme, query);
      assert.equal(reply.headers["x-svc-points"], "4");
      const row = ({ experimentId, slug }: typeof one, name: string, meta: string, value: number) =>
        `"${experimentId}","${slug}","${name}","${meta}",0,5,6,${value}\n`;
      assert.equal(
        reply.text,
        "experimentId,slug,seriesName,metadata,x,step,timestampMs,value\n" +
          row(other, "loss", '{""rank"":""1""}', 1) +
          row(other, "a,b", "{}", 1) +
          row(one, "loss", '{""rank"":""1""}', 0) +
          row(one, "a,b", "{}", 0),
      );
    });

    test("an unknown experiment and another organization's have no points", async () => {
      const experiment = await system.acme.open();
      await experiment.send(experiment.metric({}));
      for (const [caller, experimentId] of [
        [system.rival, experiment.experimentId],
        [system.acme, "unknown"],
      ] as const) {
        const reply = await csv(system, caller, queryOf({ experimentId }, "step"));
        assert.deepEqual([reply.status, reply.headers["x-svc-points"]], [200, "0"]);
        assert.equal(reply.text, "metadata,step,timestampMs,value\n");
      }
    });

    test("with a browser's session only a page of the service may ask", async () => {
      const experiment = await system.acme.open();
      await experiment.send(experiment.metric({}));
      const { cookie } = await signInBrowser(system, "ada", "acme");
      const statusFor = async (headers: Record<string, string>): Promise<number> => {
        const path = pathOf(queryOf(experiment, "step"));
        const all = { method: "GET", path, headers: { cookie, ...headers } };
        return (await observed(system, all)).status;
      };
      assert.equal(await statusFor({ "sec-fetch-site": "same-origin" }), 200);
      assert.equal(await statusFor({ "sec-fetch-site": "none" }), 200);
      assert.equal(await statusFor({ "sec-fetch-site": "cross-site" }), 403);
      assert.equal(await statusFor({ "sec-fetch-site": "same-site" }), 403);
      assert.equal(await statusFor({ origin: "https://elsewhere.example" }), 403);
    });

    test("what is asked wrongly is refused with a sentence", async () => {
      const query = queryOf({ experimentId: "x" }, "step");
      const wrong: [Record<string, string | number>, RegExp][] = [
        [{ ...query, start: "one" }, /start must be a decimal number/],
        [{ ...query, start: 5, end: 5 }, /`end` must be above `start`/],
        [{ ...query, metadataValue: "1" }, /`metadataKey`/],
        [{ ...query, metadataKey: "a", filter: "[]" }, /`metadataKey` exclude each other/],
        [{ ...query, filter: "rank=1" }, /`filter` must be a JSON list/],
        [{ ...query, filter: '{"metadataKey":"a"}' }, /`filter` must be a JSON list/],
        [{ ...query, filter: '[{"metadataValue":"a"}]' }, /`filter` must be a JSON list/],
        [{ ...query, filter: '[{"metadataKey":"a","x":1}]' }, /`filter` must be a JSON list/],
        [{ ...query, xAxis: "metric" }, /`xSeriesName`/],
        [{ experimentId: "x", xAxis: "step" }, /seriesName/],
        [{ seriesName: "x", xAxis: "step" }, /experimentId/],
        [{ ...query, experimentIds: "x,y" }, /Either `experimentId` or/],
        [{ experimentId: "x", seriesNames: '["a"]', xAxis: "step" }, /needs `experimentIds`/],
        [{ experimentIds: "x", seriesNames: '{"a":1}', xAxis: "step" }, /a list of names in JSON/],
        [{ experimentIds: "x", seriesNames: "[", xAxis: "step" }, /a list of names in JSON/],
        [
          { experimentIds: Array(101).fill("x").join(","), seriesName: "a", xAxis: "step" },
          /100 series at most/,
        ],
      ];
      for (const [asked, sentence] of wrong) {
        const reply = await csv(system, system.acme, asked);
        assert.equal(reply.status, 400, reply.text);
        assert.match(reply.text, sentence);
      }
    });
  },
  { alone: false, flags: ["--seal-points", "500"] },
);

function queryOf(
  { experimentId }: { experimentId: string },
  xAxis: string,
): Record<string, string | number> {
  const along: Record<string, string> = xAxis === "metric" ? { xSeriesName: "tokens" } : {};
  return { experimentId, seriesName: "loss", xAxis, ...along };
}

function csv(
  system: System,
  { credential }: OrganizationCaller,
  query: Record<string, string | number>,
): Promise<HttpReply> {
  return observed(system, { method: "GET", path: pathOf(query), credential });
}

function pathOf(query: Record<string, string | number>): string {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return `/api/views/v1/points.csv?${new URLSearchParams(texts).toString()}`;
}
