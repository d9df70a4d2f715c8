import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ExperimentGroup,
  ExperimentGroupsBody,
  ExperimentGroupsReply,
  GroupValue,
  TableRow,
} from "@lossless/protocol";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { Random } from "../../random.ts";
import { observed, type OrganizationCaller, uniqueName } from "../callers.ts";
import { type System, topic } from "../topic.ts";
import { seed } from "./plain-lines.ts";
import { table, untilSummarized } from "./table-calls.ts";

const lrs = [0.1, 0.2, "0.1", null, undefined];
const opts = ["adam", "muon", [1, 2], [], true];
const columns = [
  "metric.loss",
  "metric.loss.min",
  "metric.loss{rank=1}.count",
  "meta.lr",
  "points",
  "status",
  "metric.none",
];

topic(
  `groups of rows (seed ${seed})`,
  (system) => {
    let filled: Promise<Filled> | undefined;
    const all = () => (filled ??= fill(system, new Random(seed)));

    test("counts, means and extremes are those of the rows, by one key or several", async () => {
      const { word, runs } = await all();
      const rows = await rowsOf(system, word);
      for (const by of [["meta.lr"], ["meta.opt", "meta.lr"], ["tag"], ["folder", "status"], []]) {
        const reply = await groups(system, system.acme, { query: word, by, columns, limit: 1_000 });
        const expected = groupsOf(runs, rows, by);
        assert.equal(reply.total, expected.length);
        assert.equal(reply.experiments, runs.length);
        assertSame(reply.groups, expected);
        const sizes = reply.groups.map(({ experiments }) => experiments);
        assert.deepEqual(
          sizes,
          sizes.toSorted((one, other) => other - one),
        );
      }
    });

    test("groups are sorted by keys and by every aggregate, and paged", async () => {
      const { word } = await all();
      const body = { query: word, by: ["meta.lr", "meta.opt"], columns };
      for (const stat of ["experiments", "key", "count", "mean", "min", "max"] as const) {
        for (const at of stat === "experiments" ? [0] : stat === "key" ? [0, 1] : [0, 1, 4]) {
          for (const descending of [false, true]) {
            const sort = [{ of: stat, ...(stat !== "experiments" && { at }), descending }];
            const whole = await groups(system, system.acme, { ...body, sort, limit: 1_000 });
            const terms = whole.groups.map((group) => termOf(group, stat, at));
            const known = terms.filter((term) => term !== null);
            assert.equal(
              terms.slice(known.length).every((term) => term === null),
              true,
            );
            const sorted = known.toSorted(
              (one, other) => compare(one, other) * (descending ? -1 : 1),
            );
            if (stat !== "key") assert.deepEqual(known, sorted);
            const page = await groups(system, system.acme, { ...body, sort, offset: 2, limit: 3 });
            assert.deepEqual(page.groups, whole.groups.slice(2, 5));
            assert.equal(page.total, whole.total);
          }
        }
      }
    });

    test("the members of a group are rows of the table, page by page", async () => {
      const { word, runs } = await all();
      const rows = await rowsOf(system, word);
      for (const by of [["meta.lr", "tag"], ["meta.opt"], ["folder", "status"], ["meta.none"]]) {
        const { groups: found } = await groups(system, system.acme, {
          query: word,
          by,
          limit: 1_000,
        });
        const expected = groupsOf(runs, rows, by);
        for (const { values } of found) {
          const identity = JSON.stringify(values);
          const own = expected.find((group) => JSON.stringify(group.values) === identity)!;
          for (const query of [word, ""]) {
            const ids: string[] = [];
            let after: string | undefined;
            let total = 0;
            do {
              const asked = { query, group: { by, values }, limit: 2, sort: [{ field: "slug" }] };
              const page = await table(system, system.acme, { ...asked, ...(after && { after }) });
              ids.push(...page.rows.map(({ experimentId }) => experimentId));
              after = page.next;
              total = page.total;
            } while (after !== undefined && query !== "");
            if (query === "") {
              assert.ok(total >= own.ids.length);
              continue;
            }
            assert.deepEqual(ids.toSorted(), own.ids.toSorted());
            assert.equal(total, own.ids.length);
          }
          const byMetric = await table(system, system.acme, {
            query: `${word} points >= 0`,
            group: { by, values },
            sort: [{ field: "metric.loss" }, { field: "meta.lr", descending: true }],
          });
          assert.equal(byMetric.rows.length, own.ids.length);
        }
        const none = await table(system, system.acme, {
          query: word,
          group: { by, values: by.map(() => ({ kind: "text", text: "nobody's" }) as const) },
        });
        assert.deepEqual(none.rows, []);
        const foreign = await table(system, system.rival, {
          group: { by, values: found[0].values },
        });
        assert.deepEqual(
          foreign.rows.filter(({ slug }) => slug.startsWith(word)),
          [],
        );
      }
    });

    test("as a file: a row for each group", async () => {
      const { word } = await all();
      const by = ["meta.opt", "status"];
      const reply = await groups(system, system.acme, { query: word, by, columns, limit: 1_000 });
      const parameters = { query: word, by: by.join(), columns: columns.join() };
      const path = `/api/views/v1/experiments.csv?${new URLSearchParams(parameters).toString()}`;
      const file = await observed(system, { path, credential: system.acme.credential });
      assert.equal(file.headers["x-svc-rows"], String(reply.total));
      const lines = file.text.trimEnd().split("\r\n");
      assert.equal(lines.length, 1 + reply.total);
      assert.match(
        lines[0],
        /^meta\.opt,status,experiments,metric\.loss count,metric\.loss mean,metric\.loss min,/,
      );
      for (const [at, { experiments, columns: own }] of reply.groups.entries()) {
        const [{ count, mean, min, max }] = own;
        const cells = [experiments, count, mean ?? "", min ?? "", max ?? ""].join();
        assert.ok(lines[at + 1].includes(`,${cells},`), `${lines[at + 1]} has ${cells}`);
      }
    });

    test("what is asked wrongly is refused with a sentence", async () => {
      const body = { by: ["status"], limit: 10 };
      const wrong: [unknown, RegExp][] = [
        [{ ...body, by: ["points"] }, /by\[0\]: points has as many values/],
        [{ ...body, sort: [{ of: "mean", at: 0 }] }, /sort\[0\]: there is no column number 0/],
        [{ ...body, sort: [{ of: "key", at: 1 }] }, /sort\[0\]: there is no key number 1/],
        [{ ...body, columns: ["metric."] }, /columns\[0\]/],
      ];
      for (const [asked, sentence] of wrong) {
        const reply = await post(system, system.acme, asked);
        assert.equal(reply.status, 400, reply.text);
        assert.match((JSON.parse(reply.text) as { message: string }).message, sentence);
      }
      const group = { by: ["status", "meta.lr"], values: [{ kind: "text", text: "done" }] };
      const path = "/api/views/v1/experiments";
      const { credential } = system.acme;
      const reply = await observed(system, { path, credential, body: { group, limit: 1 } });
      assert.match(reply.text, /group: `values` needs one for each field/);
    });
  },
  { alone: false },
);

