import assert from "node:assert/strict";
import { test } from "node:test";
import type { GroupsBody, GroupsReply } from "@lossless/protocol";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { Random } from "../../random.ts";
import {
  type ExperimentCaller,
  observed,
  type OrganizationCaller,
  uniqueName,
} from "../callers.ts";
import { type System, topic } from "../topic.ts";
import { assertGroups, type GroupedRun, recordGroupedRun } from "./plain-groups.ts";
import { type RecordedPoint, seed } from "./plain-lines.ts";
import { untilSummarized } from "./table-calls.ts";

const axes = ["step", "offset", "elapsed", "timestamp", "metric"] as const;
const keys = [[], ["meta.lr"], ["meta.opt"], ["meta.lr", "meta.opt"], ["tag"], ["meta.none"]];
const smooth = { kind: "ema", weight: 0.9 } as const;
const smoothByX = { kind: "x", weight: 0.9 } as const;

topic(
  `groups of curves (seed ${seed})`,
  (system) => {
    let filled: Promise<Filled> | undefined;
    const all = () => (filled ??= fill(system, new Random(seed)));

    test("means, bands and counts are those of all members: every axis and key", async () => {
      const { word, runs } = await all();
      const at = new Random(seed + 1);
      for (const xAxis of axes) {
        for (const by of keys) {
          for (const xScale of ["linear", "log"] as const) {
            for (const range of [{}, { start: 20 + at.below(300) }, { start: 100, end: 400.5 }]) {
              const columns = [1, 7, 60, 900][at.below(4)];
              const body: GroupsBody = {
                query: word,
                seriesName: "loss",
                by,
                columns,
                groupsMax: 100,
                ...axisOf(xAxis),
                xScale,
                ...range,
              };
              assertGroups(await groups(system, system.acme, body), body, runs);
            }
          }
        }
      }
    });

    test("so are those of many runs with the same steps, some sealed and some not", async () => {
      const random = new Random(seed + 2);
      const word = uniqueName("sweep");
      const runs: GroupedRun[] = [];
      for (let at = 0; at < 150; at++) {
        const meta = { opt: at % 3 };
        const experiment = await opened(system, word, meta);
        // Every tenth has other steps, and every seventh is long enough to be sealed.
        const first = at % 10 === 9 ? 1 : 0;
        const points = Array.from({ length: at % 7 === 6 ? 600 : 40 }, (_, row) => ({
          step: first + 2 * row,
          timestampMs: 1_000_000 + row,
          metricValue: (random.bits() / 2 ** 32) * 10 ** random.below(4),
        }));
        await experiment.send(...points.map((point) => experiment.metric({ ...point })));
        runs.push({
          experimentId: experiment.experimentId,
          meta,
          partitions: new Map([["", { points, partners: [] }]]),
          firstTimestampMs: 1_000_000,
          firstStep: first,
        });
      }
      await untilSummarized(system, system.acme);
      const one = { query: word, seriesName: "loss", by: ["meta.opt"], xAxis: "step" } as const;
      for (const columns of [30, 800])
        for (const range of [{}, { start: 10, end: 70 }]) {
          const body: GroupsBody = { ...one, by: ["meta.opt"], columns, ...range };
          assertGroups(await groups(system, system.acme, body), body, runs);
        }
    });

    test("and those of more than a thousand short lines, which a thread of its own folds", async () => {
      const random = new Random(seed + 3);
      const word = uniqueName("ranks");
      const runs: GroupedRun[] = [];
      for (let at = 0; at < 18; at++) {
        const meta = { opt: at % 2 };
        const experiment = await opened(system, word, meta);
        const partitions: [string, { points: RecordedPoint[]; partners: RecordedPoint[] }][] = [];
        for (let rank = 0; rank < 60; rank++) {
          const points = Array.from({ length: 12 }, (_, row) => ({
            step: row * (1 + (rank % 3)),
            timestampMs: 1_000_000 + row,
            metricValue: random.bits() / 2 ** 32,
          }));
          partitions.push([String(rank), { points, partners: [] }]);
        }
        const sent = partitions.flatMap(([rank, { points }]) =>
          points.map((point) => experiment.metric({ ...point, meta: { rank } })),
        );
        await experiment.send(...sent);
        runs.push({
          experimentId: experiment.experimentId,
          meta,
          partitions: new Map(partitions),
          firstTimestampMs: 1_000_000,
          firstStep: 0,
        });
      }
      await untilSummarized(system, system.acme);
      const one = { query: word, seriesName: "loss", by: ["meta.opt"], columns: 30 } as const;
      for (const xAxis of ["step", "timestamp"] as const) {
        const body: GroupsBody = { ...one, by: ["meta.opt"], xAxis };
        assertGroups(await groups(system, system.acme, body), body, runs);
      }
    });

    test("smoothed, filtered, and by the keys of partitions", async () => {
      const { word, runs } = await all();
      const one = { query: word, seriesName: "loss", groupsMax: 100, xAxis: "step" } as const;
      const filter = [{ metadataKey: "rank", metadataValue: "1" }];
      const asked: GroupsBody[] = [
        { ...one, by: ["meta.lr"], columns: 50, smooth },
        { ...one, by: [], columns: 3, smooth, start: 200, end: 300 },
        { ...one, by: ["meta.lr"], columns: 50, smooth: smoothByX },
        { ...one, by: [], columns: 30, smooth: { ...smoothByX, unit: 7 }, start: 200, end: 300 },
        { ...one, by: ["meta.opt"], columns: 20, smooth: smoothByX, xAxis: "elapsed" },
        { ...one, by: ["meta.opt"], columns: 20, smooth: smoothByX, filter },
        { ...one, by: ["meta.opt"], columns: 40, filter },
        { ...one, by: ["meta.opt"], byPartition: ["rank"], columns: 40 },
        { ...one, by: [], byPartition: ["rank", "none"], columns: 40, filter },
      ];
      for (const body of asked) assertGroups(await groups(system, system.acme, body), body, runs);
    });

    test("named experiments are grouped like those of a query; unknown ones are left out", async () => {
      const { runs } = await all();
      const some = runs.filter((_, at) => at % 3 === 0);
      const experimentIds = [...some.map(({ experimentId }) => experimentId), "unknown"];
      const body = { experimentIds, seriesName: "loss", by: ["meta.lr"], columns: 30 } as const;
      const asked = { ...body, by: ["meta.lr"], xAxis: "step" } as GroupsBody;
      const reply = await groups(system, system.acme, asked);
      assert.equal(reply.experiments, some.length);
      assertGroups(reply, asked, some);
      const foreign = await groups(system, system.rival, asked);
      assert.deepEqual([foreign.experiments, foreign.groups], [0, []]);
    });

    test("groups beyond the limit are counted, and the largest ones are given", async () => {
      const { word, runs } = await all();
      const body: GroupsBody = {
        query: word,
        seriesName: "loss",
        by: ["meta.lr"],
        columns: 20,
        groupsMax: 2,
        xAxis: "step",
        start: 0,
        end: 900,
      };
      const all3 = await groups(system, system.acme, { ...body, groupsMax: 200 });
      const reply = await groups(system, system.acme, body);
      assert.deepEqual(reply.groups, all3.groups.slice(0, 2));
      const left = all3.groups.slice(2);
      const members = left.reduce((sum, group) => sum + group.members, 0);
      assert.deepEqual(reply.others, { groups: left.length, members });
      assert.equal(reply.experiments, runs.length);
      const membersOf = runs.map(({ experimentId }) => experimentId);
      const told = await groups(system, system.acme, { ...body, membersOf });
      const counts = [0, 1, null].map(
        (place) => told.members.filter(({ group }) => group === place).length,
      );
      assert.deepEqual(counts, [...reply.groups.map((group) => group.members), members]);
      assert.deepEqual(told.groups, reply.groups);
    });

    test("folders, status and tags are keys, and what is deleted is in no group", async () => {
      const word = uniqueName("kept");
      const folder = uniqueName("folder");
      const parent = await system.acme.ask("folder.create", { name: folder, parentFolderId: null });
      const inside = await opened(system, word, { _tags: ["a", "b"] });
      const outside = await opened(system, word, { _tags: ["b"] });
      const deleted = await opened(system, word, {});
      for (const run of [inside, outside, deleted]) await run.send(run.metric({ step: 3 }));
      await system.acme.ask("experiment.move", {
        experimentId: inside.experimentId,
        folderId: parent.folderId,
      });
      await outside.tell("done");
      const path = "/api/trash/v1/experiments";
      const body = { experimentIds: [deleted.experimentId] };
      ok(
        await observed(system, { method: "POST", path, body, credential: system.acme.credential }),
      );
      await untilSummarized(system, system.acme);
      const valuesBy = async (by: string[]) => {
        const one = { query: word, seriesName: "loss", columns: 1, xAxis: "step" } as const;
        const { groups: found } = await groups(system, system.acme, { ...one, by });
        return found
          .map(({ values, members }) => [
            ...values.map(({ kind, text }) => `${kind} ${text}`),
            members,
          ])
          .toSorted();
      };
      assert.deepEqual(await valuesBy(["folder", "status"]), [
        ["none ", "text done", 1],
        [`text ${folder}`, "text running", 1],
      ]);
      assert.deepEqual(await valuesBy(["tag"]), [
        ['list ["a","b"]', 1],
        ['list ["b"]', 1],
      ]);
    });

    test("what is asked wrongly is refused with a sentence", async () => {
      const body = { seriesName: "loss", by: [], xAxis: "step", columns: 10 };
      const wrong: [unknown, RegExp][] = [
        [{ ...body, by: ["metric.loss"] }, /by\[0\]: metric.loss has as many values/],
        [{ ...body, by: ["slug", "created"] }, /by\[1\]: created has as many values/],
        [{ ...body, by: ["sluk"] }, /by\[0\]: .*slug/],
        [{ ...body, query: "meta.x = " }, /query: /],
        [{ ...body, query: "a", experimentIds: ["x"] }, /not both/],
        [{ ...body, xAxis: "metric" }, /`xSeriesName`/],
        [{ ...body, start: 5, end: 5 }, /`end` must be above `start`/],
        [{ ...body, xScale: "log", start: 0 }, /above 0/],
        [{ ...body, columns: 2_049 }, /columns/],
        [{ ...body, by: ["slug", "slug", "slug", "slug", "slug"] }, /by/],
      ];
      for (const [asked, sentence] of wrong) {
        const reply = await postGroups(system, system.acme, asked);
        assert.equal(reply.status, 400, reply.text);
        assert.match((JSON.parse(reply.text) as { message: string }).message, sentence);
      }
    });
  },
  { alone: false, flags: ["--seal-points", "500"] },
);

