import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { test } from "node:test";
import type { DifferenceBody, DifferenceReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { keyText } from "@lossless/protocol/query-field";
import { parseQuery } from "@lossless/protocol/query-language";
import fc from "fast-check";
import type { Json, JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { event, type OrganizationCaller, uniqueName } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { type System, topic } from "../topic.ts";
import { post, table, untilSummarized } from "./table-calls.ts";

topic(
  "difference",
  (system) => {
    test("it is what a plain comparison of the metas says", async () => {
      const sample = fc.sample(fc.array(meta, { minLength: 1, maxLength: 5 }), 25);
      for (const metas of sample) {
        const ids = await open(system, metas);
        const all = await difference(system, system.acme, {
          experimentIds: ids,
          equalKeys: true,
          hiddenKeys: true,
        });
        assert.deepEqual(
          all.keys.map(({ field, values, valueOf }) => [
            field,
            valueOf.map((at) => (at === null ? undefined : jsonOf(values[at]))),
          ]),
          compared(metas).map(({ field, values }) => [field, values]),
          JSON.stringify(metas),
        );
        for (const { values } of all.keys)
          assert.equal(new Set(values.map(({ kind, text }) => kind + text)).size, values.length);
        const differing = await difference(system, system.acme, { experimentIds: ids });
        const shown = compared(metas).filter(({ field }) => !/^meta\."?_/.test(field));
        const equal = shown.filter(({ isEqual }) => isEqual);
        assert.deepEqual(
          differing.keys.map(({ field }) => field),
          shown.filter(({ isEqual }) => !isEqual).map(({ field }) => field),
        );
        assert.deepEqual(
          [differing.equalKeys, differing.differingKeys, differing.hiddenKeys],
          [equal.length, shown.length - equal.length, compared(metas).length - shown.length],
        );
      }
    });

    test("numbers are compared with all their digits, and null is not missing", async () => {
      const texts = [
        '{"seed":9007199254740992,"lr":0.1,"none":null}',
        '{"seed":9007199254740993,"lr":1e-1}',
        '{"seed":9007199254740993.0,"lr":0.10,"none":null}',
      ];
      const ids: string[] = [];
      for (const text of texts) {
        const opened = event("experiment.open", {
          slug: uniqueName("exact"),
          description: "",
          meta: "META",
        });
        const reply = await system.acme.post(JSON.stringify(opened).replace('"META"', text));
        ids.push((JSON.parse(reply.text) as { data: { experimentId: string } }).data.experimentId);
      }
      const { keys, equalKeys } = await difference(system, system.acme, { experimentIds: ids });
      assert.equal(equalKeys, 1);
      assert.deepEqual(
        keys.map(({ field, values, valueOf }) => [field, values.map(({ text }) => text), valueOf]),
        [
          ["meta.seed", ["9007199254740992", "9007199254740993"], [0, 1, 1]],
          ["meta.none", ["null"], [0, null, 0]],
        ],
      );
    });

    test("params and tags of MLflow's clients are keys, and the name of a run is its own", async () => {
      const mlflow = new MlflowCaller(system, organizations.acme.key);
      const run = async (name: string, given: Record<string, string>) => {
        const run_id = await mlflow.run("0", { run_name: name });
        const params = Object.entries(given).map(([key, value]) => ({ key, value }));
        const tags = [{ key: "team", value: name }];
        await mlflow.post("runs/log-batch", { run_id, params, tags });
        return run_id;
      };
      const meta = { param: { lr: 0.1, opt: "sgd" }, seed: 1 };
      const ids = [
        await run("one", { lr: "1e-1", opt: "adam", "net.depth": "3" }),
        await run("two", { lr: "+.10", opt: "sgd", "net.depth": "03" }),
        ...(await open(system, [meta])),
      ];
      const reply = await difference(system, system.acme, { experimentIds: ids });
      assert.deepEqual(
        reply.experiments.map(({ name }) => name),
        ["one", "two", null],
      );
      assert.equal(reply.equalKeys, 1, "the rate is one number in all of them");
      assert.deepEqual(
        reply.keys.map(({ field, values, valueOf }) => [field, values.map(textOf), valueOf]),
        [
          ["meta.param.net.depth", ["number 3"], [0, 0, null]],
          ["meta.param.opt", ["text adam", "text sgd"], [0, 1, 1]],
          ["meta.tag.team", ["text one", "text two"], [0, 1, null]],
          ["meta.seed", ["number 1"], [null, null, 0]],
        ],
      );
      const all = await difference(system, system.acme, { experimentIds: ids, hiddenKeys: true });
      const hidden = all.keys.map(({ field }) => field).filter((one) => /_name|mlflow/.test(one));
      assert.deepEqual(hidden, ["meta.tag.mlflow.runName", "meta._name"]);
    });

    test("source and environment are compared among the runs that have them", async () => {
      const run = (commit: string, torch: string, more: JsonObject = {}): JsonObject => ({
        lr: 0.1,
        _name: "hidden",
        _source: {
          commit,
          isDirty: false,
          command: `train --torch ${torch}`,
          diff: { version: "000000000001", sha256: commit },
        },
        _environment: { python: "3.11.2", packages: { torch, numpy: "2.3.1", ...more } },
      });
      const [first, second] = ["a", "b"].map((digit) => uniqueName(digit.repeat(30)));
      const ids = await open(system, [
        run(first, "2.8.0"),
        run(second, "2.9.0", { "flash.attn": "1" }),
        { lr: 0.1, _environment: { python: "3.11.2" } },
        { lr: 0.1 },
      ]);
      const reply = await difference(system, system.acme, { experimentIds: ids });
      assert.deepEqual(
        reply.keys.map(({ field, values, valueOf }) => [
          field,
          values.map(({ text }) => text),
          valueOf,
        ]),
        [
          ["meta._source.commit", [first, second], [0, 1, null, null]],
          ["meta._source.diff.sha256", [first, second], [0, 1, null, null]],
          ["meta._environment.packages.torch", ["2.8.0", "2.9.0"], [0, 1, null, null]],
          ['meta._environment.packages."flash.attn"', ["1"], [null, 0, null, null]],
        ],
      );
      assert.deepEqual([reply.equalKeys, reply.hiddenKeys], [4, 3]);
    });

    test("runs are found by commit and by the packages that experiments are known for", async () => {
      const mlflow = new MlflowCaller(system, organizations.acme.key);
      const commit = uniqueName("c0ffee");
      const packages = { torch: "2.8.0", unheardof: "1.0" };
      const [own] = await open(system, [{ _source: { commit }, _environment: { packages } }]);
      const run_id = await mlflow.run("0", { run_name: "by-mlflow" });
      const tags = [{ key: "mlflow.source.git.commit", value: commit }];
      await mlflow.post("runs/log-batch", { run_id, tags });
      await untilSummarized(system, system.acme);
      const found = async (query: string) => {
        const { rows } = await table(system, system.acme, { query, columns: ["commit"] });
        return rows.map(({ experimentId, values }) => [experimentId, ...values]).sort();
      };
      const both = [own, run_id].sort().map((id) => [id, commit]);
      for (const query of [`commit = ${commit}`, `commit ~ ${commit.slice(0, -2)}*`])
        assert.deepEqual(await found(query), both, query);
      assert.deepEqual(await found(`meta._source.commit = "${commit}"`), both);
      assert.deepEqual(await found(`commit = ${commit.slice(0, -2)}`), []);
      const torch = `commit = ${commit} meta._environment.packages.torch = "2.8.0"`;
      assert.deepEqual(await found(torch), [[own, commit]]);
      assert.deepEqual(await found("meta._environment.packages.unheardof"), []);
    });

    test("what is cut is said: texts, keys, and how many there are", async () => {
      const long = "é".repeat(limits.differenceTextCharactersMax - 1);
      const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, at]));
      const ids = await open(system, [
        { text: `${long}💡a`, list: [long, long], ["x".repeat(600)]: 1, ...many },
        { text: `${long}💡b`, list: [long, "b"] },
      ]);
      const experimentIds = ids;
      const reply = await difference(system, system.acme, { experimentIds, keysMax: 2 });
      assert.deepEqual([reply.keys.length, reply.differingKeys], [2, 32]);
      assert.equal(reply.uncomparedValues, 1);
      const [{ values, valueOf }, list] = reply.keys;
      assert.deepEqual(valueOf, [0, 1]);
      assert.deepEqual(values, Array(2).fill({ kind: "text", text: long, isCut: true }));
      assert.ok(list.values.every(({ isCut }) => isCut));
      const found = await difference(system, system.acme, { experimentIds, text: "META.K2" });
      assert.deepEqual(found.keys.map(({ field }) => field).slice(0, 2), ["meta.k2", "meta.k20"]);
    });

    test("metrics have the summaries of each, those of most experiments first", async () => {
      const [first, second] = [await system.acme.open(), await system.acme.open()];
      const points = (values: number[]) =>
        values.map((metricValue, step) => ({ metricValue, step }));
      await first.send(...points([3, 1, 2]).map((point) => first.metric(point)));
      await first.send(first.metric({ metricName: "alone", metricValue: 5, step: 7 }));
      await second.send(...points([4, 4]).map((point) => second.metric(point)));
      await untilSummarized(system, system.acme);
      const experimentIds = [first.experimentId, second.experimentId];
      const { metrics, metricsFound } = await difference(system, system.acme, { experimentIds });
      assert.equal(metricsFound, 2);
      const ends = { first: 3, firstStep: 0, last: 2, lastStep: 2 };
      assert.deepEqual(metrics, [
        {
          name: "loss",
          experiments: 2,
          summaries: [
            { points: 3, ...ends, min: 1, minStep: 1, max: 3, maxStep: 0, mean: 2 },
            {
              points: 2,
              first: 4,
              firstStep: 0,
              last: 4,
              lastStep: 1,
              min: 4,
              minStep: 0,
              max: 4,
              maxStep: 0,
              mean: 4,
            },
          ],
        },
        {
          name: "alone",
          experiments: 1,
          summaries: [
            {
              points: 1,
              first: 5,
              firstStep: 7,
              last: 5,
              lastStep: 7,
              min: 5,
              minStep: 7,
              max: 5,
              maxStep: 7,
              mean: 5,
            },
            null,
          ],
        },
      ]);
      const named = await difference(system, system.acme, { experimentIds, metricText: "ALO" });
      assert.deepEqual(
        named.metrics.map(({ name }) => name),
        ["alone"],
      );
      const expressed = { experimentIds, metricText: "/^al.ne$/" };
      assert.equal((await difference(system, system.acme, expressed)).metrics.length, 1);
      const one = await difference(system, system.acme, { experimentIds, metricsMax: 1 });
      assert.deepEqual([one.metrics.length, one.metricsFound], [1, 2]);
    });

    test("of one experiment there may be thousands of metrics", async () => {
      const recorder = await system.acme.open();
      const { experimentId } = recorder;
      const recorded = Array.from({ length: 450 }, (_, at) => `m${at}`);
      await recorder.send(...recorded.map((metricName) => recorder.metric({ metricName })));
      await untilSummarized(system, system.acme);
      const few = await difference(system, system.acme, { experimentIds: [experimentId] });
      assert.deepEqual([few.metrics.length, few.metricsFound], [200, 450]);
      const all = await difference(system, system.acme, {
        experimentIds: [experimentId],
        metricsMax: 20_000,
      });
      assert.deepEqual(
        all.metrics.map(({ name }) => name),
        recorded.toSorted(),
      );
      assert.ok(all.metrics.every(({ summaries }) => summaries[0]?.points === 1));
    });

    test("without ids it compares the first that a query finds", async () => {
      const batch = uniqueName("batch");
      const ids = await open(system, [
        { batch, a: 1 },
        { batch, a: 2 },
        { batch, a: 3 },
      ]);
      await untilSummarized(system, system.acme);
      const query = `meta.batch = ${batch}`;
      const sort = [{ field: "meta.a", descending: true }];
      const reply = await difference(system, system.acme, { query, sort });
      assert.deepEqual(
        reply.experiments.map(({ experimentId }) => experimentId),
        ids.toReversed(),
      );
      assert.deepEqual([reply.found, reply.keys.length, reply.equalKeys], [3, 1, 1]);
    });

    test("what sets experiments apart are tests that find what they say", async () => {
      const batch = uniqueName("apart");
      const metas = fc.sample(meta, 30).map((one) => ({ ...one, batch }));
      const ids = await open(system, metas);
      const query = `meta.batch = ${batch}`;
      await untilSummarized(system, system.acme);
      for (const size of [1, 12]) {
        const named = new Set(ids.slice(0, size));
        const { apart } = await difference(system, system.acme, {
          experimentIds: [...named],
          query,
          apart: true,
          hiddenKeys: true,
        });
        const others = ids.length - size;
        assert.ok(apart !== undefined);
        assert.deepEqual([apart.named, apart.others, apart.othersFound], [size, others, others]);
        assert.equal(apart.keysCounted, apart.keysFound);
        assert.equal(apart.keys.length, apart.keysFound);
        const share = ([ofNamed, ofOthers]: number[]) =>
          Math.abs(ofNamed / size - ofOthers / others);
        const finds = async (test: string) => {
          const { rows } = await table(system, system.acme, { query: `${query} and ${test}` });
          const hits = rows.filter(({ experimentId }) => named.has(experimentId)).length;
          return [hits, rows.length - hits];
        };
        let before = Infinity;
        for (const {
          field,
          test: found,
          named: ofNamed,
          others: ofOthers,
          distance,
        } of apart.keys) {
          assert.deepEqual(await finds(found), [ofNamed, ofOthers], found);
          assert.ok(Math.abs(distance - share([ofNamed, ofOthers])) < 1e-9, found);
          assert.ok(distance <= before);
          before = distance;
          // No other test of the kinds that there are is further.
          for (const scalar of [5, -1.5]) {
            for (const sign of ["=", "<=", ">="])
              assert.ok(share(await finds(`${field} ${sign} ${scalar}`)) <= distance + 1e-9, field);
          }
          assert.ok(share(await finds(`${field} = adamw`)) <= distance + 1e-9);
          assert.ok(share(await finds(field)) <= distance + 1e-9);
          assert.ok(parseQuery(found));
        }
      }
    });

    test("another organization's experiments are unknown ones", async () => {
      const secret = uniqueName("secret");
      const ids = await open(system, [{ [secret]: 1 }, { [secret]: 2 }]);
      const own = await system.rival.open(undefined, "", { own: 1 });
      await untilSummarized(system, system.rival);
      const experimentIds = [...ids, own.experimentId, "unknown"];
      for (const body of [{ experimentIds }, { experimentIds, apart: true, query: "" }, {}]) {
        const reply = await difference(system, system.rival, { ...body, equalKeys: true });
        const text = JSON.stringify(reply);
        assert.ok(!text.includes(secret) && !ids.some((id) => text.includes(id)), text);
        assert.ok(reply.experiments.some(({ experimentId }) => experimentId === own.experimentId));
      }
      const nothing = await difference(system, system.rival, { experimentIds: ids });
      assert.deepEqual([nothing.experiments, nothing.keys, nothing.metrics], [[], [], []]);
    });

    test("what is asked wrongly is refused in words", async () => {
      const wrong: [object, RegExp][] = [
        [{ apart: true }, /`apart` needs `experimentIds`/],
        [{ experimentIds: [], query: "a" }, /Give `experimentIds` or a query/],
        [{ query: "lr > 3" }, /did you mean meta.lr/],
        [{ experimentIds: Array(101).fill("a") }, /experimentIds/],
        [{ keysMax: 1_001 }, /keysMax/],
      ];
      for (const [body, sentence] of wrong) {
        const reply = await post(system, "difference", system.acme.credential, body);
        assert.equal(reply.status, 400, reply.text);
        assert.match(reply.text, sentence);
      }
    });
  },
  { alone: true },
);

