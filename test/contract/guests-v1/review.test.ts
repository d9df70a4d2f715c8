import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { GroupsReply, TableReply } from "@lossless/protocol";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { event, type ExperimentCaller, observed, refused, uniqueName } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { annotate, media, text } from "../views-v1/logged-calls.ts";
import { untilSummarized } from "../views-v1/table-calls.ts";

/** Stands in every text that says whose a run is, and nowhere else. */
const word = "wolfgang";
/**
 * Numbers that an anonymous link does not show: of the machine, and below keys of our clients.
 * Long ones, so that no random id has one.
 */
const numbers = /417770310923|418870310923|419970310923|415570310923/;

topic("guest links for review", (system) => {
  let ada: string;
  let folderId: string;
  let one: ExperimentCaller;
  let other: ExperimentCaller;

  const ask = (credential: string, method: string, path: string, body?: unknown) =>
    observed(system, { method, path, credential, body });
  const views = (credential: string, path: string, body: unknown) =>
    ask(credential, "POST", `/api/views/v1/${path}`, body);

  before(async () => {
    ada = await signIn(system, "ada");
    ({ folderId } = (await system.acme.ask("folder.create", {
      name: uniqueName(`folder-of-${word}`),
      parentFolderId: null,
    })) as { folderId: string });
    one = await system.acme.open(uniqueName(`slug-of-${word}`), `Of ${word}`, {
      lr: 0.5,
      who: word,
      _name: word,
      _tags: [word],
      _environment: { host: word, cpus: 417770310923 },
      deep: { _processes: 418870310923, layers: 3 },
    });
    other = await system.acme.open(uniqueName("other"), "", { lr: 0.25 });
    const meta = { host: word, rank: "0" };
    await one.send(
      one.metric({ meta }),
      one.metric({ metricName: "system/cpu", metricValue: 419970310923, meta }),
      one.event("annotate", { annotation: word, meta: { by: word } }),
      one.event("error", { error: word, meta: { who: word } }),
    );
    await other.send(other.metric());
    for (const { experimentId } of [one, other])
      await system.acme.ask("experiment.move", { experimentId, folderId });
    const file = { path: `of/${word}`, artifact: `of-${word}` };
    await annotate(one, [
      media("histogram", "weights", 1, { ...file, pointMeta: meta, caption: word, bins: [0, 1] }),
      media("image", "picture", 1, { ...file, pointMeta: meta }),
      text("said", 1, word, meta),
    ]);
    const source = { id: `on-${word}`, host: word, processId: 415570310923, rank: 0 };
    const lines = [{ timestampMs: 1, stream: "stdout", text: "printed" }];
    const path = `/api/console/v1/experiments/${one.experimentId}/lines`;
    const body = { source, first: 0, lines };
    ok(await observed(system, { path, credential: one.token, body }));
    await untilSummarized(system, system.acme);
  });

  async function share(body: JsonObject): Promise<string> {
    const made = { name: word, days: 1, isAnonymous: true, ...body };
    const reply = await ask(ada, "POST", "/api/guests/v1/links", made);
    return new URL(ok<{ address: string }>(reply, 201).address).hash.slice(1);
  }

  const report = async (blocks: JsonObject[]): Promise<string> =>
    ok(await views(ada, "reports", { name: uniqueName("report"), scope: "shared", blocks }), 201)
      .id as string;

  test("no reply says whose a run is, or on which machine it ran", async () => {
    const { experimentId } = one;
    const experimentIds = [experimentId];
    const guest = await share({ experimentIds, showsConsole: true });
    const series = [{ experimentId, seriesName: "loss" }];
    const logged = { experimentIds, series: [{ kind: "histogram", name: "weights" }] };
    const grouped = { seriesName: "loss", xAxis: "step", columns: 10, membersOf: experimentIds };
    const file = new URLSearchParams({ experimentId, seriesName: "loss", xAxis: "step" });
    const columns =
      "slug name tag folder error description meta.who meta.lr meta._environment.cpus meta.deep._processes metric.system/cpu.last"
        .split(" ")
        .concat(`metric.loss{host=${word},rank=0}.last`);
    const read = ["query.experiment", "query.catalog", "query.attributes"];
    const replies = await Promise.all([
      ask(
        guest,
        "POST",
        "/api/v2/events",
        read.map((name) => event(name, { experimentId })),
      ),
      ask(guest, "POST", "/api/v2/events", event("query.experiments", { experimentIds })),
      ask(guest, "POST", "/api/v2/events", event("query.revisions", { experimentIds })),
      views(guest, "overview", { series, xAxis: "step", columns: 10 }),
      views(guest, "points", { series, xAxis: "step", pointsMax: 10 }),
      ask(guest, "GET", `/api/views/v1/points.csv?${file.toString()}`),
      views(guest, "groups", { ...grouped, by: ["meta.who", "meta.lr"], byPartition: ["host"] }),
      views(guest, "changes", { experiments: [{ experimentId, revision: 0 }], waitMs: 0 }),
      views(guest, "experiments", { limit: 10, columns }),
      views(guest, "difference", { experimentIds, equalKeys: true, hiddenKeys: true }),
      ask(guest, "GET", `/api/views/v1/annotations?experimentId=${experimentId}`),
      ask(guest, "GET", `/api/views/v1/experiment-artifacts?experimentId=${experimentId}`),
      ask(guest, "POST", "/api/console/v1/read", { experimentId }),
      ask(guest, "POST", "/api/console/v1/search", { experimentId, text: "printed" }),
      views(guest, "logged-names", { experimentIds }),
      views(guest, "logged-steps", logged),
      views(guest, "logged-nearest", { ...logged, step: 1 }),
      views(guest, "logged-items", { experimentIds, kind: "histogram", name: "weights" }),
      views(guest, "logged-histograms", { experimentIds, name: "weights" }),
      ask(guest, "GET", "/api/guests/v1/visit"),
      ask(guest, "GET", "/api/views/v1/folders"),
    ]);
    for (const { status, text } of replies) {
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, new RegExp(`${word}|acme|${numbers.source}`));
    }
    const [, , , , , csv, groups, , rows] = replies;
    assert.deepEqual(
      ok<GroupsReply>(groups).groups.map(({ values, points }) => [
        values.map(({ text: shown }) => shown),
        points,
      ]),
      [[["hidden", "0.5", "hidden"], 1]],
    );
    assert.match(
      csv.text,
      /^metadata,step,timestampMs,value\n"\{""host"":""hidden"",""rank"":""0""\}",0,/,
    );
    assert.deepEqual(
      ok<TableReply>(rows).rows.map(({ values }) => values),
      [columns.map((column) => (column === "meta.lr" ? 0.5 : null))],
    );
  });

  test("series of the machine are refused, and so is what a name would find out by a guess", async () => {
    const { experimentId } = one;
    const guest = await share({ experimentIds: [experimentId] });
    const of = (seriesName: string, more: JsonObject = {}) => [
      { experimentId, seriesName, ...more },
    ];
    const named = { metadataKey: "host", metadataValue: word };
    const group = { by: ["meta.who"], values: [{ kind: "text", text: word }] };
    const csv = (more: Record<string, string>): Promise<HttpReply> => {
      const asked = { experimentId, seriesName: "loss", xAxis: "step", ...more };
      return ask(guest, "GET", `/api/views/v1/points.csv?${new URLSearchParams(asked).toString()}`);
    };
    const step = { xAxis: "step", columns: 10 };
    const groups = (more: JsonObject) =>
      views(guest, "groups", { seriesName: "loss", by: [], ...step, ...more });
    for (const reply of [
      views(guest, "overview", { series: of("system/cpu"), ...step }),
      views(guest, "overview", { series: of("loss", { filter: [named] }), ...step }),
      views(guest, "overview", {
        series: of("loss"),
        xAxis: "metric",
        xSeriesName: "system/cpu",
        columns: 10,
      }),
      views(guest, "points", { series: of("system/cpu"), xAxis: "step", pointsMax: 10 }),
      views(guest, "points", {
        series: of("loss", { combined: { operator: "times", seriesName: "system/cpu" } }),
        xAxis: "step",
        pointsMax: 10,
      }),
      groups({ seriesName: "system/cpu" }),
      groups({ filter: [named] }),
      groups({ by: ["slug"] }),
      groups({ by: ["meta._name"] }),
      groups({ experimentIds: [other.experimentId] }),
      groups({ combined: { operator: "times", seriesName: "system/cpu" } }),
      csv({ seriesName: "system/cpu" }),
      csv(named),
      csv({ filter: JSON.stringify([named]) }),
      csv({ xAxis: "metric", xSeriesName: "system/cpu" }),
      views(guest, "experiments", { limit: 1, group }),
    ])
      assert.equal(await refusedV1(reply, 403, "forbidden"), "This guest link does not show that.");
    const split = [{ metadataKey: "host" }];
    ok(await views(guest, "overview", { series: of("loss", { filter: split }), ...step }));
  });

  test("a report shows what its queries find, and no other query is run", async () => {
    const table = {
      kind: "table",
      query: `slug = ${other.slug}`,
      folderId,
      columns: "meta.lr",
      sort: "meta.lr desc",
      limit: 5,
    };
    const reportId = await report([table, { ...table, query: "", sort: "" }]);
    const guest = await share({ reportId });
    const rows = async (body: JsonObject) => {
      const asked = { limit: 5, columns: ["meta.lr"], ...body };
      return ok<TableReply>(await views(guest, "experiments", asked)).rows.map(
        ({ values }) => values[0],
      );
    };
    const { query } = table;
    const sort = [{ field: "meta.lr", descending: true }];
    assert.deepEqual(await rows({ query, folderId, sort }), [0.25]);
    const found = async (body: JsonObject) => {
      const asked = { seriesName: "loss", by: [], xAxis: "step", columns: 10, ...body };
      return ok<GroupsReply>(await views(guest, "groups", asked)).experiments;
    };
    assert.deepEqual(
      [await found({ query, folderId }), await found({ query: `slug ~ ${word}` }), await found({})],
      [1, 2, 2],
      "queries of the report alone are run",
    );
    assert.deepEqual((await rows({ folderId })).sort(), [0.25, 0.5]);
    assert.deepEqual((await rows({ query: `slug ~ ${word}` })).sort(), [0.25, 0.5]);
    assert.deepEqual((await rows({ query, folderId: "x" })).sort(), [0.25, 0.5]);
    const { text } = await ask(guest, "GET", `/api/views/v1/report?id=${reportId}`);
    assert.doesNotMatch(text, /ada@|acme\.test/);
  });

  test("of a link that names its runs, no test finds out a folder, or an artifact without files", async () => {
    const { experimentId } = one;
    const experimentIds = [experimentId];
    const guest = await share({ experimentIds, isAnonymous: false });
    const rows = (credential: string, body: JsonObject) =>
      views(credential, "experiments", { limit: 5, ...body });
    const by = [{ field: "folder" }];
    const group = { by: ["folder"], values: [{ kind: "text", text: `folder-of-${word}` }] };
    for (const body of [
      { query: "folder ~ w*" },
      { query: "not (folder = x) or slug = y" },
      { query: "artifact ~ w*" },
      { sort: by },
      { group },
    ])
      await refusedV1(rows(guest, body), 403, "forbidden");
    const groups = (body: JsonObject) =>
      views(guest, "groups", { seriesName: "loss", by: [], xAxis: "step", columns: 10, ...body });
    for (const body of [
      { query: "folder ~ w*" },
      { by: ["folder"] },
      { experimentIds: [experimentId, other.experimentId] },
    ])
      await refusedV1(groups(body), 403, "forbidden");
    const byName = await groups({ by: ["slug"], membersOf: [experimentId, other.experimentId] });
    const reply = ok<GroupsReply>(byName);
    assert.deepEqual([reply.experiments, reply.groups[0].values[0].text], [1, one.slug]);
    assert.deepEqual(
      reply.members.map((member) => member.experimentId),
      [experimentId],
    );
    const shown = ok<TableReply>(await rows(guest, { columns: ["folder", "slug"] }));
    assert.deepEqual(shown.rows[0].values, [null, one.slug]);
    const withFiles = await share({ experimentIds, isAnonymous: false, showsFiles: true });
    ok(await rows(withFiles, { query: "artifact ~ w*" }));
    const block = { kind: "table", query: "folder ~ folder*", columns: "", sort: "", limit: 5 };
    const ofReport = await share({ reportId: await report([block]), isAnonymous: false });
    ok(await rows(ofReport, { query: block.query }));
    await refusedV1(rows(ofReport, { query: "folder ~ g*" }), 403, "forbidden");
    const asked = event("query.annotations", { experimentId });
    const anonymous = await share({ experimentIds });
    await refused(ask(anonymous, "POST", "/api/v2/events", asked), 401, "unauthorized");
  });
});
