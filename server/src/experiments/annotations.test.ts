import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { ReplyData } from "@lossless/protocol";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { annotateExperiment } from "./annotate.ts";
import { openExperiment } from "./open.ts";
import { queryAnnotations, type QueryAnnotations } from "./query-annotations.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();
  const other = fresh.node();
  let organizationId: string;
  let experimentId: string;
  beforeEach(async () => {
    organizationId = await node.newOrganization();
    const data = { slug: "s", description: "", meta: "{}" };
    ({ experimentId } = await node.write(openExperiment, { organizationId, data }));
  });

  const annotate = (annotation: string, meta: Record<string, unknown> = {}, on = node) =>
    on.write(annotateExperiment, {
      organizationId,
      experimentId,
      data: { experimentId, annotation, meta: JSON.stringify(meta) },
    });
  const query = (data: { experimentId?: string; experimentSlug?: string } = { experimentId }) =>
    node.reply<QueryAnnotations, ReplyData<"svc.v2.query.annotations">>(queryAnnotations, {
      organizationId,
      data,
    });

  test("annotations come back newest first by the order of arrival, whatever the clock did", async () => {
    const first = await annotate("first", { a: [1, null] });
    node.nowMs -= 60_000;
    const second = await annotate("second");
    const third = await annotate("second");
    assert.deepEqual(first, {
      experimentId,
      annotationId: first.annotationId,
      createdAtMs: node.nowMs + 60_000,
    });
    assert.deepEqual(await query(), {
      experimentId,
      annotations: [
        {
          annotationId: third.annotationId,
          annotation: "second",
          meta: {},
          createdAtMs: node.nowMs,
        },
        {
          annotationId: second.annotationId,
          annotation: "second",
          meta: {},
          createdAtMs: node.nowMs,
        },
        {
          annotationId: first.annotationId,
          annotation: "first",
          meta: { a: [1, null] },
          createdAtMs: first.createdAtMs,
        },
      ],
      truncated: false,
    });
    assert.deepEqual(await query({ experimentSlug: "s" }), await query());
  });

  test("of more than 100,000 the newest are listed, and the cut is told", async () => {
    const fill = (from: number, to: number) =>
      node.execute(
        `INSERT INTO annotation (experiment, number, id, text, meta, created_at_ms)
         WITH RECURSIVE counter (n) AS (SELECT CAST($2 AS bigint) UNION ALL SELECT n + 1 FROM counter WHERE n < $3)
         SELECT $1, n, CAST(n AS text), CAST(n AS text), '{}', 0 FROM counter`,
        experimentId,
        from,
        to,
      );
    await fill(1, 100_000);
    const whole = await query();
    assert.equal(whole.annotations.length, 100_000);
    assert.equal(whole.truncated, false);
    await annotate("one more");
    const cut = await query();
    assert.equal(cut.annotations.length, 100_000);
    assert.equal(cut.truncated, true);
    assert.equal(cut.annotations[0].annotation, "one more");
    assert.equal(cut.annotations.at(-1)?.annotation, "2");
  });

  test("very large annotations are cut earlier, and that is told too", async () => {
    const text = "x".repeat(16_000);
    const meta = JSON.stringify({ text: "y".repeat(65_000) });
    await node.counted(async (transaction, context) => {
      for (let count = 0; count < 900; count++) {
        const data = { experimentId, annotation: text, meta };
        await annotateExperiment(transaction, { organizationId, experimentId, data }, context);
      }
    });
    const { annotations, truncated } = await query();
    assert.equal(truncated, true);
    assert.ok(annotations.length > 800 && annotations.length < 900);
  });

  if (fresh.dialect === "postgres") {
    test("two nodes annotate one experiment at once: every annotation gets its own place", async () => {
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          annotate(`${index}`, {}, index % 2 === 0 ? node : other),
        ),
      );
      const { annotations } = await query();
      assert.equal(new Set(annotations.map(({ annotation }) => annotation)).size, 40);
    });
  }
});
