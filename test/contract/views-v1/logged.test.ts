import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedItem } from "@lossless/protocol";
import { runVerify } from "../../crash/verify-command.ts";
import { organizations } from "../../service.ts";
import { Random } from "../../random.ts";
import { uniqueName } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { RunFiles } from "../mlflow/run-files.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { askTrash, entriesOf, trashed, untilGone } from "../trash-v1/trash-calls.ts";
import { annotate, LoggedCalls, media, type Note, text } from "./logged-calls.ts";

const seed = Number(process.env.LOSSLESS_TEST_SEED ?? 2911);

topic("media over steps", (system) => {
  const calls = () => new LoggedCalls(system, system.acme.credential);

  test("what was logged is found by name and kind, with counts, over several experiments", async () => {
    const [one, two] = [await system.acme.open(), await system.acme.open()];
    await annotate(one, [
      media("image", "samples", 10),
      media("image", "samples", 20),
      media("table", "samples", 15),
      text("phase", 0, "warm-up"),
      { annotation: "a note", meta: { kind: "note", step: 3 } },
    ]);
    await annotate(two, [media("image", "samples", 5), media("audio", "Voice_%", 7)]);
    const experimentIds = [one.experimentId, two.experimentId, "unknown", one.experimentId];
    const samples = { name: "samples", firstStep: 5, lastStep: 20 };
    const all = [
      { kind: "audio", name: "Voice_%", items: 1, experiments: 1, firstStep: 7, lastStep: 7 },
      { kind: "text", name: "phase", items: 1, experiments: 1, firstStep: 0, lastStep: 0 },
      { ...samples, kind: "image", items: 3, experiments: 2 },
      { ...samples, kind: "table", items: 1, experiments: 1, firstStep: 15, lastStep: 15 },
    ];
    assert.deepEqual(await calls().ask("names", { experimentIds }), {
      series: all,
      found: 4,
      isBehind: false,
    });
    const named = async (more: object) => {
      const { series, found } = await calls().ask("names", { experimentIds, ...more });
      return [series.map(({ kind, name }) => `${kind} ${name}`), found];
    };
    assert.deepEqual(await named({ kinds: ["text", "audio"] }), [
      ["audio Voice_%", "text phase"],
      2,
    ]);
    assert.deepEqual(await named({ text: "VOICE_%" }), [["audio Voice_%"], 1]);
    assert.deepEqual(await named({ text: "%" }), [["audio Voice_%"], 1]);
    assert.deepEqual(await named({ limit: 1 }), [["audio Voice_%"], 4]);
    const rival = new LoggedCalls(system, system.rival.credential);
    assert.deepEqual(await rival.ask("names", { experimentIds }), {
      series: [],
      found: 0,
      isBehind: false,
    });
  });

  test("an item says what its annotation says, and where its file is", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const own = { timestampMs: 1_700_000_000_000, caption: "a cat", width: 64, height: 48 };
    await annotate(experiment, [
      media("image", "x", 3, { ...own, index: 1, count: 2, pointMeta: { rank: "1" } }),
      { annotation: "x", meta: { kind: "media", _media: { kind: "html", name: "x", step: 3 } } },
      text("x", 3, "x: y"),
    ]);
    const [image] = await calls().walk({ experimentIds: [experimentId], kind: "image", name: "x" });
    assert.deepEqual(image, {
      experimentId,
      step: 3,
      metadata: { rank: "1" },
      ...own,
      index: 1,
      count: 2,
      file: {
        path: "media/x-3.png",
        bytes: 7,
        mediaType: "image/png",
        artifact: "a/media",
        version: "1",
      },
    });
    for (const [kind, more] of [
      ["html", {}],
      ["text", { text: "x: y" }],
    ] as const) {
      const [item] = await calls().walk({ experimentIds: [experimentId], kind, name: "x" });
      const { timestampMs, ...rest } = item;
      assert.ok(timestampMs > own.timestampMs, "the service's clock");
      assert.deepEqual(rest, { experimentId, step: 3, metadata: {}, ...more });
    }
  });

  test(`steps, nearest items and pages are those of a model (seed ${seed})`, async () => {
    const random = new Random(seed);
    const series = [
      { kind: "image", name: uniqueName("a") },
      { kind: "audio", name: uniqueName("b") },
    ] as const;
    const experiments = [await system.acme.open(), await system.acme.open()];
    const experimentIds = experiments.map((one) => one.experimentId);
    const model: { series: number; experiment: number; step: number; caption: string }[] = [];
    for (const [experiment, one] of experiments.entries()) {
      const notes: Note[] = [];
      for (let at = 0; at < 250; at++) {
        const [of, step, caption] = [random.below(2), random.below(90) * 3, `${experiment} ${at}`];
        model.push({ series: of, experiment, step, caption });
        notes.push(media(series[of].kind, series[of].name, step, { caption }));
      }
      await annotate(one, notes);
    }
    const captions = (items: readonly LoggedItem[]) => items.map(({ caption }) => caption);
    const steps = [...new Set(model.map(({ step }) => step))].sort((one, other) => one - other);
    const found = await calls().ask("steps", { experimentIds, series: [...series] });
    assert.deepEqual(found, { steps, found: steps.length, isMinimum: false, isBehind: false });
    const inRange = steps.filter((step) => step >= 30 && step < 60);
    const range = { start: 30, end: 60, experimentIds, series: [...series] };
    assert.deepEqual((await calls().ask("steps", range)).steps, inRange);
    const thin = await calls().ask("steps", { ...range, stepsMax: 3 });
    assert.deepEqual([thin.steps.length, thin.found], [3, inRange.length]);
    assert.deepEqual([thin.steps[0], thin.steps[2]], [inRange[0], inRange.at(-1)]);

    for (const step of [0, 1, 31, 100, 268, 5_000]) {
      const expected = series.flatMap((_, of) =>
        experiments.flatMap((_own, experiment) => {
          const own = model.filter((one) => one.series === of && one.experiment === experiment);
          const distance = (at: number) => Math.abs(at - step);
          const nearest = own.reduce((best, one) => {
            const [left, right] = [distance(best.step), distance(one.step)];
            return right < left || (right === left && one.step < best.step) ? one : best;
          });
          return own.filter((one) => one.step === nearest.step).map(({ caption }) => [of, caption]);
        }),
      );
      const { items, truncated } = await calls().ask("nearest", {
        experimentIds,
        series: [...series],
        step,
      });
      assert.deepEqual(
        items.map((item) => [item.series, item.caption]),
        expected,
      );
      assert.equal(truncated, false);
    }

    for (const newestFirst of [false, true]) {
      const own = model.filter((one) => one.series === 0 && one.step >= 30 && one.step < 200);
      const expected = [0, 1].flatMap((experiment) => {
        const ordered = own
          .filter((one) => one.experiment === experiment)
          .map((one, at) => ({ ...one, at }))
          .sort((one, other) => one.step - other.step || one.at - other.at);
        return newestFirst ? ordered.reverse() : ordered;
      });
      const body = { experimentIds, ...series[0], start: 30, end: 200, newestFirst };
      for (const limit of [1, 7, 1_000])
        assert.deepEqual(
          captions(await calls().walk({ ...body, limit })),
          expected.map(({ caption }) => caption),
        );
    }
  });

  test("more items of one step than one call logs are cut, and said", async () => {
    const experiment = await system.acme.open();
    await annotate(
      experiment,
      Array.from({ length: 109 }, (_, index) => media("image", "x", 1, { index, count: 109 })),
    );
    const { items, truncated } = await calls().ask("nearest", {
      experimentIds: [experiment.experimentId],
      series: [{ kind: "image", name: "x" }],
      step: 1,
    });
    assert.deepEqual([items.length, items[107].index, truncated], [108, 107, true]);
  });

  test("what is asked wrongly is refused with a reason", async () => {
    const { experimentId } = await system.acme.open();
    const experimentIds = [experimentId];
    const name = "x";
    const cases: [Parameters<LoggedCalls["request"]>[0], object, RegExp][] = [
      ["names", {}, /experimentIds/],
      ["names", { experimentIds: Array.from({ length: 101 }, String) }, /100/],
      ["names", { experimentIds, kinds: ["film"] }, /kinds/],
      ["steps", { experimentIds, series: [{ kind: "image" }] }, /name/],
      ["steps", { experimentIds, series: [], stepsMax: 1 }, /stepsMax/],
      ["items", { experimentIds, kind: "image", name, after: "x" }, /`after`/],
      ["items", { experimentIds, kind: "image", name, start: -1 }, /start/],
      ["histograms", { experimentIds, name, low: 1, high: 1 }, /`low`/],
      ["texts", { experimentIds, name, statesMax: 0 }, /statesMax/],
    ];
    for (const [call, body, reason] of cases) {
      const reply = await calls().request(call, body);
      assert.equal(reply.status, 400, `${call} ${JSON.stringify(body)}: ${reply.text}`);
      assert.match(reply.text, reason);
    }
    const series = Array.from({ length: 100 }, (_, at) => ({ kind: "image", name: `${at}` }));
    const wide = { experimentIds: Array.from({ length: 11 }, String), series, step: 0 };
    assert.match((await calls().request("nearest", wide)).text, /1000 series times experiments/);
  });

  test("a deleted experiment is left out, is back when restored, and leaves no row when purged", async () => {
    const experiment = await system.acme.open();
    const experimentIds = [experiment.experimentId];
    await annotate(experiment, [media("image", "x", 1), text("phase", 1, "a")]);
    const [entry] = await trashed(system, experiment.experimentId);
    assert.equal((await calls().ask("names", { experimentIds })).found, 0);
    await askTrash(system, "restore", { body: { ids: [entry.id] } });
    assert.equal((await calls().ask("names", { experimentIds })).found, 2);
    const [again] = await trashed(system, experiment.experimentId);
    const credential = await signIn(system, "ada");
    await entriesOf(askTrash(system, "purge", { body: { ids: [again.id] }, credential }));
    await untilGone(system, [again.id]);
    assert.equal((await calls().ask("names", { experimentIds })).found, 0);
  });
});

