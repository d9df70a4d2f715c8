import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Field,
  type FoldersReply,
  ownFields,
  type Query,
  queryText,
  stats,
  type TableBody,
} from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { fieldText, parseField } from "@lossless/protocol/query-field";
import { fieldsOf, operators, parseQuery } from "@lossless/protocol/query-language";
import { valueText } from "@lossless/protocol/query-value";
import fc from "fast-check";
import type { Json, JsonObject } from "../../http.ts";
import { observed } from "../callers.ts";
import { topic, type System } from "../topic.ts";
import { fields, post, postTable, table, untilSummarized } from "./table-calls.ts";
import { cellOf, compareRows, finds, type ModelExperiment } from "./table-model.ts";

const folders = ["nano", "nano/muon", "nano/muon/old", "nano-2", "Vision"];
const slugs = ["muon", "Muon_2", "adam%w", "x*y", "é\\É", "2024-10-10", "a/b", "t"];
const texts = [
  "adamw",
  "Muon",
  "muon",
  "5",
  "true",
  "a b",
  'q"q',
  "é",
  "%",
  "_",
  "\\",
  "10m",
  "2024-10-10",
];
const scalars: Json[] = [...texts, 0, 5, -1.5, 1e-7, 1e300, true, false, null];
const paths = [
  ["lr"],
  ["optimizer"],
  ["optimizer", "name"],
  ["a.b", "c d"],
  ["seed"],
  ["betas"],
  ["none"],
  ["_name"],
];
const metrics = ["loss", "val/loss", "a.min", "val loss", "none"];
const partitions = [{}, { subset: "val" }, { rank: "0", subset: "val" }];
const numbers = [0, -1, 0.5, 3.25, 1e6, 5];
const values = [...numbers, ...numbers, NaN, NaN, Infinity, -Infinity];

