import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Reader } from "../../database/database.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { openExperiment } from "../open.ts";
import { type ConfigLeaf, configLeaves } from "./config.ts";
import { addNonfiniteBefore } from "../nonfinite.ts";
import { indexConfigs, indexMetas, leafText } from "./config-index.ts";
import { enter } from "./dictionary.ts";
import { Pace } from "../../ground/pace.ts";

const operations = {
  "summaries.enter": enter,
  "summaries.index": indexConfigs,
  "experiment.addNonfiniteBefore": addNonfiniteBefore,
};

/** A test that would wait for ever fails then. */
const oneMinute = { timeout: 60_000 };

interface Limited {
  pace: Pace;
  keysMax: number;
  stopped: AbortSignal;
}

onEachDatabase((fresh) => {
  let nodes: TestNode[];
  before(async () => {
    const first = await fresh.openMigrated();
    // On SQLite only one process writes: both of them share its connection.
    const second = fresh.dialect === "sqlite" ? first : await fresh.open();
    nodes = [first, second].map((database) => new TestNode(database));
  });

  const index = (node: TestNode, experimentId: string, limited: Partial<Limited> = {}) =>
    indexMetas(
      {
        database: node.database,
        pace: new Pace(Infinity),
        keysMax: 1_000,
        ...limited,
        write: (name, input) => node.write(operations[name] as never, input),
      },
      [experimentId],
      limited.stopped ?? new AbortController().signal,
    );
  const stored = (organizationId: string, experimentId: string) =>
    nodes[0].all<ConfigLeaf>(
      `SELECT path, element, kind, number, text FROM config_value
       JOIN config_key ON id = key AND organization = $1 WHERE experiment = $2`,
      organizationId,
      experimentId,
    );
  const isDue = async (experimentId: string) => {
    const rows = await nodes[0].all(
      "SELECT 1 AS due FROM summarized WHERE experiment = $1 AND indexed_version < meta_version",
      experimentId,
    );
    return rows.length === 1;
  };

  test("the leaves are those of the newest meta, whichever of two nodes indexes it, and when", async () => {
    const organizationId = await nodes[0].newOrganization();
    const open = async (slug: string, meta: object) => {
      const data = { slug, description: "", meta: JSON.stringify(meta) };
      return (await nodes[0].write(openExperiment, { organizationId, data })).experimentId;
    };
    for (let round = 0; round < 60; round++) {
      const slug = `run ${round % 3}`;
      const meta = {
        lr: (round * 7) % 5,
        ...(round % 4 === 0 && { seed: `s${round}` }),
        list: Array.from({ length: round % 6 }, (_, at) => (at * round) % 3),
        optimizer: round % 2 === 0 ? { name: "muon", [`k${round % 9}`]: true } : {},
      };
      const experimentId = await open(slug, meta);
      if (round % 5 === 0) continue;
      if (round % 3 === 0) await Promise.all(nodes.map((node) => index(node, experimentId)));
      if (round % 7 === 0) {
        const racing = [
          index(nodes[0], experimentId),
          open(slug, meta),
          index(nodes[1], experimentId),
        ];
        await Promise.all(racing);
      }
      await index(nodes[round % 2], experimentId);
      assert.equal(await isDue(experimentId), false);
      const sorted = (leaves: ConfigLeaf[]) =>
        leaves.map((leaf) => JSON.stringify(Object.entries(leaf).sort())).sort();
      assert.deepEqual(
        sorted((await stored(organizationId, experimentId)).map((row) => ({ ...row }))),
        sorted(configLeaves(meta)),
      );
      await open(slug, meta);
      assert.equal(await isDue(experimentId), false, "the same meta is not indexed again");
    }
  });

  test("paths beyond the bound of an organization have no leaves, those that are known have", async () => {
    const organizationId = await nodes[0].newOrganization();
    const open = async (slug: string, meta: object) => {
      const data = { slug, description: "", meta: JSON.stringify(meta) };
      return (await nodes[0].write(openExperiment, { organizationId, data })).experimentId;
    };
    const leaves = async (experimentId: string) => {
      await index(nodes[0], experimentId, { keysMax: 3 });
      assert.equal(await isDue(experimentId), false);
      const rows = await stored(organizationId, experimentId);
      return rows.map(({ path, text }) => `${path} ${text}`).sort();
    };
    assert.deepEqual(await leaves(await open("first", { a: 1, b: 1 })), ["a 1", "b 1"]);
    const second = await open("second", { c: 2, d: 2, b: 2 });
    assert.deepEqual(await leaves(second), ["b 2", "c 2"]);
    await open("second", { e: 3, d: 3, a: 3 });
    assert.deepEqual(await leaves(second), ["a 3"]);
  });

  test("indexing keeps to the pace, and can be stopped while it waits", oneMinute, async () => {
    const organizationId = await nodes[0].newOrganization();
    const data = { slug: "run", description: "", meta: '{"a":1,"b":2}' };
    const { experimentId } = await nodes[0].write(openExperiment, { organizationId, data });
    const stop = new AbortController();
    const pace = new Pace(0.001);
    const indexing = index(nodes[0], experimentId, { pace, stopped: stop.signal });
    const stopped = assert.rejects(indexing, { name: "AbortError" });
    stop.abort();
    await stopped;
    assert.equal(await isDue(experimentId), true);
  });

  test("metas of many experiments are read once, and written together with what stood there", async () => {
    const organizationIds = [await nodes[0].newOrganization(), await nodes[0].newOrganization()];
    const open = async (organizationId: string, slug: string, meta: object) => {
      const data = { slug, description: "", meta: JSON.stringify(meta) };
      return (await nodes[0].write(openExperiment, { organizationId, data })).experimentId;
    };
    const counted = async (ids: string[]) => {
      const writes: string[] = [];
      let statements = 0;
      const { database } = nodes[0];
      const onStatement = () => statements++;
      await indexMetas(
        {
          database: new Proxy(database, {
            get: (_, name) =>
              name === "read"
                ? (work: (reader: Reader) => Promise<unknown>) =>
                    database.read((reader) => work(watchedReader(reader, { onStatement })))
                : undefined,
          }),
          pace: new Pace(Infinity),
          keysMax: 1_000,
          write: (name, input) => {
            writes.push(name);
            return nodes[0].write(operations[name] as never, input);
          },
        },
        ids,
        new AbortController().signal,
      );
      return { writes, statements };
    };
    const metaOf = (number: number) => ({ number, list: [number, "a"], text: `t${number % 3}` });
    const first = await open(organizationIds[0], "first", metaOf(0));
    const { statements: ofOne } = await counted([first]);
    const ids: string[] = [];
    for (let number = 0; number < 60; number++)
      ids.push(await open(organizationIds[0], `run ${number}`, metaOf(number)));
    const { writes, statements } = await counted(ids);
    assert.deepEqual(writes, ["summaries.index"]);
    assert.ok(statements <= ofOne, `${statements} statements for 60, ${ofOne} for one`);
    for (const [number, id] of ids.entries()) {
      assert.equal(await isDue(id), false);
      assert.deepEqual(
        (await stored(organizationIds[0], id)).map((leaf) => leafText(leaf)).sort(),
        configLeaves(metaOf(number)).map(leafText).sort(),
      );
    }
    // One that changed, one that did not, one of another organization, and one that does not exist.
    await open(organizationIds[0], "run 3", { number: 3, other: true });
    const other = await open(organizationIds[1], "run", metaOf(7));
    assert.deepEqual((await counted([ids[3], ids[4], other, "none"])).writes, [
      "summaries.enter",
      "summaries.enter",
      "summaries.index",
    ]);
    const texts = async (organizationId: string, id: string) =>
      (await stored(organizationId, id)).map(({ path, text }) => `${path} ${text}`).sort();
    assert.deepEqual(await texts(organizationIds[0], ids[3]), ["number 3", "other true"]);
    assert.deepEqual((await texts(organizationIds[0], ids[4])).length, 5);
    assert.deepEqual((await texts(organizationIds[1], other)).length, 5);
  });

  test("another organization has its own keys", async () => {
    for (const name of ["a", "b"]) {
      const organizationId = await nodes[0].newOrganization();
      const data = { slug: "run", description: "", meta: JSON.stringify({ lr: name }) };
      const opened = await nodes[0].write(openExperiment, { organizationId, data });
      await index(nodes[0], opened.experimentId);
      const rows = await nodes[0].all<{ text: string }>(
        "SELECT text FROM config_value JOIN config_key ON id = key WHERE organization = $1",
        organizationId,
      );
      assert.deepEqual(
        rows.map(({ text }) => text),
        [name],
      );
    }
  });
});