const scalar = fc.constantFrom<Json>(
  "adamw",
  "5",
  "",
  "true",
  "null",
  'q"\\',
  5,
  0,
  -1.5,
  1e21,
  true,
  false,
  null,
);
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.constant<Json>([{ a: 1, b: [2] }]),
  fc.constant<Json>({}),
);
const inner = fc.dictionary(fc.constantFrom("name", "a.b", "", "_x"), value, { maxKeys: 3 });
const meta = fc
  .dictionary(
    fc.constantFrom("lr", "seed", "a.b", "_name", "_b c", "optimizer", "é", "toString"),
    fc.oneof({ weight: 3, arbitrary: value }, inner) as fc.Arbitrary<Json>,
    { maxKeys: 6 },
  )
  .map((one) => JSON.parse(JSON.stringify(one)) as JsonObject);

/** The keys of metas in the order in which they come first, with the value of each meta. */
function compared(metas: JsonObject[]): { field: string; values: unknown[]; isEqual: boolean }[] {
  const leaves = metas.map(
    (one) =>
      new Map(Object.entries(one).flatMap(([name, own]) => leavesOf(own, `meta.${keyText(name)}`))),
  );
  return [...new Set(leaves.flatMap((one) => [...one.keys()]))].map((field) => {
    const values = leaves.map((one) => one.get(field));
    return { field, values, isEqual: values.every((one) => isDeepStrictEqual(one, values[0])) };
  });
}

function leavesOf(value: Json, path: string): [string, Json][] {
  const isParent =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0;
  if (!isParent) return [[path, value]];
  return Object.entries(value).flatMap(([name, own]) => leavesOf(own, `${path}.${keyText(name)}`));
}

function textOf({ kind, text }: { kind: string; text: string }): string {
  return `${kind} ${text}`;
}

function jsonOf({ kind, text }: { kind: string; text: string }): unknown {
  return kind === "text" ? text : JSON.parse(text);
}

async function open(system: System, metas: JsonObject[]): Promise<string[]> {
  const opened = await Promise.all(metas.map((one) => system.acme.open(undefined, "", one)));
  return opened.map(({ experimentId }) => experimentId);
}

async function difference(
  system: System,
  { credential }: OrganizationCaller,
  body: DifferenceBody,
): Promise<DifferenceReply> {
  const reply = await post(system, "difference", credential, body);
  assert.equal(reply.status, 200, `${JSON.stringify(body)}: ${reply.text.slice(0, 500)}`);
  return JSON.parse(reply.text) as DifferenceReply;
}
