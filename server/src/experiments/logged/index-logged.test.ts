import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { annotateExperiment } from "../annotate.ts";
import { readAnnotated } from "../annotated.ts";
import { openExperiment } from "../open.ts";
import { wrongLogged } from "./check-logged.ts";
import { forgetLogged } from "./forget-logged.ts";
import { placeOfImage, placeOfMeta, placesOfTables } from "./place.ts";

onEachDatabase((fresh) => {
  test("the check finds a wrong index, and a purge forgets it in steps", async () => {
    const node = new TestNode(await fresh.openMigrated());
    const organizationId = await node.newOrganization();
    const data = { slug: "s", description: "", meta: "{}" };
    const { experimentId } = await node.write(openExperiment, { organizationId, data });
    for (let step = 0; step < 603; step++) {
      const meta =
        step % 3 === 0
          ? { kind: "text", metricName: "phase", step }
          : { kind: "media", _media: { kind: "image", name: `n${step % 4}`, step, path: "p" } };
      const told = { experimentId, annotation: "x", meta: JSON.stringify(meta) };
      await node.write(annotateExperiment, { organizationId, experimentId, data: told });
    }
    const wrong = () =>
      node.database.read(async (reader) =>
        wrongLogged(reader, experimentId, await readAnnotated(reader, experimentId)),
      );
    assert.deepEqual(await wrong(), []);
    await node.execute("UPDATE logged_series SET items = items + 1 WHERE name = 'phase'");
    assert.deepEqual(await wrong(), ["has a wrong index of what it logged as phase"]);
    const phase = "(SELECT number FROM logged_series WHERE name = 'phase')";
    await node.execute(`DELETE FROM logged WHERE series = ${phase}`);
    await node.execute("DELETE FROM logged_series WHERE name = 'phase'");
    assert.deepEqual(await wrong(), ['lacks the index of what it logged as [8,"phase"]']);
    const forgotten: number[] = [];
    for (let removed = 1; removed > 0;) {
      const forget = (transaction: Parameters<typeof forgetLogged>[0]) =>
        forgetLogged(transaction, experimentId, 50);
      removed = await node.database.write(forget);
      forgotten.push(removed);
    }
    assert.deepEqual(await node.all("SELECT series FROM logged"), []);
    assert.deepEqual(await node.all("SELECT name FROM logged_series"), []);
    assert.ok(forgotten.length > 4 && forgotten.every((removed) => removed <= 50));
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
