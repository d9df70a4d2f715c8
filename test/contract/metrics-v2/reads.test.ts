import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import {
  event,
  eventError,
  type ExperimentCaller,
  observed,
  type OrganizationCaller,
  refused,
  uniqueName,
} from "../callers.ts";
import { topic } from "../topic.ts";

topic("reads", (system) => {
  test("query.experiment by id and by slug give the same record", async () => {
    const experiment = await system.acme.open(uniqueName("slug"), "described", { a: { b: [1] } });
    await experiment.tell("error", { error: "broke", meta: { why: null } });
    const { experimentId, slug } = experiment;
    const byId = await system.acme.ask(
      "query.experiment",
      { experimentId },
      "query.experiment.result",
    );
    const bySlug = await system.acme.ask("query.experiment", { experimentSlug: slug });
    assert.deepEqual(byId, bySlug);
    assert.equal(byId.status, "error");
    assert.deepEqual(byId.errorMeta, { why: null });
  });

  for (const name of [
    "query.experiment",
    "query.catalog",
    "query.annotations",
    "query.attributes",
  ]) {
    test(`${name} takes exactly one identity, and an unknown slug is not found`, async () => {
      const { experimentId, slug } = await system.acme.open();
      const wrong: JsonObject[] = [
        {},
        { experimentId, experimentSlug: slug },
        { experimentId: null },
        { experimentId: 1 },
        { experimentId, experimentSlug: null },
        { experimentId: [experimentId] },
      ];
      for (const data of wrong) {
        await refused(system.acme.post(event(name, data)), 400, "validation_failed");
      }
      await system.acme.fails(
        name,
        { experimentSlug: uniqueName("x") },
        404,
        "experiment_not_found",
      );
    });
  }

  test("the catalog has every series with the values of each metadata key, sorted bytewise", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const points: JsonObject[] = [
      { metricName: "b", meta: { rank: "10", host: "x" } },
      { metricName: "b", meta: { rank: "9" } },
      { metricName: "b", meta: { rank: "9", host: "\uffee" } },
      { metricName: "b", meta: { rank: "10", host: "😀" } },
      { metricName: "B", meta: {} },
      { metricName: "a", meta: { é: "" } },
    ];
    await experiment.send(...points.map((point) => experiment.metric(point)));
    const catalog = await system.acme.ask(
      "query.catalog",
      { experimentId },
      "query.catalog.result",
    );
    assert.deepEqual(catalog, {
      experimentId,
      series: [
        { seriesName: "B", metadata: {} },
        { seriesName: "a", metadata: { é: [""] } },
        { seriesName: "b", metadata: { host: ["x", "\uffee", "😀"], rank: ["10", "9"] } },
      ],
    });
    assert.deepEqual(
      await system.acme.ask("query.catalog", { experimentSlug: experiment.slug }),
      catalog,
    );
    const unknown = await system.acme.ask("query.catalog", { experimentId: "unknown" });
    assert.deepEqual(unknown.series, []);
  });

  test("query.experiments answers in request order, duplicates once, and names what is missing", async () => {
    const opened: ExperimentCaller[] = [];
    for (let count = 0; count < 3; count++) opened.push(await system.acme.open());
    const [first, second, third] = opened.map(({ experimentId }) => experimentId) as [
      string,
      string,
      string,
    ];
    const experimentIds = [third, "unknown-b", first, third, "unknown-a", second, "unknown-b"];
    const read = await system.acme.ask(
      "query.experiments",
      { experimentIds },
      "query.experiments.result",
    );
    const records = await Promise.all([third, first, second].map((id) => system.acme.record(id)));
    assert.deepEqual(read, {
      experiments: records,
      missingExperimentIds: ["unknown-b", "unknown-a"],
    });
    assert.deepEqual(await system.acme.ask("query.experiments", { experimentIds: [] }), {
      experiments: [],
      missingExperimentIds: [],
    });
  });

  test("500 ids are accepted, 501 are not", async () => {
    const ids = Array.from({ length: 501 }, (_, number) => `unknown-${number}`);
    for (const name of ["query.experiments", "query.revisions"]) {
      const read = await system.acme.ask(name, { experimentIds: ids.slice(1) });
      assert.deepEqual(read, { experiments: [], missingExperimentIds: ids.slice(1) });
      await refused(
        system.acme.post(event(name, { experimentIds: ids })),
        400,
        "validation_failed",
      );
      await refused(
        system.acme.post(event(name, { experimentIds: [1] })),
        400,
        "validation_failed",
      );
      await refused(system.acme.post(event(name, {})), 400, "validation_failed");
    }
  });

  test("revisions only grow, and a change of one thing changes its counter", async () => {
    const experiment = await system.acme.open();
    await experiment.send(
      experiment.metric({ metricName: "a" }),
      experiment.metric({ metricName: "b" }, "b-1"),
    );
    const start = await revisions(system.acme, experiment);
    assert.deepEqual(Object.keys(start.series).sort(), ["a", "b"]);

    await experiment.send(experiment.metric({ metricName: "a" }));
    const afterPoint = await revisions(system.acme, experiment);
    assert.ok(afterPoint.series.a > start.series.a);
    assert.equal(afterPoint.series.b, start.series.b);

    await experiment.send(experiment.metric({ metricName: "b" }, "b-1"));
    const [conflict] = await experiment.send(
      experiment.metric({ metricName: "b", step: 9 }, "b-1"),
    );
    assert.equal(eventError(conflict).code, "message_id_conflict");
    assert.deepEqual(await revisions(system.acme, experiment), afterPoint, "nothing was stored");

    const folder = { name: uniqueName("folder"), parentFolderId: null };
    const { folderId } = await system.acme.ask("folder.create", folder);
    const { experimentId } = experiment;
    const changes = [
      () => system.acme.ask("experiment.move", { experimentId, folderId }),
      () => experiment.tell("start"),
      () => experiment.tell("error", { error: "x", meta: {} }),
      () => experiment.tell("done"),
      () => experiment.tell("annotate", { annotation: "x", meta: {} }),
      () => system.acme.open(experiment.slug, "changed"),
    ];
    let last = afterPoint;
    for (const change of changes) {
      await change();
      const next = await revisions(system.acme, experiment);
      assert.ok(next.revision > last.revision, change.toString());
      assert.deepEqual(next.series, last.series);
      last = next;
    }
  });

  test("query.revisions names series bytewise and missing experiments", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const names = ["b", "B", "a", "~", " "];
    await experiment.send(...names.map((metricName) => experiment.metric({ metricName })));
    const read = await system.acme.ask(
      "query.revisions",
      { experimentIds: ["unknown", experimentId] },
      "query.revisions.result",
    );
    assert.deepEqual(read.missingExperimentIds, ["unknown"]);
    const [one] = read.experiments as JsonObject[];
    assert.equal(one.experimentId, experimentId);
    const series = one.series as JsonObject[];
    assert.deepEqual(
      series.map(({ seriesName }) => seriesName),
      [" ", "B", "a", "b", "~"],
    );
  });

  test("auth/status names the organization", async () => {
    for (const caller of [system.acme, system.rival]) {
      const { credential } = caller;
      const reply = await observed(system, { path: "/api/v2/auth/status", credential });
      assert.equal(reply.status, 200);
      const body = JSON.parse(reply.text) as { data: JsonObject };
      const { id } = body.data.organization as JsonObject;
      const name = caller === system.acme ? "acme" : "rival";
      assert.deepEqual(body, {
        data: { auth: { kind: "api_key" }, organization: { id, name } },
        error: null,
      });
    }
  });
});

async function revisions(
  acme: OrganizationCaller,
  { experimentId }: ExperimentCaller,
): Promise<{ revision: number; series: { [name: string]: number } }> {
  const read = await acme.ask("query.revisions", { experimentIds: [experimentId] });
  const [one] = read.experiments as {
    revision: number;
    series: { seriesName: string; revision: number }[];
  }[];
  const series = Object.fromEntries(one.series.map((each) => [each.seriesName, each.revision]));
  return { revision: one.revision, series };
}