topic(
  "table",
  (system) => {
    let experiments: ModelExperiment[] | undefined;
    const all = async () => (experiments ??= await fill(system));

    test("queries find what a plain evaluation finds, in its order, with its values", async () => {
      const known = await all();
      await fc.assert(
        fc.asyncProperty(request(), async ({ query, sort, columns, offset, limit }) => {
          const nowMs = Date.now();
          const found = known
            .filter((experiment) => finds(query, experiment, nowMs))
            .toSorted((left, right) => compareRows(sort, left, right));
          const body: TableBody = {
            query: queryText(query),
            sort: sort.map(({ field, descending }) => ({ field: fieldText(field), descending })),
            columns: columns.map(fieldText),
            limit,
            offset,
          };
          const reply = await table(system, system.acme, body);
          const page = found.slice(offset, offset + limit);
          const said = JSON.stringify(body);
          assert.equal(reply.total, found.length, said);
          assert.deepEqual(
            reply.rows.map(({ slug }) => slug),
            page.map(({ record }) => record.slug),
            said,
          );
          assert.equal(reply.next !== undefined, limit > 0 && offset + limit < found.length, said);
          assert.deepEqual(
            reply.rows.map(({ values }) => values),
            page.map((experiment) => columns.map((field) => cellOf(field, experiment, nowMs))),
            said,
          );
        }),
        { numRuns: 150 + examples.length, examples },
      );
    });

    test("page after page gives every row once, whatever it is sorted by", async () => {
      const known = await all();
      await fc.assert(
        fc.asyncProperty(sorting, fc.integer({ min: 1, max: 9 }), async (sort, limit) => {
          const body = {
            sort: sort.map((one) => ({ ...one, field: fieldText(one.field) })),
            limit,
          };
          const seen: string[] = [];
          let after: string | undefined;
          do {
            const reply = await table(system, system.acme, { ...body, ...(after && { after }) });
            seen.push(...reply.rows.map(({ slug }) => slug));
            after = reply.next;
          } while (after !== undefined && seen.length <= known.length);
          const expected = known.toSorted((left, right) => compareRows(sort, left, right));
          assert.deepEqual(
            seen,
            expected.map(({ record }) => record.slug),
            JSON.stringify(body),
          );
        }),
        { numRuns: 25 },
      );
    });

    test("a row says what the experiment's record says", async () => {
      const [experiment] = (await all()).slice(3);
      const { record } = experiment;
      const { rows } = await table(system, system.acme, {
        query: `id = ${String(record.experimentId)}`,
      });
      assert.equal(rows.length, 1);
      const { points, seriesVersion, metaVersion, revision, values, ...rest } = rows[0];
      const { name, beganAtMs, endedAtMs, ...row } = rest;
      assert.ok(beganAtMs > 0 && (endedAtMs === null) === (row.status === "running"));
      const { meta, errorMeta: _, ...same } = record;
      assert.deepEqual(row, same);
      const stored = experiment.points.filter(({ value }) => Number.isFinite(value));
      assert.deepEqual([points, seriesVersion, values], [stored.length, 0, []]);
      const label = (meta as JsonObject)._name;
      assert.equal(name, typeof label === "string" ? label : null);
      assert.ok(revision > 0 && metaVersion > 0);
    });

    test("a folder is meant with all below it", async () => {
      const known = await all();
      const tree = await system.acme.ask("foldertree.read", {});
      const nano = (tree.folders as JsonObject[]).find(({ name }) => name === "nano")!;
      const reply = await table(system, system.acme, { folderId: String(nano.folderId) });
      const inside = known.filter(({ folder }) => /^nano(\/|$)/.test(folder ?? ""));
      assert.equal(reply.total, inside.length);
      assert.equal((await table(system, system.acme, { folderId: "none" })).total, 0);
      assert.equal(
        (await table(system, system.rival, { folderId: String(nano.folderId) })).total,
        0,
      );
    });

    test("no organization finds anything of another", async () => {
      const known = await all();
      const { experimentId } = known[0].record;
      for (const query of [
        "",
        "metric.loss",
        "meta.lr",
        "folder",
        `id = ${String(experimentId)}`,
        "muon",
      ]) {
        for (const sort of ["metric.loss", "meta.lr", "created", "folder"]) {
          const body = { query, sort: [{ field: sort }], columns: ["meta.lr", "metric.loss"] };
          const reply = await table(system, system.rival, body);
          assert.deepEqual([reply.rows, reply.total], [[], 0], query);
        }
      }
      const { next } = await table(system, system.acme, { limit: 1 });
      assert.deepEqual((await table(system, system.rival, { after: next! })).rows, []);
    });

    test("fields that no experiment has are told, with existing ones of this organization", async () => {
      await all();
      const ask = (query: string, organization = system.acme) =>
        table(system, organization, { query, limit: 0 });
      const { total, unknown } = await ask("metric.los.min < 3 not config.nosuch meta.lr > 0");
      assert.equal(total, 0);
      assert.deepEqual(
        unknown?.map(({ field }) => field),
        ["metric.los.min", "meta.nosuch"],
      );
      assert.ok(unknown[0].near.includes("metric.loss.min"), JSON.stringify(unknown));
      // Not every package is indexed: whether an experiment has it is not known.
      const unindexed = "meta._environment.packages.some-library";
      const known = `metric.loss or meta.lr or slug = a or ${unindexed}`;
      assert.equal((await ask(known)).unknown, undefined);
      const theirs = await ask("metric.los.min", system.rival);
      assert.deepEqual(theirs.unknown, [{ field: "metric.los.min", near: [] }]);
      const columns = ["metric.los.max", "metric.loss.min", "slug"];
      const shown = await table(system, system.acme, { columns, limit: 1 });
      assert.deepEqual(
        shown.unknown?.map(({ field }) => field),
        ["metric.los.max"],
      );
    });

    test("what is asked wrongly is refused with its place", async () => {
      await all();
      const { next } = await table(system, system.acme, { limit: 1, sort: [{ field: "slug" }] });
      const forged = Buffer.from('[0,{"id":"a","values":["x"]}]').toString("base64url");
      const unstorable = Buffer.from('[0,{"id":"a","values":["\\u0000"]}]').toString("base64url");
      const wrong: [object, RegExp][] = [
        [{ after: unstorable, sort: [{ field: "slug" }] }, /`after` is no `next`/],
        [{ query: "lr > 3" }, /query: At character 1: .* did you mean (.* or )?meta.lr\b.*\?"/],
        [{ query: "a..b > 3" }, /query: At character 1: .*found a\.\.b/],
        [{ query: "slug ~ /a(b/" }, /query: At character 12: expected a closing \) in the regular/],
        [{ query: "slug ~ /(?=a)/" }, /look-around and options are not known/],
        [{ query: "slug = /a[b]/" }, /~ before a regular expression/],
        [{ query: "slug ~ /(a{255}){255}/" }, /fewer or smaller repetitions/],
        [{ query: "status = stopped" }, /At character 10: expected one of running, done, error/],
        [{ sort: [{ field: "lr" }] }, /sort\[0\]: .*did you mean meta.lr/],
        [{ columns: ["slug", "metric.a{"] }, /columns\[1\]: At character 10/],
        [{ columns: ["artifact"] }, /artifact is for queries only/],
        [{ after: "x" }, /`after` is no `next`/],
        [{ after: next, sort: [{ field: "points" }] }, /with another sort/],
        [{ after: forged, sort: [{ field: "points" }] }, /with another sort/],
        [{ after: next, offset: 1, sort: [{ field: "slug" }] }, /not both/],
        [{ limit: 1_001 }, /limit/],
        [{ offset: 1e308 }, /offset/],
        [{ offset: 2 ** 53 }, /offset/],
        [
          { query: `description ~ ${"a".repeat(257)}` },
          /At character 15: .*at most 256 characters/,
        ],
      ];
      for (const [body, sentence] of wrong) {
        const reply = await postTable(system, system.acme, { limit: 1, ...body });
        assert.equal(reply.status, 400, `${JSON.stringify(body)}: ${reply.text}`);
        assert.match(reply.text.replaceAll("\\", ""), sentence);
      }
    });

    test("a query may have as many values as it says", async () => {
      await all();
      const values = Array.from({ length: limits.queryChoicesMax }, (_, at) => `v${at}`).join();
      for (const field of ["meta.lr", "slug", "artifact"])
        await table(system, system.acme, { query: `not ${field} in (${values})` });
    });

    test("as CSV it has all rows, and says how many before the first", async () => {
      const known = await all();
      const { credential } = system.acme;
      const get = (query: string) =>
        observed(system, { path: `/api/views/v1/experiments.csv?${query}`, credential });
      const columns = encodeURIComponent('meta.lr, meta."a.b"."c d", metric.loss.min');
      const reply = await get(`query=points+%3E+0&sort=slug+desc&columns=${columns}`);
      assert.equal(reply.status, 200, reply.text);
      const [head, ...rows] = csvRows(reply.text);
      assert.match(head.join(), /^experimentId,slug,.*,meta.lr,meta."a.b"."c d",metric.loss.min$/);
      assert.equal(reply.headers["x-svc-rows"], String(rows.length));
      const fields = ["meta.lr", 'meta."a.b"."c d"', "metric.loss.min"].map(parseField);
      const sort = [{ field: parseField("slug"), descending: true }];
      const expected = known
        .filter(({ points }) => points.some(({ value }) => Number.isFinite(value)))
        .toSorted((left, right) => compareRows(sort, left, right))
        .map((experiment) => [
          experiment.record.slug,
          ...fields.map((field) => String(cellOf(field, experiment, 0) ?? "")),
        ]);
      assert.deepEqual(
        rows.map((row) => [row[1], ...row.slice(-3)]),
        expected,
      );
      const [once] = csvRows((await get("columns=status,points,meta.lr,slug")).text);
      assert.equal(new Set(once).size, once.length, once.join());
      const tooMany = `columns=${"id,".repeat(limits.tableColumnsMax)}id`;
      for (const query of ["query=lr+%3E+1", "sort=id,id,id,id", tooMany])
        assert.equal((await get(query)).status, 400, query);
      const { rival } = system;
      const path = "/api/views/v1/experiments.csv";
      const foreign = await observed(system, { path, credential: rival.credential });
      assert.deepEqual([foreign.headers["x-svc-rows"], csvRows(foreign.text).length], ["0", 1]);
    });

    test("fields names what experiments have, and the values of one, with counts", async () => {
      const known = await all();
      const has = (text: string) =>
        known.filter((one) => finds(parseQuery(text), one, Date.now())).length;
      const every = await fields(system, system.acme, {});
      assert.ok(every.fields.length > 5 && every.isWhole);
      for (const { field: name, experiments } of every.fields)
        assert.equal(experiments, has(name), name);
      const [first] = (await fields(system, system.acme, { text: "OPTIMIZER.n", limit: 1 })).fields;
      assert.equal(first.field, "meta.optimizer.name");
      const part = await fields(system, system.acme, { limit: 1 });
      assert.deepEqual([part.fields.length, part.isWhole], [1, false]);
      for (const field of ["meta.lr", "meta.betas", "tag", "name"]) {
        const { values } = await fields(system, system.acme, { field });
        assert.ok(values.length > 1, field);
        const counts = values.map(({ experiments }) => experiments);
        assert.deepEqual(
          counts,
          counts.toSorted((left, right) => right - left),
        );
        for (const { text, value, experiments } of values) {
          if (field.startsWith("meta.") || typeof value === "string")
            assert.equal(experiments, has(`${field} = ${text}`), `${field} = ${text}`);
        }
      }
      for (const text of ["name optimizer", "/^optimizer.n/", "/^meta.OPTIMIZER.(name|x)$/"]) {
        const named = await fields(system, system.acme, { text });
        assert.deepEqual(
          named.fields.map((one) => one.field),
          ["meta.optimizer.name"],
          text,
        );
      }
      const muon = await fields(system, system.acme, { field: "meta.lr", text: "/^m.on$/" });
      const whole = await fields(system, system.acme, { field: "meta.lr" });
      assert.deepEqual(
        muon.values,
        whole.values.filter(({ value }) => /^m.on$/i.test(String(value))),
      );
      const { values } = await fields(system, system.acme, { field: "folder", text: "nano" });
      for (const { value, experiments } of values)
        assert.equal(experiments, known.filter(({ folder }) => folder === value).length);
      assert.deepEqual((await fields(system, system.acme, { field: "artifact" })).values, []);
      assert.deepEqual((await fields(system, system.rival, {})).fields, []);
      for (const field of ["meta.lr", "tag", "folder", "artifact"])
        assert.deepEqual((await fields(system, system.rival, { field })).values, [], field);
      const wrong = await post(system, "fields", system.acme.credential, { field: "points" });
      assert.match(wrong.text, /values are listed of fields of meta/);
    });

    test("folders are counted, with all below them", async () => {
      const known = await all();
      const read = async ({ credential }: { credential: string }) => {
        const reply = await observed(system, { path: "/api/views/v1/folders", credential });
        return JSON.parse(reply.text) as FoldersReply;
      };
      const { folders: counted, experiments, experimentsAtRoot } = await read(system.acme);
      const at = (path: string | null) => known.filter(({ folder }) => folder === path).length;
      const below = (path: string) =>
        known.filter(({ folder }) => folder === path || folder?.startsWith(`${path}/`)).length;
      assert.deepEqual(
        counted.map((one) => [one.name, one.experiments, one.experimentsBelow]).toSorted(),
        folders.map((path) => [path.split("/").at(-1)!, at(path), below(path)]).toSorted(),
      );
      assert.deepEqual([experiments, experimentsAtRoot], [known.length, at(null)]);
      assert.deepEqual(await read(system.rival), {
        folders: [],
        experiments: 0,
        experimentsAtRoot: 0,
      });
    });
  },
  { alone: true },
);

