import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { FieldsBody, FieldsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readFields } from "./fields.ts";
import { fillTable } from "./table-fill.fixture.ts";

const experiments = limits.fieldValuesCountedMax + 1_000;

onEachDatabase(({ node }) => {
  const filled = node();

  before(async () => {
    await filled.database.write((transaction) =>
      transaction.run(
        "INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)",
      ),
    );
    await fillTable(filled.database, "org", { experiments, metrics: 1, keys: 1 });
  });

  const read = (body: FieldsBody): Promise<FieldsReply> =>
    filled.database.read(async (reader) => {
      const text = new ReplyText();
      await readFields(reader, { organizationId: "org", body }, text);
      return JSON.parse(text.end().toString()) as FieldsReply;
    });

  test("a name that many have is not counted to its end, and says so", async () => {
    const { fields, isWhole } = await read({});
    const counted = { experiments: limits.fieldExperimentsMax, isMinimum: true };
    assert.deepEqual(fields, [
      { field: "meta.key-0", ...counted },
      { field: "metric.metric-0", ...counted },
    ]);
    assert.ok(isWhole);
  });

  test("of many values those of the newest experiments are counted, and it says so", async () => {
    const { values, isWhole } = await read({ field: "meta.key-0" });
    assert.equal(isWhole, false);
    assert.ok(values.every(({ isMinimum }) => isMinimum));
    const counted = values.reduce((sum, value) => sum + value.experiments, 0);
    assert.equal(counted, limits.fieldValuesCountedMax);
  });

  test("what is asked for by its text is counted whole where it is rare", async () => {
    const { values, isWhole } = await read({ field: "meta.key-0", text: "WORD-77" });
    const value = "word-77";
    const all = { value, text: value, experiments: experiments / 100, isMinimum: false };
    assert.deepEqual(values, [all]);
    assert.ok(isWhole);
  });
});
