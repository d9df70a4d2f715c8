import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { event, OrganizationCaller, refused, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

topic("isolation of organizations", (system) => {
  test("reads by a foreign id show nothing", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    await experiment.send(
      experiment.metric(),
      experiment.event("annotate", { annotation: "x", meta: {} }),
    );
    assert.deepEqual((await system.rival.series(experimentId)).done, {
      series: 0,
      batches: 0,
      points: 0,
    });
    assert.deepEqual((await system.rival.oneSeries(experimentId, "loss")).done, {
      batches: 0,
      points: 0,
    });
    const catalog = await system.rival.ask("query.catalog", { experimentId });
    assert.deepEqual(catalog.series, []);
    for (const name of ["query.experiment", "query.annotations", "query.attributes"]) {
      const foreign = await system.rival.fails(name, { experimentId }, 404, "experiment_not_found");
      const unknown = await system.rival.fails(
        name,
        { experimentId: "unknown" },
        404,
        "experiment_not_found",
      );
      assert.equal(
        JSON.stringify(foreign).replaceAll(experimentId, "*"),
        JSON.stringify(unknown).replaceAll("unknown", "*"),
      );
    }
    for (const name of ["query.experiments", "query.revisions"]) {
      const read = await system.rival.ask(name, { experimentIds: [experimentId] });
      assert.deepEqual(read, { experiments: [], missingExperimentIds: [experimentId] });
    }
  });

  test("slugs and folder names are an organization's own", async () => {
    const slug = uniqueName("shared");
    const mine = await system.acme.open(slug, "acme");
    const theirs = await system.rival.open(slug, "rival");
    assert.notEqual(mine.experimentId, theirs.experimentId);
    const record = await system.rival.ask("query.experiment", { experimentSlug: slug });
    assert.equal(record.description, "rival");
    const name = uniqueName("folder");
    await system.acme.ask("folder.create", { name, parentFolderId: null });
    await system.rival.ask("folder.create", { name, parentFolderId: null });
    const secret = uniqueName("secret");
    await system.acme.open(secret);
    await system.rival.fails(
      "query.experiment",
      { experimentSlug: secret },
      404,
      "experiment_not_found",
    );
    await system.rival.fails(
      "query.catalog",
      { experimentSlug: secret },
      404,
      "experiment_not_found",
    );
    const tree = JSON.stringify(await system.rival.ask("foldertree.read", {}));
    assert.ok(!tree.includes(secret));
  });

  test("a token works on its own experiment alone, with one answer for all others", async () => {
    const mine = await system.acme.open();
    const sibling = await system.acme.open();
    const theirs = await system.rival.open();
    const bodies = new Set<string>();
    for (const id of [
      sibling.experimentId,
      theirs.experimentId,
      "x".repeat(5_000),
      "%F0%9F%98%80",
    ]) {
      const path = `/api/v2/experiments/${id}/events`;
      const caller = Object.assign(Object.create(mine) as typeof mine, { path });
      const error = await refused(caller.post(mine.metric()), 401, "unauthorized");
      bodies.add(error.message);
    }
    assert.equal(bodies.size, 1);
    for (const id of [sibling.experimentId, theirs.experimentId]) {
      assert.equal((await system.acme.series(id)).done.points, 0);
    }
  });

  test("each endpoint takes its own kind of credential", async () => {
    const experiment = await system.acme.open();
    const { token, experimentId } = experiment;
    const caller = new OrganizationCaller(system, token);
    await refused(caller.post(event("foldertree.read", {})), 401, "unauthorized");
    const data = { experimentId, filter: [], xAxis: "step" };
    await refused(caller.query("query.experimentseries", data), 401, "unauthorized");
    const withKey = experiment.withToken(system.acme.credential);
    await refused(withKey.post(experiment.metric()), 401, "unauthorized");
  });

  test("a token of another experiment or organization cannot be refreshed", async () => {
    const mine = await system.acme.open();
    const sibling = await system.acme.open();
    const theirs = await system.rival.open();
    const wrong: JsonObject[] = [
      { experimentId: mine.experimentId, experimentToken: sibling.token },
      { experimentId: mine.experimentId, experimentToken: theirs.token },
      { experimentId: theirs.experimentId, experimentToken: theirs.token },
      { experimentId: "unknown", experimentToken: mine.token },
    ];
    const messages = new Set<string>();
    for (const data of wrong) {
      const error = await system.acme.fails(
        "experiment.tokenRefresh",
        data,
        401,
        "experiment_token_invalid",
      );
      messages.add(error.message);
    }
    assert.equal(messages.size, 1);
  });
});