/** Experiments of every kind, and the model of them. */
async function fill(system: System): Promise<ModelExperiment[]> {
  const random = fc.sample(fc.nat(), 20_000);
  const pick = <Item>(items: readonly Item[]): Item => items[random.pop()! % items.length];
  const folderIds = new Map<string, string>();
  for (const path of folders) {
    const at = path.lastIndexOf("/");
    const parentFolderId = at < 0 ? null : folderIds.get(path.slice(0, at))!;
    const created = await system.acme.ask("folder.create", {
      name: path.slice(at + 1),
      parentFolderId,
    });
    folderIds.set(path, String(created.folderId));
  }
  const filled: Omit<ModelExperiment, "record">[] = [];
  const ids: string[] = [];
  for (let number = 0; number < 40; number++) {
    const meta: JsonObject = {};
    if (pick([0, 1, 2]) > 0) meta.lr = pick(scalars);
    if (pick([0, 1]) > 0) meta.optimizer = { name: pick(scalars), [pick(texts)]: pick(scalars) };
    if (pick([0, 1]) > 0) meta["a.b"] = { "c d": pick(scalars) };
    if (pick([0, 1, 2]) > 0) meta.seed = pick([1, 2, 3, "3"]);
    if (pick([0, 1]) > 0) meta.betas = Array.from({ length: pick([0, 1, 3]) }, () => pick(scalars));
    if (pick([0, 1]) > 0) meta._name = pick(scalars);
    if (pick([0, 1]) > 0) meta._tags = [pick(texts), pick(texts)];
    if (pick([0, 1, 2]) === 0) meta._group = {};
    const slug = `${pick(slugs)}-${number}`;
    const experiment = await system.acme.open(slug, pick(["", ...texts]), meta);
    ids.push(experiment.experimentId);
    const points: ModelExperiment["points"] = [];
    let step = 0;
    for (let count = pick([0, 1, 5, 12]); count > 0; count--) {
      const point = { name: pick(metrics.slice(0, 4)), meta: pick(partitions), step: step++ };
      points.push({ ...point, value: pick(values) });
    }
    const events = points.map(({ name, value, ...point }) =>
      Number.isFinite(value)
        ? experiment.metric({ ...point, metricName: name, metricValue: value })
        : experiment.event("annotate", nonfiniteNote(name, value, point)),
    );
    if (events.length > 0) await experiment.send(...events);
    if (pick([0, 1]) > 0) await experiment.tell("start");
    const end = pick(["none", "done", "error"]);
    if (end === "done") await experiment.tell("done");
    if (end === "error") await experiment.tell("error", { error: pick(texts), meta: {} });
    const folder = pick([null, ...folders]);
    const folderId = folder === null ? null : folderIds.get(folder)!;
    if (folder !== null)
      await system.acme.ask("experiment.move", { experimentId: experiment.experimentId, folderId });
    filled.push({ folder, points });
  }
  await untilSummarized(system, system.acme);
  const { rows } = await table(system, system.acme, {});
  const appended = new Map(rows.map((row) => [row.experimentId, row.appendedAtMs]));
  return Promise.all(
    filled.map(async (one, at) => {
      const record = await system.acme.record(ids[at]);
      const appendedAtMs = appended.get(ids[at])!;
      return { ...one, record: { ...record, appendedAtMs } };
    }),
  );
}

