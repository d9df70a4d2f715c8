import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  LoggedHistogramsBody,
  LoggedTextsBody,
  NewAnnotationsReply,
} from "@lossless/protocol";
import type { JsonObject } from "../../http.ts";
import { type ExperimentCaller, observed } from "../callers.ts";
import { topic } from "../topic.ts";
import { annotate, LoggedCalls, media, text } from "./logged-calls.ts";

topic("texts over steps", (system) => {
  const calls = () => new LoggedCalls(system, system.acme.credential);
  const lanes = async (of: ExperimentCaller[], body: Partial<LoggedTextsBody> = {}) => {
    const experimentIds = of.map(({ experimentId }) => experimentId);
    const reply = await calls().ask("texts", { experimentIds, name: "phase", ...body });
    const told = reply.lanes.map(({ experimentId, metadata, states }) => [
      experimentIds.indexOf(experimentId),
      metadata,
      states.map((state) => `${state.step} ${state.text} x${state.items} to ${state.endStep}`),
    ]);
    return { lanes: told, end: reply.end };
  };

  test("equal texts in a row are one state, which holds until the next one", async () => {
    const experiment = await system.acme.open();
    await annotate(experiment, [
      text("phase", 0, "warm-up"),
      text("phase", 100, "train"),
      text("phase", 150, "train"),
      text("phase", 300, "replaced at once"),
      text("phase", 300, "cool"),
      // Came late.
      text("phase", 50, "warm-up"),
      text("phase", 10, "other rank", { rank: "1" }),
      text("stage", 5, "no"),
    ]);
    const own = ["0 warm-up x2 to 100", "100 train x2 to 300", "300 cool x1 to null"];
    const other = [0, { rank: "1" }, ["10 other rank x1 to null"]];
    assert.deepEqual(await lanes([experiment]), { lanes: [[0, {}, own], other], end: null });
    // What holds at the start of the range began before it.
    assert.deepEqual((await lanes([experiment], { start: 120, end: 300 })).lanes, [
      [0, {}, ["100 train x2 to null"]],
      other,
    ]);
    assert.deepEqual((await lanes([experiment], { start: 100, end: 200 })).lanes[0][2], [
      "0 warm-up x2 to 100",
      "100 train x2 to null",
    ]);
  });

  test("a long text is cut, and differs from others that begin like it", async () => {
    const experiment = await system.acme.open();
    const long = "ü".repeat(400);
    await annotate(experiment, [
      text("phase", 1, `${long}a`),
      text("phase", 2, `${long}b`),
      text("phase", 3, "ü".repeat(256)),
    ]);
    const { experimentId } = experiment;
    const reply = await calls().ask("texts", { experimentIds: [experimentId], name: "phase" });
    assert.deepEqual(
      reply.lanes[0].states.map((state) => [state.text, state.isCut]),
      [
        ["ü".repeat(256), true],
        ["ü".repeat(256), true],
        ["ü".repeat(256), false],
      ],
    );
    const whole = await calls().walk({
      experimentIds: [experimentId],
      kind: "text",
      name: "phase",
    });
    assert.equal(whole[1].text, `${long}b`);
  });

  test("more states than fit are cut at one step for all, and go on from there", async () => {
    const experiments = [await system.acme.open(), await system.acme.open()];
    for (const [at, experiment] of experiments.entries())
      await annotate(
        experiment,
        Array.from({ length: 40 }, (_, step) => text("phase", step * (at + 1), `${step}`)),
      );
    const told: string[][] = [[], []];
    let requests = 0;
    for (let start: number | null = 0; start !== null; requests++) {
      const part = await lanes(experiments, { start, statesMax: 20 });
      for (const [of, , states] of part.lanes as [number, unknown, string[]][])
        for (const state of states) {
          const [step, value] = state.split(" ");
          const one = `${step} ${value}`;
          if (!told[of].includes(one)) told[of].push(one);
        }
      assert.ok(part.end === null || part.end > start);
      start = part.end;
    }
    assert.ok(requests > 3);
    for (const [at, own] of told.entries())
      assert.deepEqual(
        own,
        Array.from({ length: 40 }, (_, step) => `${step * (at + 1)} ${step}`),
      );
  });
});