function axisOf(xAxis: GroupsBody["xAxis"]): Pick<GroupsBody, "xAxis" | "xSeriesName"> {
  return xAxis === "metric" ? { xAxis, xSeriesName: "tokens" } : { xAxis };
}

interface Filled {
  word: string;
  runs: GroupedRun[];
}

/** Runs of all lengths, of one partition or two, with keys of several types, or without. */
async function fill(system: System, random: Random): Promise<Filled> {
  const word = uniqueName("grouped");
  const runs: GroupedRun[] = [];
  const lrs = [0.1, 0.2, "0.1", null, undefined];
  for (let at = 0; at < 24; at++) {
    const lr = lrs[random.below(lrs.length)];
    const opt = ["adam", "muon", [1, 2], true][random.below(4)];
    const tags = [[], ["a"], ["a", "b"]][random.below(3)];
    const meta = { ...(lr !== undefined && { lr }), opt, ...(tags.length > 0 && { _tags: tags }) };
    const experiment = await opened(system, word, meta);
    runs.push(await recordGroupedRun(experiment, meta, random));
  }
  await untilSummarized(system, system.acme);
  return { word, runs };
}

function opened(system: System, word: string, meta: JsonObject): Promise<ExperimentCaller> {
  return system.acme.open(`${word}/${uniqueName("run")}`, "", meta);
}

function postGroups(
  system: System,
  { credential }: OrganizationCaller,
  body: unknown,
): Promise<HttpReply> {
  return observed(system, { path: "/api/views/v1/groups", credential, body });
}

async function groups(
  system: System,
  caller: OrganizationCaller,
  body: GroupsBody,
): Promise<GroupsReply> {
  return ok<GroupsReply>(await postGroups(system, caller, body));
}
