import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { AuditTermsReply, AuditViewReply, UsageViewReply } from "@lossless/protocol";
import { ok, parseObject } from "../../http.ts";
import { organizations, people } from "../../service.ts";
import { address, ArtifactCaller, type Query } from "../artifact-caller.ts";
import { observed } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { OrganizationSetup } from "../organization-setup.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { trashed } from "../trash-v1/trash-calls.ts";
import { oneFile, Writer } from "../writer.ts";

topic(
  "usage and audit log as pages show them",
  (system) => {
    let tokens: Record<"ada" | "max" | "bo" | "rita", string>;
    before(async () => {
      tokens = {
        ada: await signIn(system, "ada"),
        max: await signIn(system, "max"),
        bo: await signIn(system, "bo", "acme"),
        rita: await signIn(system, "rita"),
      };
    });
    const ask = (credential: string, view: string, query: Query = {}) =>
      observed(system, { path: address(view, query).replace("/v1/", "/views/v1/"), credential });
    const read = async <Reply>(credential: string, view: string, query: Query = {}) => {
      return ok<Reply & object>(await ask(credential, view, query)) as Reply;
    };
    const usage = (credential: string, query: Query = {}) =>
      read<UsageViewReply>(credential, "usage", query);
    const audit = (credential: string, query: Query = {}) =>
      read<AuditViewReply>(credential, "audit", query);
    const today = () => new Date().toISOString().slice(0, 10);

    test("points of today are exactly those that were stored, a repeated one once", async () => {
      const before = await usage(system.acme.credential);
      const run = await system.acme.open();
      const points = Array.from({ length: 60 }, (_, step) => ({
        messageId: `p${step}`,
        event: "svc.v2.experiment.metric",
        data: {
          experimentId: run.experimentId,
          timestampMs: 1,
          step,
          metricName: "loss",
          metricValue: step,
          meta: {},
        },
      }));
      const { experimentId, token } = run;
      const path = `/api/v2/experiments/${experimentId}/events`;
      for (let turn = 0; turn < 2; turn++) {
        const reply = await observed(system, { path, credential: token, body: points });
        assert.equal(reply.status, 200, reply.text);
      }
      const after = await usage(system.acme.credential);
      const of = ({ points }: UsageViewReply) =>
        points.find(({ day }) => day === today())?.points ?? 0;
      assert.equal(of(after), of(before) + 60);
      assert.equal(after.pointsTotal, before.pointsTotal + 60);
      assert.equal(after.pointsBefore, 0);
      const rival = await usage(system.rival.credential);
      assert.deepEqual([rival.points, rival.pointsTotal], [[], 0]);
    });

    test("bytes by day and location, place or transfer; what locations hold now, pending apart", async () => {
      const caller = new ArtifactCaller(system, organizations.acme.key);
      const writer = await Writer.open(caller);
      await writer.write("1");
      await writer.write("2");
      await writer.begin("3", oneFile);
      const setup = new OrganizationSetup(system, organizations.acme.key);
      const [{ id: location }] = (await setup.view()).locations;
      const found = await usage(system.acme.credential, { days: "1" });
      assert.deepEqual([found.firstDay, found.lastDay], [today(), today()]);
      assert.deepEqual(found.groups, [location]);
      const written = found.bytes.find(({ kind }) => kind === "write")!;
      assert.deepEqual([written.day, written.of], [today(), location]);
      assert.equal(written.bytes, 14);
      assert.equal(written.count, 2);
      assert.deepEqual(found.stored, [
        { location, versions: 2, bytes: 14, pendingUploads: 1, pendingBytes: 7 },
      ]);
      const places = await usage(system.acme.credential, { by: "place" });
      assert.deepEqual(places.groups, ["here/there"]);
      const transfers = await usage(system.acme.credential, { by: "transfer" });
      assert.deepEqual(transfers.groups, ["cross-cloud"]);
      const rival = await usage(system.rival.credential);
      assert.deepEqual([rival.bytes, rival.groups, rival.stored], [[], [], []]);
    });

    test("every member sees the quota and how much of it is used", async () => {
      for (const credential of [system.acme.credential, tokens.max]) {
        const { quota } = await usage(credential);
        assert.deepEqual(
          quota.map(({ kind, maximum }) => [kind, maximum]),
          [
            ["bytes", null],
            ["experiments", 5_000],
            ["partitions", null],
            ["uploads", 50],
          ],
        );
        assert.ok(quota.find(({ kind }) => kind === "experiments")!.used > 0);
      }
      const { quota } = await usage(tokens.rita);
      assert.ok(quota.every(({ maximum }) => maximum === null));
    });

    test("a range or a grouping that there is not is refused", async () => {
      for (const days of ["0", "367", "x", "1.5"])
        await refusedV1(ask(tokens.max, "usage", { days }), 400, "bad_request");
      await refusedV1(ask(tokens.max, "usage", { by: "colour" }), 400, "bad_request");
    });

    test("the audit log by action, noun, actor, subject and time, with names, by pages", async () => {
      const ada = new OrganizationSetup(system, tokens.ada);
      const bo = new OrganizationSetup(system, tokens.bo);
      const made: string[] = [];
      for (let at = 0; at < 205; at++) {
        const by = at === 3 ? bo : ada;
        const reply = await by.request("POST", "api-keys", {}, { name: `key ${at}` });
        made.push((parseObject(reply.text).key as { id: string }).id);
      }
      await ada.request("DELETE", "api-keys", { id: made[0] });
      const first = await audit(tokens.ada, { action: "apiKey.created" });
      assert.equal(first.events.length, 200);
      assert.deepEqual(
        first.events.slice(0, 2).map(({ actorName, subjectName }) => [actorName, subjectName]),
        [
          [people.ada.email, "key 204"],
          [people.ada.email, "key 203"],
        ],
      );
      const second = await audit(tokens.ada, { action: "apiKey.created", before: first.next! });
      const all = [...first.events, ...second.events];
      assert.equal(second.next, null);
      assert.deepEqual(
        all.map(({ subject }) => subject).filter((id) => made.includes(id!)),
        made.toReversed(),
      );
      const byBo = await audit(tokens.ada, { action: "apiKey", actor: second.events[1].actor });
      assert.ok(byBo.events.length > 0);
      const noun = await audit(tokens.ada, { action: "apiKey", subject: made[0] });
      assert.deepEqual(
        noun.events.map(({ action }) => action),
        ["apiKey.revoked", "apiKey.created"],
      );
      const middle = all.find(({ subject }) => subject === made[100])!;
      const atMs = Date.parse(middle.at);
      const since = await audit(tokens.ada, { action: "apiKey.created", since: String(atMs) });
      assert.ok(since.events.every(({ at }) => Date.parse(at) >= atMs));
      assert.ok(since.events.some(({ id }) => id === middle.id));
      const until = await audit(tokens.ada, { action: "apiKey.created", until: String(atMs) });
      assert.ok(until.events.every(({ at }) => Date.parse(at) < atMs));
      assert.ok(until.events.some(({ subject }) => subject === made[0]));
      const terms = await read<AuditTermsReply>(tokens.ada, "audit-terms");
      assert.ok(terms.actions.includes("apiKey.revoked"));
      assert.deepEqual(terms.actions, [...new Set(terms.actions)].sort());
      assert.ok(terms.actors.some(({ name }) => name === people.bo.email));
    });

    test("the log calls an experiment as lists call it", async () => {
      const mlflow = new MlflowCaller(system, system.acme.credential);
      const experimentId = await mlflow.run(undefined, { run_name: "tall birch" });
      await trashed(system, experimentId);
      const { events } = await audit(tokens.ada, { subject: experimentId });
      assert.equal(events[0].subjectName, "tall birch");
    });

    test("another organization's log is not there, nor are names of what it has", async () => {
      const { events } = await audit(tokens.ada);
      const foreign = await audit(tokens.rita, { subject: events[0].subject! });
      assert.deepEqual(foreign, { events: [], next: null });
      assert.deepEqual(await audit(tokens.rita, { before: events[0].id, action: "apiKey" }), {
        events: (await audit(tokens.rita, { action: "apiKey" })).events,
        next: null,
      });
      const terms = await read<AuditTermsReply>(tokens.rita, "audit-terms");
      assert.ok(!JSON.stringify(terms).includes("acme"));
    });

    test("the audit log is for admins; nobody without a credential sees anything", async () => {
      for (const view of ["audit", "audit-terms"]) {
        for (const credential of [tokens.max, system.acme.credential])
          await refusedV1(ask(credential, view), 403, "forbidden");
        assert.equal((await ask(tokens.bo, view)).status, 200);
      }
      for (const view of ["usage", "audit", "audit-terms"]) {
        const path = `/api/views/v1/${view}`;
        await refusedV1(observed(system, { path }), 401, "unauthorized");
      }
      await refusedV1(ask(tokens.ada, "audit", { since: "yesterday" }), 400, "bad_request");
    });
  },
  { alone: true, quotas: { experiments: 5_000, pendingUploads: 50 } },
);
