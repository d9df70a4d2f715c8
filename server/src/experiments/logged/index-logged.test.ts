import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { migrate } from "../../database/migrate.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { annotateExperiment } from "../annotate.ts";
import { openExperiment } from "../open.ts";
import { wrongLogged } from "./check-logged.ts";
import { forgetLogged } from "./forget-logged.ts";
import { indexLogged } from "./index-logged.ts";
import { placeOfImage, placeOfMeta, placesOfTables } from "./place.ts";

onEachDatabase((fresh) => {
  test("what was logged before migration 041 is indexed by the background work, as if it came now", async () => {
    const database = await fresh.openMigrated();
    const now = new TestNode(database);
    const organizationId = await now.newOrganization();
    const data = { slug: "s", description: "", meta: "{}" };
    const { experimentId } = await now.write(openExperiment, { organizationId, data });
    const annotate = (on: TestNode, meta: object) =>
      on.write(annotateExperiment, {
        organizationId,
        experimentId,
        data: { experimentId, annotation: "x", meta: JSON.stringify(meta) },
      });
    for (let at = 0; at < 1_203; at++) {
      const step = (at * 7) % 1_000;
      const isText = at % 3 === 0;
      await annotate(
        now,
        at % 10 === 0
          ? { kind: "note", step }
          : isText
            ? { kind: "text", metricName: "phase", step }
            : { kind: "media", _media: { kind: "image", name: `n${at % 4}`, step, path: "p" } },
      );
    }
    const older = await fresh.inFormat(30, database);
    await migrate(older);
    const then = new TestNode(older);
    const rows = async (node: TestNode) => {
      const series = "SELECT name, kind, items, first_step, last_step FROM logged_series";
      const logged = `SELECT name, step, annotation FROM logged
        JOIN logged_series ON logged_series.experiment = logged.experiment AND number = series`;
      return [
        (await node.all<object>(`${series} ORDER BY name`)).map((row) => ({ ...row })),
        (await node.all<object>(`${logged} ORDER BY annotation`)).map((row) => ({ ...row })),
      ];
    };
    const due = "SELECT experiment FROM summarized WHERE logged_before > 0";
    assert.deepEqual(await rows(then), [[], []]);
    assert.equal((await then.all(due)).length, 1);
    // One that comes while the older ones are not indexed yet.
    const late = { kind: "text", metricName: "late", step: 5 };
    await annotate(now, late);
    await annotate(then, late);
    let steps = 0;
    while (!(await then.write(indexLogged, { experimentId })).isDone) steps++;
    assert.equal(steps, 2);
    assert.deepEqual(await rows(then), await rows(now));
    assert.deepEqual(await older.read((reader) => wrongLogged(reader, experimentId)), []);
    assert.equal((await then.all(due)).length, 0);

    await then.execute("UPDATE logged_series SET items = items + 1 WHERE name = 'phase'");
    assert.deepEqual(await older.read((reader) => wrongLogged(reader, experimentId)), [
      "has a wrong index of what it logged as phase",
    ]);
    const forgotten: number[] = [];
    for (let removed = 1; removed > 0;) {
      removed = await older.write((transaction) => forgetLogged(transaction, experimentId, 250));
      forgotten.push(removed);
    }
    assert.deepEqual(await rows(then), [[], []]);
    assert.ok(forgotten.every((removed) => removed <= 250));
  });
});

test("places are those of our clients' metas, and of MLflow's files and tag", () => {
  const media = (more: object) =>
    placeOfMeta(
      JSON.stringify({ kind: "media", _media: { kind: "image", name: "a", step: 3, ...more } }),
    );
  assert.deepEqual(media({}), { kind: "image", name: "a", step: 3 });
  const escaped = String.raw`{"kind":"\u0074ext","metricName":"p","step":0}`;
  assert.deepEqual(placeOfMeta(escaped), { kind: "text", name: "p", step: 0 });
  for (const wrong of [{ kind: "text" }, { kind: "film" }, { name: "" }, { name: 7 }, { step: -1 }])
    assert.equal(media(wrong), undefined);
  for (const wrong of [
    { step: 1.5 },
    { step: "3" },
    { step: 2 ** 53 },
    { name: "a".repeat(1_001) },
  ])
    assert.equal(media(wrong), undefined);
  const others = [
    { kind: "media" },
    { kind: "media", _media: [] },
    { kind: "text", step: 1 },
    { kind: "note", metricName: "text", step: 1 },
  ];
  for (const other of others) assert.equal(placeOfMeta(JSON.stringify(other)), undefined);

  const name = "images/a#b%step%12%timestamp%1700000000000%g1234-5";
  assert.deepEqual(placeOfImage(`${name}.png`), {
    kind: "image",
    name: "a/b",
    step: 12,
    timestampMs: 1_700_000_000_000,
  });
  assert.equal(placeOfImage("images/a+step+0+timestamp+5+x.png")?.timestampMs, 5);
  for (const other of [`${name}%compressed.webp`, "images/a.png", `x/${name}.png`])
    assert.equal(placeOfImage(other), undefined);
  const listed = [{ path: "t.json", type: "table" }, { path: "x", type: "other" }, 3];
  assert.deepEqual(placesOfTables(JSON.stringify(listed)), [
    { kind: "table", name: "t.json", step: 0, path: "t.json" },
  ]);
  assert.deepEqual([...placesOfTables("{"), ...placesOfTables("{}")], []);
});
