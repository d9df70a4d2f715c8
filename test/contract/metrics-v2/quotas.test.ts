import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../../http.ts";
import { Figures } from "../../figures.ts";
import { runVerify } from "../../crash/verify-command.ts";
import { setQuota } from "../../quota.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, fails, sizes } from "../artifact-caller.ts";
import { event, eventError, type ReplyEvent, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

/** Bytes that a point counts before it is sealed, and a row beside its texts: docs/limits.md. */
const pointBytes = 44;
const rowBytes = 128;

/** `ok`, `again` for what was stored before, or the limit that refused. */
function outcomes(replies: ReplyEvent[]): unknown[] {
  return replies.map((reply) => {
    if (reply.event !== "svc.v2.error") return reply.data.deduplicated === true ? "again" : "ok";
    const { code, details } = eventError(reply);
    return code === "limit_exceeded" ? details.limit : code;
  });
}

const figures = await Figures.onFreePort();

/** Acme's stored amounts, as the operator's page shows them. */
function stored(what: "bytes" | "experiments" | "partitions" | "pending_uploads"): Promise<number> {
  return figures.value(`lossless_organization_stored\\{organization="acme",what="${what}"\\}`);
}

topic(
  "quotas",
  (system) => {
    const artifacts = new ArtifactCaller(system, organizations.acme.key);
    const opening = (slug: string) =>
      event("experiment.open", { slug, description: "", meta: {} }, uniqueName(slug));

    test("the operator's page and the command show what is stored and what may be", async () => {
      const shown = await setQuota(system.service);
      const none = { bytes: null, partitions: null };
      assert.deepEqual(shown.quotas, { ...none, experiments: 1_000, pendingUploads: 90 });
      assert.equal(shown.stored.bytes, await stored("bytes"));
      const maximum = 'lossless_organization_quota\\{organization="acme",what="experiments"\\}';
      assert.equal(await figures.value(maximum), 1_000);
    });

    test("experiments: the last one is opened, the next is limit_exceeded, known slugs and others go on", async () => {
      const { acme, rival, service } = system;
      const maximum = (await stored("experiments")) + 2;
      await setQuota(service, "--experiments", String(maximum));
      const slugs = ["first", "second", "third", "first"].map((slug) => `experiments/${slug}`);
      const replies = await acme.send(...slugs.map(opening));
      const refused = "experimentsPerOrganization";
      assert.deepEqual(outcomes(replies), ["ok", "ok", refused, "ok"]);
      const { status, retryable, details } = eventError(replies[2]);
      assert.deepEqual([status, retryable], [409, false]);
      assert.deepEqual(details, { limit: refused, maximum, used: maximum });
      await acme.fails(
        "query.experiment",
        { experimentSlug: slugs[2] },
        404,
        "experiment_not_found",
      );
      await rival.open();
      assert.equal(await stored("experiments"), maximum);
      await setQuota(service, "--experiments", "none");
      assert.deepEqual(outcomes(await acme.send(opening(slugs[2]))), ["ok"]);
    });

    test("partitions: points of those that are there go on, retries are recognised and counted once", async () => {
      const { acme, service } = system;
      const one = await acme.open();
      const maximum = (await stored("partitions")) + 2;
      await setQuota(service, "--partitions", String(maximum));
      const points = ["a", "b", "c", "a"].map((metricName, step) =>
        one.metric({ metricName, step }, `point-${step}`),
      );
      const refused = "partitionsPerOrganization";
      const plain = await one.send(...points);
      assert.deepEqual(outcomes(plain), ["ok", "ok", refused, "ok"]);
      assert.deepEqual(eventError(plain[2]).details, { limit: refused, maximum, used: maximum });
      // Beside another event the batch goes the general way, which answers alike.
      const again = await one.send(one.event("start"), ...points);
      assert.deepEqual(outcomes(again), ["ok", "again", "again", refused, "again"]);
      assert.deepEqual(eventError(again[3]), eventError(plain[2]));
      assert.equal(await stored("partitions"), maximum);
      await setQuota(service, "--partitions", "none");
      assert.deepEqual(outcomes(await one.send(points[2])), ["ok"]);
    });

    // Nothing is sealed, which takes some bytes and frees others: the experiments have few points.
    test("bytes: so many points as there is room for, to the byte; what only ends a run goes on", async () => {
      const { acme, rival, service } = system;
      const one = await acme.open();
      await one.send(one.metric({ metricName: "loss" }));
      const before = await stored("bytes");
      const maximum = before + 4 * pointBytes - 1;
      await setQuota(service, "--bytes", String(maximum));
      const points = [1, 2, 3, 4, 5].map((step) => one.metric({ step }, `step-${step}`));
      const refused = "bytesPerOrganization";
      const replies = await one.send(...points);
      assert.deepEqual(outcomes(replies), ["ok", "ok", "ok", refused, refused]);
      const used = before + 3 * pointBytes;
      assert.deepEqual(eventError(replies[3]).details, { limit: refused, maximum, used });
      const again = outcomes(await one.send(...points));
      assert.deepEqual(again, ["again", "again", "again", refused, refused]);
      const batch = await one.send(
        one.event("annotate", { annotation: "a", meta: {} }),
        one.event("error", {
          error: "a failure of fifty characters or rather more, as it is",
          meta: {},
        }),
        one.event("done"),
      );
      assert.deepEqual(outcomes(batch), [refused, refused, "ok"]);
      assert.equal((await acme.record(one.experimentId)).status, "done");
      await rival.open();
      assert.equal(await stored("bytes"), used);
      await setQuota(service, "--bytes", String(used + rowBytes + 3));
      const annotation = () => one.event("annotate", { annotation: "b", meta: {} });
      assert.deepEqual(outcomes(await one.send(annotation(), annotation(), ...points.slice(3))), [
        "ok",
        refused,
        refused,
        refused,
      ]);
      await setQuota(service, "--bytes", "none");
      assert.deepEqual(outcomes(await one.send(...points.slice(3))), ["ok", "ok"]);
    });

    test("pending uploads: begin is a conflict until one is committed or abandoned", async () => {
      const maximum = String((await stored("pending_uploads")) + 1);
      await setQuota(system.service, "--pending-uploads", maximum);
      const first = await Writer.open(artifacts);
      const second = await Writer.open(artifacts);
      const { id, sent } = await first.sent("1");
      const message = await fails(second.tryBegin("1"), 409, "conflict");
      assert.match(message, /pending uploads .* quota/);
      ok(await first.commit(id, sent), 200);
      await second.begin("1");
      await fails(first.tryBegin("2"), 409, "conflict");
      await artifacts.open(second.artifact);
      await first.begin("2");
      await setQuota(system.service, "--pending-uploads", "none");
    });

    test("bytes of the built-in location: a version that does not fit is refused before a part is sent", async () => {
      const { acme } = system;
      const writer = await Writer.open(artifacts);
      const before = await stored("bytes");
      const begun = 2 * (rowBytes + 2) + 256 + oneFile["model.bin"].length;
      await setQuota(system.service, "--bytes", String(before + begun));
      const larger = { "model.bin": Buffer.concat([oneFile["model.bin"], Buffer.from("!")]) };
      const message = await fails(writer.tryBegin("1", { files: sizes(larger) }), 409, "conflict");
      assert.match(message, /bytes .* quota/);
      await writer.write("1");
      await fails(writer.tryBegin("2"), 409, "conflict");
      const put = artifacts.request(
        "artifacts/note",
        { artifact: writer.artifact, note: "n" },
        {
          method: "PUT",
          body: Buffer.from("x"),
          headers: { "content-type": "application/octet-stream" },
        },
      );
      await fails(put, 409, "conflict");
      const replies = await acme.send(opening("does-not-fit"));
      assert.deepEqual(outcomes(replies), ["bytesPerOrganization"]);
      assert.equal(await stored("bytes"), before + begun);
      await setQuota(system.service, "--bytes", "none");
    });

    test("after writers at once, seals and a restart the counters are what is stored", async () => {
      const { acme, service } = system;
      await setQuota(service, "--partitions", "60");
      await Promise.all(
        Array.from({ length: 6 }, async (_, writer) => {
          const one = await acme.open();
          for (let round = 0; round < 10; round++) {
            const points = Array.from({ length: 20 }, (__, index) => {
              const metricName = `m${(round * 20 + index + writer) % 17}`;
              return one.metric({ step: round, metricName }, `p-${round}-${index % 15}`);
            });
            const distinct = points.slice(0, 15);
            await one.send(...distinct, one.event("annotate", { annotation: "ä", meta: {} }));
            await one.send(...distinct);
          }
          await one.send(one.event("done"));
        }),
      );
      assert.equal(await stored("partitions"), 60);
      assert.equal(await service.stop(), 0);
      const { code, output } = await runVerify(service);
      assert.equal(code, 0, output);
      await service.start();
      const one = await acme.open();
      assert.deepEqual(outcomes(await one.send(one.metric())), ["partitionsPerOrganization"]);
    });
  },
  {
    without: "workers",
    quotas: { experiments: 1_000, pendingUploads: 90 },
    flags: [...figures.flags, "--seal-points", "100", "--seal-idle-ms", "86400000"],
  },
);
