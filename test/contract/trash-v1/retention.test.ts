import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type {
  ExperimentsRule,
  RetentionRule,
  RetentionRuleContent,
  RetentionRulesReply,
  TriedRetentionRule,
  VersionsRule,
} from "@lossless/protocol";
import { ok } from "../../http.ts";
import { MovableClock } from "../../movable-clock.ts";
import { organizations } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { ArtifactCaller } from "../artifact-caller.ts";
import { observed, uniqueName } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { untilSummarized } from "../views-v1/table-calls.ts";
import { Writer } from "../writer.ts";
import { askTrash, entriesOf, trashList, untilGone } from "./trash-calls.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

topicOn("sqlite");
topicOn("postgres");

/** Each with a clock of its own. */
function topicOn(backend: "sqlite" | "postgres"): void {
  const clock = new MovableClock(suiteDirectory("retention"));
  const later = (ms: number) => (clock.aheadMs = ms);
  topic("rules of retention", (system) => define(system, later), {
    ...clock.service,
    backends: [backend],
  });
}

function define(system: System, later: (ms: number) => void): void {
  const { acme } = system;

  test("admins set and remove them, members try them; nobody elsewhere sees them", async () => {
    const ada = await signIn(system, "ada");
    const max = await signIn(system, "max");
    const body = { name: uniqueName("rule"), rule: experimentsRule() };
    await refusedV1(askTrash(system, "rules", { body, credential: max }), 403, "forbidden");
    await refusedV1(askTrash(system, "rules", { body }), 403, "forbidden");
    const made = await set(system, ada, body.rule, body.name);
    assert.deepEqual([made.name, made.revision, made.folder], [body.name, 1, []]);
    await refusedV1(askTrash(system, "rules", { body, credential: ada }), 409, "conflict");
    const listed = await rules(system, max);
    assert.deepEqual(
      listed.map(({ id, rule }) => [id, rule]),
      [[made.id, body.rule]],
    );
    assert.deepEqual(await rules(system, organizations.rival.key), []);
    const method = { method: "PUT" };
    const change = { ...body, rule: experimentsRule({ olderThanDays: 6 }), revision: 1 };
    const at = `rules?id=${made.id}`;
    const rita = await signIn(system, "rita");
    await refusedV1(
      askTrash(system, at, { body: change, credential: rita, method }),
      404,
      "not_found",
    );
    const changed = await askTrash(system, at, { body: change, credential: ada, method });
    assert.equal((JSON.parse(changed.text) as RetentionRule).revision, 2, changed.text);
    const late = await askTrash(system, at, { body: change, credential: ada, method });
    const conflict = JSON.parse(late.text) as { error: string; present: { revision: number } };
    assert.deepEqual(
      [late.status, conflict.error, conflict.present.revision],
      [409, "conflict", 2],
    );
    for (const rule of [
      experimentsRule({ query: "metric.loss <" }),
      experimentsRule({ unless: ") or (" }),
      experimentsRule({ keepBest: { field: "slug", order: "least", count: 1 } }),
      { ...versionsRule("a"), under: "/a" },
    ])
      await refusedV1(askTrash(system, "rules/try", { body: { rule } }), 400, "bad_request");
    const elsewhere = { body: { rule: experimentsRule({ folderId: "none" }) } };
    await refusedV1(askTrash(system, "rules/try", elsewhere), 404, "not_found");
    const gone = { credential: ada, method: { method: "DELETE" } };
    assert.equal((await askTrash(system, `${at}&revision=1`, gone)).status, 409);
    assert.equal((await askTrash(system, `${at}&revision=2`, gone)).status, 204);
    assert.deepEqual(await rules(system, ada), []);
  });

  test("old experiments go, but for the best, what is excepted, and folders with rules of their own", async () => {
    const folder = async (name: string, parentFolderId: string | null) =>
      (await acme.ask("folder.create", { name, parentFolderId })).folderId as string;
    const top = await folder(uniqueName("top"), null);
    const below = await folder("below", top);
    const spared = await folder("spared", top);
    const recorded = async (folderId: string | null, loss: number, meta: object = {}) => {
      const experiment = await acme.open(uniqueName("run"), "", meta as Record<string, never>);
      await experiment.send(experiment.metric({ metricValue: loss }), experiment.event("done"));
      const { experimentId } = experiment;
      if (folderId !== null) await acme.ask("experiment.move", { experimentId, folderId });
      return experimentId;
    };
    const best = await recorded(below, 1);
    const worse = await recorded(below, 2);
    const worst = await recorded(top, 3);
    await recorded(top, 9, { _tags: ["keep"] });
    await recorded(spared, 9);
    await recorded(null, 9);
    const running = await acme.open();
    await acme.ask("experiment.move", { experimentId: running.experimentId, folderId: top });
    await untilSummarized(system, acme);
    later(10 * dayMs);
    const recent = await recorded(top, 8);
    await untilSummarized(system, acme);
    const ada = await signIn(system, "ada");
    const sparing = await set(
      system,
      ada,
      experimentsRule({ folderId: spared, olderThanDays: null }),
    );
    const rule = experimentsRule({
      folderId: top,
      unless: "tag = keep",
      keepBest: { field: "metric.loss.min", order: "least", count: 1 },
    });
    const { finds, total } = await tried(system, rule);
    assert.deepEqual(finds.map(({ subject }) => subject).sort(), [worse, worst].sort());
    assert.equal(total, 2);
    assert.match(finds[0].why, /^done for 10 days; not among the best 1 by metric\.loss\.min$/);
    assert.deepEqual((await trashList(system)).length, 0, "to try takes nothing");
    const { id, folder: names } = await set(system, ada, rule);
    assert.equal(names.length, 1);
    await untilLooked(system, ada, id);
    const entries = await trashList(system);
    assert.deepEqual(entries.map(({ subject }) => subject).sort(), [worse, worst].sort());
    assert.deepEqual([...new Set(entries.map(({ trashedBy }) => trashedBy))], ["retention"]);
    const audit = await observed(system, { path: "/api/v1/audit", credential: ada });
    const events = (JSON.parse(audit.text) as { events: AuditLine[] }).events;
    const taken = events.filter(({ actor }) => actor === "retention");
    assert.deepEqual(
      taken.map(({ action, subject }) => [action, subject]).sort(),
      [worse, worst].map((subject) => ["experiment.trashed", subject]).sort(),
    );
    assert.equal(
      taken[0].details.rule,
      (await rules(system, ada)).find((one) => one.id === id)!.name,
    );
    const back = entries.find(({ subject }) => subject === worse)!;
    const other = entries.find(({ subject }) => subject === worst)!;
    await entriesOf(askTrash(system, "restore", { body: { ids: [back.id] } }));
    later(10 * dayMs + 2 * hourMs);
    await untilLooked(system, ada, id, 10 * dayMs + hourMs);
    assert.deepEqual(
      (await trashList(system)).map((entry) => entry.id),
      [other.id],
      "what was restored stays",
    );
    for (const one of await rules(system, ada)) await remove(system, ada, one);
    later(41 * dayMs);
    await untilGone(system, [other.id]);
    for (const experimentId of [best, back.subject, recent]) await acme.record(experimentId);
    await acme.fails("query.experiment", { experimentId: worst }, 404, "experiment_not_found");
    assert.equal(sparing.folder.length, 2);
  });

  test("versions go but for the last, or those that are new; a longer path has its own rules", async () => {
    later(0);
    const caller = new ArtifactCaller(system, organizations.acme.key);
    const place = uniqueName("place");
    const written = async (name: string, ...versions: string[]) => {
      const writer = await Writer.open(caller, `${place}/${name}`);
      for (const version of versions) await writer.write(version);
      return writer.artifact;
    };
    const many = await written("many", "1", "2", "3", "4");
    const few = await written("deep/few", "1", "2");
    const own = await written("own/all", "1", "2", "3", "4");
    await written("many-others", "1", "2", "3", "4");
    const named = await written("named", "1", "2", "3");
    const query = { artifact: named, alias: "best" };
    const body = { version: "1" };
    ok(await caller.request("artifacts/alias", query, { method: "PUT", body }), 200);
    const ada = await signIn(system, "ada");
    await set(system, ada, { ...versionsRule(`${place}/own`), keepLast: null });
    const last = versionsRule(place);
    const byNumber = await tried(system, last);
    assert.deepEqual(byNumber.finds.map(whole).sort(), [
      `${many} 1`,
      `${many} 2`,
      `${place}/many-others 1`,
      `${place}/many-others 2`,
    ]);
    assert.match(byNumber.finds[0].why, /^not among the last 2; committed 0 days ago$/);
    assert.equal((await tried(system, { ...last, olderThanDays: 5 })).total, 0);
    later(6 * dayMs);
    const byAge = { ...last, keepLast: null, olderThanDays: 5 };
    assert.equal(
      (await tried(system, byAge)).total,
      8,
      "the highest of each stays, and what has an alias",
    );
    const credential = await signIn(system, "ada");
    const { id } = await set(system, credential, { ...versionsRule(many), olderThanDays: 5 });
    await untilLooked(system, credential, id);
    const entries = (await trashList(system)).filter(({ kind }) => kind === "version");
    assert.deepEqual(
      entries.map(({ name, version, trashedBy }) => [name, version, trashedBy]).sort(),
      [
        [many, "1", "retention"],
        [many, "2", "retention"],
      ],
    );
    assert.deepEqual(
      (await caller.list(few)).versions.map(({ version }) => version),
      ["1", "2"],
    );
    assert.equal((await caller.list(own)).versions.length, 4);
    for (const one of await rules(system, credential)) await remove(system, credential, one);
  });

  test("a rule goes with its folder", async () => {
    const ada = await signIn(system, "ada");
    const folder = { name: uniqueName("folder"), parentFolderId: null };
    const { folderId } = await acme.ask("folder.create", folder);
    await set(system, ada, experimentsRule({ folderId: folderId as string, olderThanDays: null }));
    await acme.ask("folder.delete", { folderId });
    assert.deepEqual(await rules(system, ada), []);
  });
}