/** As our clients write it. */
function nonfiniteNote(
  metricName: string,
  value: number,
  { step, meta }: { step: number; meta: Record<string, string> },
) {
  const pointMeta = Object.keys(meta).length > 0 && { pointMeta: meta };
  return {
    annotation: `${metricName} is ${value} at step ${step}`,
    meta: { kind: "nonfinite", metricName, step, value: String(value), ...pointMeta },
  };
}

const field: fc.Arbitrary<Field> = fc.oneof(
  fc
    .constantFrom(...(Object.keys(ownFields) as (keyof typeof ownFields)[]))
    .map((name) => ({ kind: "own" as const, name })),
  fc.constantFrom(...paths).map((path) => ({ kind: "meta" as const, path })),
  fc
    .tuple(fc.constantFrom(...metrics), fc.constantFrom(...stats), fc.constantFrom(...partitions))
    .map(([name, stat, partition]) => ({
      kind: "metric" as const,
      name,
      stat,
      ...(Object.keys(partition).length > 0 && { partition }),
    })),
);
/** Fields with one value that does not change with time. */
const lasting = field.filter(
  (each) => each.kind !== "own" || !["artifact", "age", "silent", "duration"].includes(each.name),
);
/** Fields with an order that does not change with time. */
const ordered = field.filter(
  (each) => each.kind !== "own" || !["artifact", "duration"].includes(each.name),
);
const sorting = fc.array(fc.record({ field: ordered, descending: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});
const written = [
  ...scalars.map((scalar) => valueText(parseScalar(scalar))),
  ...slugs.map((slug) => valueText({ kind: "text", text: slug })),
  ..."/u.n?$/ /^(?:nano|m[^a]+)/ /[\\d.]{2,}|\\// *uo* mu* [] nano nano/muon */old running nan inf -inf NaN done -1h -7d 2020-01-01 2099-01-01T00:00Z 1h 0s".split(
    " ",
  ),
].map((word) => (/^[[]/.test(word) ? `"${word}"` : word));

function parseScalar(scalar: Json) {
  const text = String(scalar);
  const { values } = parseQuery(
    `slug in (${typeof scalar === "string" ? JSON.stringify(text) : text})`,
  ) as Query & { kind: "in" };
  return values[0];
}

/** A test that the language takes: others are its own tests. */
const single = fc
  .oneof(
    fc
      .tuple(field, fc.constantFrom(...operators), fc.constantFrom(...written))
      .map(([of, operator, value]) => `${fieldText(of)} ${operator} ${value}`),
    fc
      .tuple(field, fc.constantFrom(...written), fc.constantFrom(...written))
      .map(([of, ...values]) => `${fieldText(of)} in (${values.join(", ")})`),
    field.map(fieldText),
    fc.constantFrom(...written),
  )
  .filter((text) => isTaken(text));

function isTaken(text: string): boolean {
  try {
    // Lengths of time that go on while it is asked are compared with none that is near.
    return fieldsOf(parseQuery(text)).every((each) => each.kind !== "own" || !/ 0s/.test(text));
  } catch {
    return false;
  }
}

function request() {
  const query = fc.letrec<{ query: string }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 2 },
      single,
      tie("query").map((part) => `not (${part})`),
      fc.tuple(tie("query"), tie("query")).map(([left, right]) => `(${left}) or (${right})`),
      fc.tuple(tie("query"), tie("query")).map(([left, right]) => `(${left}) and (${right})`),
    ),
  })).query;
  return fc.record({
    query: fc.oneof(fc.constant(""), query).map(parseQuery),
    sort: sorting,
    columns: fc.array(lasting, { maxLength: 5 }),
    offset: fc.nat(45),
    limit: fc.constantFrom(0, 1, 7, 50),
  });
}

