import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { ReplyData } from "@lossless/protocol";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { openExperiment } from "../open.ts";
import { queryCatalog, type QueryCatalog } from "./catalog.ts";
import { queryRevisions, type QueryRevisions } from "./revisions.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();
  let organizationId: string;
  let experimentId: string;
  beforeEach(async () => {
    organizationId = await node.newOrganization();
    experimentId = await open("s");
  });

  const open = async (slug: string) =>
    (
      await node.write(openExperiment, {
        organizationId,
        data: { slug, description: "", meta: "{}" },
      })
    ).experimentId;
  const addSeries = async (partitions: [name: string, meta: string][]) => {
    for (const [partition, [name, meta]] of partitions.entries()) {
      await node.execute(
        "INSERT INTO series (experiment, partition, name, meta) VALUES ($1, $2, $3, $4)",
        experimentId,
        partition,
        name,
        meta,
      );
    }
  };
  const catalog = (data: { experimentId?: string; experimentSlug?: string }, left = 1e6) =>
    node.reply<QueryCatalog, ReplyData<"svc.v2.query.catalog">>(
      queryCatalog,
      { organizationId, data },
      { max: 1e6, left },
    );
  const revisions = (experimentIds: string[], revisionJump = 0) => {
    const take = async () => ({ count: (partition: number) => 10 ** partition });
    const input = { organizationId, data: { experimentIds } };
    return node.reply<QueryRevisions, ReplyData<"svc.v2.query.revisions">>(
      (reader, asked, text) =>
        queryRevisions(reader, asked, text, { revisionJump, snapshots: { take } }),
      input,
    );
  };

  test("the catalog lists each series with the values of each key, all bytewise", async () => {
    await addSeries([
      ["loss", '{"host":"b","gpu":"1"}'],
      ["loss", '{"host":"a"}'],
      ["loss", "{}"],
      ["Loss", '{"host":"😀"}'],
      ["Loss", '{"host":"\uffee","__proto__":"own"}'],
      ["accuracy", "{}"],
    ]);
    const reply = await catalog({ experimentSlug: "s" });
    const expected =
      '{"experimentId":"ID","series":[{"seriesName":"Loss","metadata":{"__proto__":["own"],"host":["\uffee","😀"]}},' +
      '{"seriesName":"accuracy","metadata":{}},' +
      '{"seriesName":"loss","metadata":{"gpu":["1"],"host":["a","b"]}}]}';
    assert.equal(JSON.stringify(reply), expected.replace("ID", experimentId));
    assert.deepEqual(await catalog({ experimentId }), reply);
  });

  test("an unknown or foreign id has no series, an unknown slug is an error", async () => {
    await addSeries([["loss", "{}"]]);
    assert.deepEqual(await catalog({ experimentId: "nowhere" }), {
      experimentId: "nowhere",
      series: [],
    });
    await assert.rejects(catalog({ experimentSlug: "nowhere" }), failsWith("experiment_not_found"));
    organizationId = await node.newOrganization();
    assert.deepEqual(await catalog({ experimentId }), { experimentId, series: [] });
    await assert.rejects(catalog({ experimentSlug: "s" }), failsWith("experiment_not_found"));
  });

  test("revisions: in request order, each once, series bytewise with the points of their partitions", async () => {
    await addSeries([
      ["b", "{}"],
      ["a", "{}"],
      ["b", '{"k":"v"}'],
    ]);
    const second = await open("second");
    assert.deepEqual(await revisions([second, "nowhere", experimentId, second]), {
      experiments: [
        { experimentId: second, revision: 1, series: [] },
        {
          experimentId,
          revision: 1,
          series: [
            { seriesName: "a", revision: 10 },
            { seriesName: "b", revision: 101 },
          ],
        },
      ],
      missingExperimentIds: ["nowhere"],
    });
  });

  test("a restored installation adds its jump to every revision", async () => {
    await addSeries([["a", "{}"]]);
    const { experiments } = await revisions([experimentId], 1_000_000);
    assert.deepEqual(experiments, [
      { experimentId, revision: 1_000_001, series: [{ seriesName: "a", revision: 1_000_001 }] },
    ]);
  });

  test("experiments of another organization are missing", async () => {
    organizationId = await node.newOrganization();
    assert.deepEqual(await revisions([experimentId]), {
      experiments: [],
      missingExperimentIds: [experimentId],
    });
  });
});