interface AuditLine {
  actor: string;
  action: string;
  subject: string;
  details: { rule?: string };
}

function experimentsRule(more: Partial<ExperimentsRule> = {}): ExperimentsRule {
  const all = { kind: "experiments", folderId: null, olderThanDays: 5 } as const;
  return { ...all, statuses: ["done", "error"], ...more };
}

function versionsRule(under: string): VersionsRule {
  return { kind: "versions", under, keepLast: 2, olderThanDays: null };
}

function whole({ name, version }: { name: string; version: string | null }): string {
  return `${name} ${version}`;
}

async function rules(system: System, credential: string): Promise<RetentionRule[]> {
  return ok<RetentionRulesReply>(await askTrash(system, "rules", { credential })).rules;
}

async function set(
  system: System,
  credential: string,
  rule: RetentionRuleContent,
  name = uniqueName("rule"),
): Promise<RetentionRule> {
  const reply = await askTrash(system, "rules", { body: { name, rule }, credential });
  return ok<RetentionRule>(reply, 201);
}

async function remove(system: System, credential: string, { id }: RetentionRule): Promise<void> {
  const found = (await rules(system, credential)).find((rule) => rule.id === id)!;
  const at = `rules?id=${id}&revision=${found.revision}`;
  const reply = await askTrash(system, at, { credential, method: { method: "DELETE" } });
  assert.equal(reply.status, 204, reply.text);
}

async function tried(system: System, rule: RetentionRuleContent): Promise<TriedRetentionRule> {
  return ok<TriedRetentionRule>(await askTrash(system, "rules/try", { body: { rule } }));
}

/** Waits until the service has looked for what the rule takes, after its clock showed so much. */
async function untilLooked(
  system: System,
  credential: string,
  id: string,
  shiftMs = 0,
): Promise<void> {
  const sinceMs = Date.now() + shiftMs - hourMs;
  for (;;) {
    const rule = (await rules(system, credential)).find((one) => one.id === id)!;
    if (rule.lookedAtMs !== null && rule.lookedAtMs > sinceMs) return;
    await setTimeout(50);
  }
}