topic(
  "the index of what was logged",
  (system) => {
    test("verify finds it right, also after a purge", async () => {
      const [kept, purged] = [await system.acme.open(), await system.acme.open()];
      for (const experiment of [kept, purged])
        await annotate(experiment, [media("image", "x", 1), text("phase", 1, "a")]);
      const [{ id }] = await trashed(system, purged.experimentId);
      const credential = await signIn(system, "ada");
      await entriesOf(askTrash(system, "purge", { body: { ids: [id] }, credential }));
      await untilGone(system, [id]);
      assert.equal(await system.service.stop(), 0);
      const { code, output } = await runVerify(system.service);
      assert.equal(code, 0, output);
      await system.service.start();
    });
  },
  { alone: true },
);

topic("images and tables of MLflow's clients", (system) => {
  const calls = () => new LoggedCalls(system, system.acme.credential);

  test("log_image and log_table are found by name and step until their files are deleted", async () => {
    const caller = new MlflowCaller(system, organizations.acme.key);
    const owner = await caller.run();
    const files = new RunFiles(caller, owner);
    const image = (step: number) =>
      `images/val#cats%step%${step}%timestamp%170000000000${step}%g-${step}`;
    for (const step of [0, 5]) {
      await files.put(`${image(step)}.png`, "png");
      await files.put(`${image(step)}%compressed.webp`, "webp");
    }
    await files.put("eval.json", '{"columns":["a"],"data":[[1]]}');
    await files.put("other.json", "{}");
    const key = "mlflow.loggedArtifacts";
    const value = JSON.stringify([{ path: "eval.json", type: "table" }]);
    await caller.post("runs/set-tag", { run_id: owner, key, value });
    // log_table writes the file again, with more rows.
    await files.put("eval.json", '{"columns":["a"],"data":[[1],[2]]}');
    const experimentIds = [owner];
    const names = async () => {
      const { series } = await calls().ask("names", { experimentIds });
      return series.map(({ kind, name, items }) => [kind, name, items]);
    };
    assert.deepEqual(await names(), [
      ["table", "eval.json", 1],
      ["image", "val/cats", 2],
    ]);
    const images = await calls().walk({ experimentIds, kind: "image", name: "val/cats" });
    assert.deepEqual(images[1], {
      experimentId: owner,
      step: 5,
      timestampMs: 1_700_000_000_005,
      metadata: {},
      file: { path: `${image(5)}.png`, bytes: 3, mediaType: "image/png", owner },
    });
    await files.at(`${image(0)}.png`, { method: "DELETE" });
    await files.at("eval.json", { method: "DELETE" });
    assert.deepEqual(await names(), [["image", "val/cats", 1]]);
    const { steps } = await calls().ask("steps", {
      experimentIds,
      series: [{ kind: "image", name: "val/cats" }],
    });
    assert.deepEqual(steps, [5]);
  });
});