topic("histograms over steps", (system) => {
  const calls = () => new LoggedCalls(system, system.acme.credential);
  const histogram = (step: number, bins: number[], values: number[], more: JsonObject = {}) =>
    media("histogram", "weights", step, { histogram: { bins, values }, ...more });
  const maps = (of: ExperimentCaller, body: Partial<LoggedHistogramsBody> = {}) =>
    calls().ask("histograms", { experimentIds: [of.experimentId], name: "weights", ...body });

  test("come on one grid, divided by area, with all that they count", async () => {
    const experiment = await system.acme.open();
    await annotate(experiment, [
      histogram(0, [0, 2, 4], [10, 20]),
      histogram(10, [-4, 4], [8], { nonfinite: 3 }),
      histogram(5, [1, 1], [7], { pointMeta: { rank: "1" } }),
      media("histogram", "weights", 20),
      media("histogram", "weights", 21, { histogram: { bins: [0, 1], values: [-1] } }),
    ]);
    const { maps: all, ...grid } = await maps(experiment, { bins: 4 });
    assert.deepEqual(grid, { low: -4, high: 4, bins: 4, isBehind: false });
    const { experimentId } = experiment;
    const none = { below: 0, above: 0, nonfinite: 0, items: 1 };
    assert.deepEqual(all, [
      {
        experimentId,
        metadata: {},
        items: 4,
        files: 2,
        columns: [
          { ...none, step: 0, lastStep: 0, counts: [0, 0, 10, 20], total: 30 },
          { ...none, step: 10, lastStep: 10, counts: [2, 2, 2, 2], total: 8, nonfinite: 3 },
        ],
      },
      {
        experimentId,
        metadata: { rank: "1" },
        items: 1,
        files: 0,
        columns: [{ ...none, step: 5, lastStep: 5, counts: [0, 0, 7, 0], total: 7 }],
      },
    ]);
    const zoomed = await maps(experiment, { bins: 2, low: 0, high: 1, start: 10, end: 11 });
    const [column] = zoomed.maps[0].columns;
    assert.deepEqual([column.counts, column.below, column.above], [[0.5, 0.5], 4, 3]);
  });

  test("neighbouring steps are summed where there are too many columns", async () => {
    const experiment = await system.acme.open();
    await annotate(
      experiment,
      Array.from({ length: 100 }, (_, step) => histogram(step * 2, [0, 1, 2], [step, 1])),
    );
    const { maps: all } = await maps(experiment, { columns: 30, bins: 2 });
    const { columns } = all[0];
    assert.equal(columns.length, 25);
    for (const [at, column] of columns.entries()) {
      const { step, lastStep, items, counts, total } = column;
      assert.deepEqual([step, lastStep, items], [at * 8, at * 8 + 6, 4]);
      assert.deepEqual([counts, total], [[16 * at + 6, 4], 16 * at + 10]);
    }
  });

  test("one by one they have their bins, where those are whole", async () => {
    const experiment = await system.acme.open();
    await annotate(experiment, [
      histogram(0, [0, 2, 4], [10, 20]),
      media("histogram", "weights", 1, { histogram: { bins: [2, 1], values: [3] } }),
    ]);
    const experimentIds = [experiment.experimentId];
    const items = await calls().walk({ experimentIds, kind: "histogram", name: "weights" });
    assert.deepEqual(
      items.map((item) => item.histogram),
      [{ bins: [0, 2, 4], values: [10, 20] }, undefined],
    );
  });

  test("the annotations of a page come without bins, all others as they were sent", async () => {
    const experiment = await system.acme.open();
    const other = { annotation: "x", meta: { histogram: { bins: [1] }, kind: "note" } };
    await annotate(experiment, [histogram(0, [0, 2], [10], { nonfinite: 1 }), other]);
    const path = `/api/views/v1/annotations?experimentId=${experiment.experimentId}`;
    const reply = await observed(system, { path, credential: system.acme.credential });
    const { annotations } = JSON.parse(reply.text) as { annotations: { meta: JsonObject }[] };
    const { histogram: _, ...own } = histogram(0, [0, 2], [10], { nonfinite: 1 }).meta
      ._media as JsonObject;
    assert.deepEqual(
      annotations.map(({ meta }) => meta),
      [other.meta, { kind: "media", _media: own }],
    );
  });

  test("the annotations of a page may leave out what is read by step", async () => {
    const experiment = await system.acme.open();
    const note = (annotation: string) => ({ annotation, meta: { kind: "note" } });
    // Without a step it is in no series.
    const unplaced = { annotation: "lost", meta: { kind: "media", _media: { kind: "image" } } };
    const notes = Array.from({ length: 50 }, (_, at) => [
      note(`n${at}`),
      media("image", "x", at),
      text("phase", at, "train"),
      histogram(at, [0, 2], [10]),
    ]).flat();
    await annotate(experiment, [...notes, unplaced]);
    const read = async (more: string) => {
      const path = `/api/views/v1/annotations?experimentId=${experiment.experimentId}${more}`;
      const reply = await observed(system, { path, credential: system.acme.credential });
      assert.equal(reply.status, 200, reply.text);
      return JSON.parse(reply.text) as NewAnnotationsReply;
    };
    const found = await read("&logged=omit");
    const own = Array.from({ length: 50 }, (_, at) => `n${49 - at}`);
    assert.deepEqual(
      found.annotations.map(({ annotation }) => annotation),
      ["lost", ...own],
    );
    assert.equal(found.truncated, false);
    assert.equal((await read("")).annotations.length, 201);
    await annotate(experiment, [text("phase", 99, "cool"), note("later")]);
    const later = await read(`&logged=omit&after=${found.next}`);
    assert.deepEqual(
      later.annotations.map(({ annotation }) => annotation),
      ["later"],
    );
    assert.equal((await read(`&after=${found.next}`)).annotations.length, 2);
    const path = `/api/views/v1/annotations?experimentId=${experiment.experimentId}&logged=only`;
    const refused = await observed(system, { path, credential: system.acme.credential });
    assert.equal(refused.status, 400);
  });

  test("without any there is no map", async () => {
    const experiment = await system.acme.open();
    assert.deepEqual(await maps(experiment), {
      low: 0,
      high: 1,
      bins: 64,
      maps: [],
      isBehind: false,
    });
  });
});
