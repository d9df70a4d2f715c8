import assert from "node:assert/strict";
import { test } from "node:test";
import { event, OrganizationCaller } from "../contract/callers.ts";
import { runVerify } from "../crash/verify-command.ts";
import { sharedPostgres } from "../postgres.ts";
import { setQuota } from "../quota.ts";
import { organizations, Service } from "../service.ts";

test("two nodes at once fill a quota to its last experiment and partition, and not beyond", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const quotas = { experiments: 25, partitions: 40 };
  await using first = await Service.start({ databaseUrl, quotas });
  await using second = await Service.start({ databaseUrl, quotas });
  const callers = [first, second].map(
    ({ baseUrl }) => new OrganizationCaller({ baseUrl, observe() {} }, organizations.acme.key),
  );
  const on = (at: number): OrganizationCaller => callers[at % callers.length];
  const opened = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const data = { slug: `slug-${at}`, description: "", meta: {} };
      const [reply] = await on(at).send(event("experiment.open", data));
      return reply.event !== "svc.v2.error";
    }),
  );
  assert.equal(opened.filter(Boolean).length, 25);
  const experiments = await Promise.all(
    opened.flatMap((isOpen, at) => (isOpen ? [on(at + 1).open(`slug-${at}`)] : [])),
  );
  const stored = await Promise.all(
    experiments.map(async (one) => {
      const replies = await one.send(
        ...["a", "b", "c"].map((metricName) => one.metric({ metricName })),
      );
      return replies.filter((reply) => reply.event !== "svc.v2.error").length;
    }),
  );
  assert.equal(
    stored.reduce((sum, count) => sum + count, 0),
    40,
  );
  const { stored: counted } = await setQuota(first);
  assert.deepEqual([counted.experiments, counted.partitions], [25, 40]);
  await Promise.all([first.stop(), second.stop()]);
  const { code, output } = await runVerify(first);
  assert.equal(code, 0, output);
});