interface Run {
  experimentId: string;
  meta: JsonObject;
  folder: string | undefined;
  isDone: boolean;
}

interface Filled {
  word: string;
  runs: Run[];
}

async function fill(system: System, random: Random): Promise<Filled> {
  const word = uniqueName("rows");
  const folder = uniqueName("folder");
  const made = await system.acme.ask("folder.create", { name: folder, parentFolderId: null });
  const runs: Run[] = [];
  for (let at = 0; at < 40; at++) {
    const lr = lrs[random.below(lrs.length)];
    const tags = [undefined, [], ["a"], ["a", "b"]][random.below(4)];
    const meta = {
      opt: opts[random.below(opts.length)],
      ...(lr !== undefined && { lr }),
      ...(tags && { _tags: tags }),
    };
    const experiment = await system.acme.open(`${word}/${at}`, "", meta);
    const { experimentId } = experiment;
    for (let points = random.below(4); points > 0; points--) {
      const rank = random.below(2);
      const point = { step: random.below(10), metricValue: random.below(1_000) / 7 };
      await experiment.send(experiment.metric({ ...point, meta: rank === 0 ? {} : { rank: "1" } }));
    }
    if (random.below(3) === 0) {
      const note = {
        kind: "nonfinite",
        metricName: "loss",
        step: 20,
        value: "NaN",
        timestampMs: 20,
      };
      await experiment.tell("annotate", { annotation: "NaN", meta: note });
    }
    const isInside = random.below(2) === 0;
    if (isInside)
      await system.acme.ask("experiment.move", { experimentId, folderId: made.folderId });
    const isDone = random.below(2) === 0;
    if (isDone) await experiment.tell("done");
    runs.push({ experimentId, meta, folder: isInside ? folder : undefined, isDone });
  }
  await untilSummarized(system, system.acme);
  return { word, runs };
}

