import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { LoggedNearestBody, LoggedNearestReply } from "@lossless/client";
import type { FirstItems } from "./first-items.ts";
import { NearestItems, type SeriesItems } from "./nearest-items.ts";

const image = (name: string) => ({ kind: "image" as const, name });

/** A service whose replies come when the test says so. */
class Service {
  readonly asked: LoggedNearestBody[] = [];
  known: ReadonlyMap<string, SeriesItems> = new Map();
  readonly items: NearestItems;
  #end: ((reply: LoggedNearestReply) => void) | undefined;

  constructor(first?: FirstItems) {
    const ask = (body: LoggedNearestBody) =>
      new Promise<LoggedNearestReply>((resolve) => {
        this.asked.push(body);
        this.#end = resolve;
      });
    this.items = new NearestItems(ask, (known) => void (this.known = known), first);
  }

  /** Answers with an item of each series and experiment, a step below the wanted one. */
  async answer(): Promise<void> {
    const { series, experimentIds, step } = this.asked.at(-1)!;
    const items = series.flatMap((_, at) =>
      experimentIds.map((experimentId) => ({
        series: at,
        experimentId,
        step: step - 1,
        timestampMs: 0,
        metadata: {},
      })),
    );
    this.#end!({ items, truncated: false, isBehind: false });
    await turn();
  }
}

test("while a request runs only the last choice waits", async () => {
  const service = new Service();
  const show = (step: number) =>
    service.items.show({ experimentIds: ["a"], series: [image("x")], step, version: "" });
  for (let step = 1; step <= 100; step++) show(step);
  await turn();
  assert.deepEqual(
    service.asked.map(({ step }) => step),
    [1],
  );
  await service.answer();
  assert.deepEqual(
    service.asked.map(({ step }) => step),
    [1, 100],
  );
  await service.answer();
  show(100);
  await turn();
  assert.equal(service.asked.length, 2);
  assert.deepEqual(
    service.known
      .get("image x")
      ?.byExperiment.get("a")
      ?.map(({ step }) => step),
    [99],
  );
});

test("only series that are not answered yet are asked for, and new ones of the same step", async () => {
  const service = new Service();
  const show = (names: string[], version = "") =>
    service.items.show({ experimentIds: ["a"], series: names.map(image), step: 7, version });
  show(["x"]);
  await turn();
  await service.answer();
  show(["x", "y"]);
  await turn();
  await service.answer();
  show(["x", "y"], "more was logged");
  await turn();
  assert.deepEqual(
    service.asked.map(({ series }) => series.map(({ name }) => name)),
    [["x"], ["y"], ["x", "y"]],
  );
});

test("many experiments and series are asked for in parts", async () => {
  const service = new Service();
  const experimentIds = Array.from({ length: 100 }, (_, at) => `e${at}`);
  const series = Array.from({ length: 25 }, (_, at) => image(`s${at}`));
  service.items.show({ experimentIds, series, step: 7, version: "" });
  await turn();
  for (let part = 0; part < 3; part++) await service.answer();
  assert.deepEqual(
    service.asked.map((body) => body.series.length),
    [10, 10, 5],
  );
  assert.equal(service.known.get("image s24")?.byExperiment.size, 100);
});

test("what was asked for already is not asked for again, unless it failed or is about another step", async () => {
  const first = (reply: FirstItems["reply"], step = 7): FirstItems => ({
    body: { experimentIds: ["a"], series: [image("x")], step },
    version: "1",
    reply,
  });
  const item = { series: 0, experimentId: "a", step: 7, timestampMs: 0, metadata: {} };
  const answer = Promise.resolve({ items: [item], truncated: false, isBehind: false });
  const namesAsked = async (begun: FirstItems, version = "1") => {
    const service = new Service(begun);
    const series = [image("x"), image("y")];
    service.items.show({ experimentIds: ["a"], series, step: 7, version });
    await turn();
    const known = service.known.get("image x")?.byExperiment.get("a")?.[0];
    return [known, service.asked.map((body) => body.series.map(({ name }) => name))];
  };
  assert.deepEqual(await namesAsked(first(answer)), [item, [["y"]]]);
  const both = [undefined, [["x", "y"]]];
  assert.deepEqual(await namesAsked(first(Promise.resolve(undefined))), both);
  assert.deepEqual(await namesAsked(first(answer, 8)), both);
  assert.deepEqual(await namesAsked(first(answer), "2"), both);
});

test("after a failure the known items stay, and the next choice is asked for", async () => {
  const problems: unknown[] = [];
  let fails = true;
  const items = new NearestItems(
    async () => {
      if (fails) throw new Error("away");
      return { items: [], truncated: false, isBehind: false };
    },
    (_, problem) => problems.push(problem),
  );
  const shown = { experimentIds: ["a"], series: [image("x")], version: "" };
  items.show({ ...shown, step: 1 });
  await turn();
  fails = false;
  items.show({ ...shown, step: 2 });
  await turn();
  assert.deepEqual(
    problems.map((one) => (one as Error | undefined)?.message),
    ["away", undefined],
  );
});
