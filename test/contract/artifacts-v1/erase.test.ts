import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditReply, NoteReply, PeopleReply } from "@lossless/protocol";
import { type HttpReply, parseObject } from "../../http.ts";
import { observed, uniqueName } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";

topic("erasing people", (system) => {
  const password = "a long password";
  const ask = (credential: string, method: string, path: string, body?: unknown) =>
    observed(system, { method, path, credential, ...(body !== undefined && { body }) });

  async function read<Reply>(reply: Promise<HttpReply>, status = 200): Promise<Reply> {
    const { status: got, text } = await reply;
    assert.equal(got, status, text);
    return parseObject<Reply & object>(text);
  }

  async function join(inviter: string, email: string, role: string): Promise<string> {
    const invited = { email, role };
    const { link } = await read<{ link: string }>(
      ask(inviter, "POST", "/api/v1/invitations", invited),
      201,
    );
    const token = new URL(link).searchParams.get("token")!;
    const body = { token, email, password };
    const path = "/api/v1/invitations/accept";
    return (await read<{ token: string }>(observed(system, { path, body }), 201)).token;
  }

  const erase = (session: string, body: object) =>
    ask(session, "POST", "/api/v1/account/erase", body);

  test("an erased person is nowhere named, and the address may join again", async () => {
    const ada = await signIn(system, "ada");
    const email = `${uniqueName("leaver").toLowerCase()}@acme.test`;
    const session = await join(ada, email, "admin");
    const {
      person: { id },
    } = await read<{ person: { id: string } }>(ask(session, "GET", "/api/v1/sessions"));
    const token = { name: "mine", scope: "write", days: 3 };
    const { secret } = await read<{ secret: string }>(
      ask(session, "POST", "/api/sign-on/v1/tokens", token),
      201,
    );
    const { experimentId } = await system.acme.open();
    const note = { experimentId, messageId: "one", annotation: "I was here.", step: 3 };
    await read<NoteReply>(ask(session, "POST", "/api/views/v1/annotations", note));
    const shared = { name: uniqueName("shared"), scope: "shared", address: "/experiments" };
    await read(ask(session, "POST", "/api/views/v1/saved", shared), 201);

    await refusedV1(erase(session, { email: "max@acme.test", password }), 400, "bad_request");
    await refusedV1(erase(session, { email, password: "a wrong one" }), 401, "unauthorized");
    await refusedV1(erase(session, { email }), 401, "unauthorized");
    await refusedV1(erase(secret, { email, password }), 403, "forbidden");
    const done = await erase(session, { email: email.toUpperCase(), password });
    assert.equal(done.status, 204, done.text);

    await refusedV1(ask(session, "GET", "/api/v1/sessions"), 401, "unauthorized");
    await refusedV1(ask(secret, "GET", "/api/v1/whoami"), 401, "unauthorized");
    const again = { path: "/api/v1/sessions", method: "POST", body: { email, password } };
    await refusedV1(observed(system, again), 401, "unauthorized");
    const annotations = JSON.stringify(
      await system.acme.ask("query.annotations", { experimentId }),
    );
    const audit = await read<AuditReply>(ask(ada, "GET", "/api/v1/audit"));
    const views = await ask(ada, "GET", "/api/views/v1/saved");
    const shown = await ask(ada, "GET", "/api/views/v1/audit");
    for (const text of [annotations, JSON.stringify(audit), views.text, shown.text]) {
      assert.ok(!text.includes(email), text);
    }
    assert.ok(annotations.includes(`erased-${id}`), annotations);
    assert.ok(annotations.includes("I was here."));
    const ended = audit.events.find(
      ({ action, subject }) => action === "membership.ended" && subject === id,
    );
    assert.deepEqual(ended?.details, { email: `erased-${id}`, role: "admin" });
    assert.ok(audit.events.every(({ actor, address }) => actor !== id || address === null));
    const invited = audit.events.filter(({ details }) => details.email === `erased-${id}`);
    assert.ok(invited.some(({ action }) => action === "invitation.created"));

    const next = await join(ada, email, "member");
    const { person } = await read<{ person: { id: string; email: string } }>(
      ask(next, "GET", "/api/v1/sessions"),
    );
    assert.equal(person.email, email);
    assert.notEqual(person.id, id);
    assert.equal((await erase(next, { email, password })).status, 204);
  });

  test("the last owner is told what to do first, and nothing has changed", async () => {
    const rita = await signIn(system, "rita");
    const mine = { email: "rita@rival.test", password: "rita's long password" };
    const sentence = await refusedV1(erase(rita, mine), 409, "conflict");
    assert.match(sentence, /last owner of "rival.*make another person owner/);
    const { people } = await read<PeopleReply>(ask(rita, "GET", "/api/v1/people"));
    assert.ok(people.some(({ email }) => email === "rita@rival.test"));
  });

  test("a longer address that ends or begins like it stays what it is", async () => {
    const ada = await signIn(system, "ada");
    const name = uniqueName("al").toLowerCase();
    const addresses = [`${name}@acme.test`, `x${name}@acme.test`, `${name}@acme.test.uk`];
    for (const email of addresses) {
      const invited = { email, role: "member" };
      assert.equal((await ask(ada, "POST", "/api/v1/invitations", invited)).status, 201);
    }
    const session = await join(ada, addresses[0], "member");
    assert.equal((await erase(session, { email: addresses[0], password })).status, 204);
    const { text } = await ask(ada, "GET", "/api/v1/audit");
    assert.ok(!text.includes(`"${addresses[0]}"`));
    for (const email of addresses.slice(1)) assert.ok(text.includes(`"${email}"`), email);
  });
});
