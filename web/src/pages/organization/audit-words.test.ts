import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { actionWords, actorWords, detailWords, subjectWords } from "./audit-words.ts";

suite("an event of the audit log in words", () => {
  test("actions that are known are sentences, others stand as they are", () => {
    assert.equal(actionWords("apiKey.revoked"), "revoked the API key");
    assert.equal(actionWords("something.new"), "something.new");
    assert.equal(actionWords("constructor"), "constructor");
  });

  test("all that the service writes down has words", () => {
    const server = join(import.meta.dirname, "../../../../server/src");
    const written = globSync("**/*.ts", { cwd: server, exclude: ["**/*.test.ts"] }).flatMap(
      (path) =>
        Array.from(
          readFileSync(join(server, path), "utf8").matchAll(/action: "(\w+\.\w+)"/g),
          ([, action]) => action,
        ),
    );
    assert.ok(written.length > 30, `${written.length} are found`);
    const kept = ["view", "report"].flatMap((kind) =>
      ["created", "changed", "deleted"].map((what) => `${kind}.${what}`),
    );
    const actions = [...new Set([...written, ...kept])];
    assert.deepEqual(
      actions.filter((action) => actionWords(action) === action),
      [],
    );
  });

  test("actors have their name, or words, or their id", () => {
    assert.equal(actorWords("p", "ada@acme.test"), "ada@acme.test");
    assert.equal(actorWords("operator", null), "the operator");
    assert.equal(actorWords("01abc", null), "01abc");
  });

  test("whoever did something to themselves is not named twice; an organization is this one", () => {
    const about = { subjectName: "max", details: {} };
    const event = { ...about, action: "membership.changed", actor: "p", subject: "q" };
    assert.equal(subjectWords(event), "max");
    assert.equal(subjectWords({ ...event, subjectName: null }), "q");
    assert.equal(subjectWords({ ...event, subject: "p" }), "themselves");
    assert.equal(subjectWords({ ...event, subject: "p", action: "session.created" }), "");
    assert.equal(subjectWords({ ...event, action: "quota.changed" }), "");
    assert.equal(subjectWords({ ...event, subject: null }), "");
  });

  test("what has no name of its own any more is named by the details, which say nothing twice", () => {
    const event = { action: "report.created", actor: "p", subject: "q", subjectName: null };
    const named = { ...event, details: { name: "A year", scope: "own" } };
    assert.equal(subjectWords(named), "A year");
    assert.equal(detailWords(named.details, "A year"), "scope: own");
    const details = { artifact: "a/b", version: "7", purgeAtMs: Date.UTC(2026, 0, 2, 12) };
    assert.equal(subjectWords({ ...event, details }), "a/b 7");
    assert.match(detailWords(details, "a/b 7"), /^purge at: 2026-01-0\d \d\d:\d\d:00$/);
    const revoked = { ...event, action: "invitation.revoked" };
    assert.equal(subjectWords({ ...revoked, details: { email: null } }), "anyone with the link");
    assert.equal(subjectWords({ ...revoked, details: { email: "bo@x.test" } }), "bo@x.test");
    assert.equal(subjectWords({ ...revoked, details: {} }), "q");
  });

  test("details without what is nothing", () => {
    assert.equal(
      detailWords({
        pendingUploads: 5,
        bytes: null,
        path: "",
        from: "member",
        is: true,
        description: false,
      }),
      "pending uploads: 5, from: member, is: yes",
    );
  });
});