/** A field of each type, and a value that some experiments are above and some below. */
const fieldsAndValues = [
  ["slug", "muon"],
  ["folder", "nano"],
  ["status", "done"],
  ["created", "-1h"],
  ["duration", "1h"],
  ["points", "5"],
  ["meta.seed", "2"],
  ["meta.optimizer.name", "adamw"],
  ["metric.loss", "0.5"],
] as const;

/** Each operator of the language, on each type that takes it: a new one is compared, too. */
const ofEachOperator = operators.map((operator) => {
  const tests = fieldsAndValues.map(([name, value]) => `${name} ${operator} ${value}`);
  const taken = tests.filter(isTaken);
  assert.ok(taken.length > 0, `no field takes ${operator}`);
  return taken;
});

/** Statements that PostgreSQL is told to merge, and what a field alone means. */
const examples = [
  ...ofEachOperator.flat(),
  "meta.optimizer",
  "NOT meta.optimizer AND meta.lr",
  "description OR not not meta.optimizer.name",
  `description ~ ${"*a".repeat(100)} or error ~ "${"ab".repeat(40)}*"`,
  "meta.lr meta.betas != 5 status = done",
  "metric.loss status = done not meta.seed = 3",
  "status = done not meta.lr",
  "meta.lr != null not (meta.betas = 5 or metric.loss.min < 0) status = error",
].map((query): [ReturnType<typeof request> extends fc.Arbitrary<infer One> ? One : never] => [
  {
    query: parseQuery(query),
    sort: [{ field: parseField("metric.loss.last"), descending: true }],
    columns: [],
    offset: 0,
    limit: 50,
  },
]);

function csvRows(text: string): string[][] {
  return text
    .split("\r\n")
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(
        ([, quotedCell, cell]) => quotedCell?.replaceAll('""', '"') ?? cell,
      ),
    );
}