async function rowsOf(system: System, word: string): Promise<Map<string, TableRow>> {
  const { rows } = await table(system, system.acme, { query: word, columns });
  return new Map(rows.map((row) => [row.experimentId, row]));
}

interface PlainGroup extends ExperimentGroup {
  ids: string[];
}

/** The groups as docs/views.md has them, from the rows of the table. */
function groupsOf(
  runs: readonly Run[],
  rows: ReadonlyMap<string, TableRow>,
  by: readonly string[],
): PlainGroup[] {
  const grouped = Map.groupBy(runs, (run) =>
    JSON.stringify(by.map((field) => valueOf(run, field))),
  );
  return [...grouped].map(([identity, own]) => {
    const cells = own.map(({ experimentId }) => rows.get(experimentId)!.values);
    return {
      values: JSON.parse(identity) as GroupValue[],
      experiments: own.length,
      ids: own.map(({ experimentId }) => experimentId),
      columns: columns.map((_, at) => {
        const present = cells.map((values) => values[at]).filter((value) => value !== null);
        const numbers = present.filter((value) => typeof value === "number");
        const count = numbers.length;
        const others = present.length - count;
        const rest = others > 0 ? { others } : {};
        if (count === 0) return { count, ...rest, mean: null, min: null, max: null };
        const mean = numbers.reduce((sum, each) => sum + each / count, 0);
        return { count, ...rest, mean, min: Math.min(...numbers), max: Math.max(...numbers) };
      }),
    };
  });
}

function valueOf({ meta, folder, isDone }: Run, field: string): GroupValue {
  if (field === "status") return { kind: "text", text: isDone ? "done" : "running" };
  const value = field === "folder" ? folder : meta[field === "tag" ? "_tags" : field.slice(5)];
  if (value === undefined) return { kind: "none", text: "" };
  if (value === null) return { kind: "null", text: "null" };
  if (typeof value === "string") return { kind: "text", text: value };
  const kind = Array.isArray(value) ? "list" : typeof value === "number" ? "number" : "boolean";
  return { kind, text: JSON.stringify(value) };
}

/** Means are rounded; everything else is the same. */
function assertSame(actual: readonly ExperimentGroup[], expected: readonly PlainGroup[]): void {
  const named = new Map(actual.map((group) => [JSON.stringify(group.values), group]));
  assert.equal(named.size, expected.length);
  for (const { ids: _, ...group } of expected) {
    const found = named.get(JSON.stringify(group.values));
    assert.ok(found !== undefined, JSON.stringify(group.values));
    for (const [at, { mean }] of group.columns.entries()) {
      const own: number | null = found.columns[at].mean;
      if (mean !== null && own !== null)
        assert.ok(Math.abs(own - mean) <= 1e-12 * Math.max(1, Math.abs(mean)));
    }
    const rounded = (one: ExperimentGroup) => ({
      ...one,
      columns: one.columns.map((column) => ({ ...column, mean: column.mean === null })),
    });
    assert.deepEqual(rounded(found), rounded(group));
  }
}

type Term = number | string | null;

function termOf(
  { experiments, values, columns: own }: ExperimentGroup,
  of: "experiments" | "key" | "count" | "mean" | "min" | "max",
  at: number,
): Term {
  if (of === "experiments") return experiments;
  if (of !== "key") return own[at][of];
  return values[at].kind === "none" || values[at].kind === "null" ? null : values[at].text;
}

function compare(one: Exclude<Term, null>, other: Exclude<Term, null>): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function post(
  system: System,
  { credential }: OrganizationCaller,
  body: unknown,
): Promise<HttpReply> {
  return observed(system, { path: "/api/views/v1/experiment-groups", credential, body });
}

async function groups(
  system: System,
  caller: OrganizationCaller,
  body: ExperimentGroupsBody,
): Promise<ExperimentGroupsReply> {
  return ok<ExperimentGroupsReply>(await post(system, caller, body));
}
