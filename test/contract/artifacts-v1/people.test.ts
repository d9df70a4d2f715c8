import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PeopleReply } from "@lossless/protocol";
import { type HttpReply, type JsonObject, ok, parseObject } from "../../http.ts";
import { organizations, people } from "../../service.ts";
import { observed } from "../callers.ts";
import { refusedV1, signIn, signInCommandLine } from "../people.ts";
import { topic } from "../topic.ts";

topic(
  "people",
  (system) => {
    const ask = (
      credential: string,
      method: string,
      path: string,
      body?: unknown,
    ): Promise<HttpReply> =>
      observed(system, { method, path: `/api/v1/${path}`, credential, body });

    async function invite(credential: string, body: JsonObject): Promise<string> {
      const reply = await ask(credential, "POST", "invitations", body);
      return new URL(ok(reply, 201).link as string).searchParams.get("token")!;
    }

    const accept = (token: string, email: string, password: string): Promise<HttpReply> =>
      observed(system, { path: "/api/v1/invitations/accept", body: { token, email, password } });

    async function peopleOf(credential: string): Promise<PeopleReply["people"]> {
      return ok<PeopleReply>(await ask(credential, "GET", "people")).people;
    }

    test("an invitation is shown once, listed without its link, taken once", async () => {
      const ada = await signIn(system, "ada");
      const token = await invite(ada, { role: "admin", email: "Cy@acme.test" });
      const list = await ask(ada, "GET", "invitations");
      assert.ok(!list.text.includes(token));
      const [open] = parseObject(list.text).invitations as JsonObject[];
      assert.equal(open?.email, "cy@acme.test");
      await refusedV1(accept(token, "eve@acme.test", "a long password"), 403, "forbidden");
      await refusedV1(accept(token, "cy@acme.test", "short"), 400, "bad_request");
      const joined = await accept(token, "CY@acme.test", "a long password");
      assert.equal(joined.status, 201, joined.text);
      await refusedV1(accept(token, "cy@acme.test", "a long password"), 401, "unauthorized");
      const session = parseObject(joined.text).token as string;
      assert.ok(
        (await peopleOf(session)).some(
          ({ email, role }) => `${email} ${role}` === "cy@acme.test admin",
        ),
      );
      assert.deepEqual(parseObject((await ask(ada, "GET", "invitations")).text), {
        invitations: [],
      });
    });

    test("who is known joins another organization with the password they have", async () => {
      const rita = await signIn(system, "rita");
      const token = await invite(rita, { role: "member" });
      await refusedV1(accept(token, people.max.email, "not max's password"), 401, "unauthorized");
      const joined = await accept(token, people.max.email, people.max.password);
      const { name } = ok(joined, 201).organization as JsonObject;
      assert.equal(name, "rival");
      const session = await signIn(system, "max", "acme");
      const mine = parseObject((await ask(session, "GET", "organizations")).text).organizations;
      assert.deepEqual(
        (mine as { name: string; role: string }[]).map((one) => `${one.name} ${one.role}`),
        ["acme member", "rival member"],
      );
    });

    test("an address that somebody has taken elsewhere is still its owner's, and nobody gets in with it", async () => {
      const [ada, rita] = [await signIn(system, "ada"), await signIn(system, "rita")];
      const email = "newhire@acme.test";
      const attackers = "the attacker's password";
      const owners = "the owner's password";
      const sessionOf = (password: string, organization?: string) =>
        observed(system, { path: "/api/v1/sessions", body: { email, password, organization } });
      const organizationOf = (reply: HttpReply) =>
        (parseObject(reply.text).organization as JsonObject).name;
      const taken = await accept(await invite(rita, { role: "member" }), email, attackers);
      assert.equal(taken.status, 201, taken.text);
      const joined = await accept(await invite(ada, { role: "member", email }), email, owners);
      assert.equal(joined.status, 201, joined.text);
      assert.equal(organizationOf(joined), "acme");
      const session = parseObject(joined.text).token as string;
      const mine = parseObject((await ask(session, "GET", "organizations")).text).organizations;
      assert.deepEqual(
        (mine as { name: string }[]).map(({ name }) => name),
        ["acme"],
      );
      assert.equal(organizationOf(await sessionOf(owners)), "acme");
      assert.equal(organizationOf(await sessionOf(attackers)), "rival");
      await refusedV1(sessionOf(attackers, "acme"), 403, "forbidden");
      await refusedV1(sessionOf(owners, "rival"), 403, "forbidden");
      await refusedV1(sessionOf("neither password"), 401, "unauthorized");

      // The other way round: another organization's link does not set the password of who is known.
      const known = "known@acme.test";
      const first = await accept(await invite(ada, { role: "admin", email: known }), known, owners);
      assert.equal(first.status, 201, first.text);
      const other = await accept(
        await invite(rita, { role: "member", email: known }),
        known,
        attackers,
      );
      assert.equal(organizationOf(other), "rival");
      const entered = await observed(system, {
        path: "/api/v1/sessions",
        body: { email: known, password: attackers },
      });
      assert.equal(organizationOf(entered), "rival");
      const still = await ask(parseObject(first.text).token as string, "GET", "people");
      assert.equal(still.status, 200, still.text);
      // Whom the operator has provisioned is who they are everywhere.
      const max = people.max.email;
      const link = await invite(rita, { role: "member", email: max });
      await refusedV1(accept(link, max, "not max's password"), 401, "unauthorized");
    });

    test("roles: a person of another organization is unknown; the last owner stays", async () => {
      const [ada, rita] = [await signIn(system, "ada"), await signIn(system, "rita")];
      const owner = (await peopleOf(ada)).find(({ role }) => role === "owner")!;
      const path = `people?id=${owner.id}`;
      await refusedV1(ask(rita, "PATCH", path, { role: "member" }), 404, "not_found");
      await refusedV1(ask(rita, "DELETE", path), 404, "not_found");
      await refusedV1(ask(ada, "PATCH", path, { role: "member" }), 409, "conflict");
      await refusedV1(ask(ada, "DELETE", path), 409, "conflict");
      await refusedV1(ask(ada, "PATCH", path, { role: "king" }), 400, "bad_request");
      await refusedV1(ask(ada, "DELETE", "people"), 400, "bad_request");
      await refusedV1(ask(ada, "DELETE", "invitations?id=none"), 404, "not_found");
    });

    test("a removed person's session ends at once; who belongs elsewhere is signed in there", async () => {
      const ada = await signIn(system, "ada");
      const email = "dan@acme.test";
      const token = await invite(ada, { role: "member" });
      const session = parseObject((await accept(token, email, "a long password")).text)
        .token as string;
      const { id } = (await peopleOf(session)).find((one) => one.email === email)!;
      assert.equal((await ask(ada, "DELETE", `people?id=${id}`)).status, 204);
      await refusedV1(ask(session, "GET", "people"), 401, "unauthorized");
      await refusedV1(ask(session, "GET", "sessions"), 401, "unauthorized");
      const events = observed(system, { path: "/api/v2/auth/status", credential: session });
      assert.equal((await events).status, 401);
    });

    test("the audit log is the organization's own, newest first", async () => {
      const [ada, rita] = [await signIn(system, "ada"), await signIn(system, "rita")];
      const read = async (credential: string, query = ""): Promise<JsonObject[]> =>
        parseObject((await ask(credential, "GET", `audit${query}`)).text).events as JsonObject[];
      const events = await read(ada);
      const actions = new Set(events.map(({ action }) => action));
      for (const action of [
        "membership.created",
        "session.created",
        "apiKey.created",
        "invitation.accepted",
      ]) {
        assert.ok(actions.has(action), [...actions].join(" "));
      }
      const theirs = new Set((await read(rita)).map(({ id }) => id));
      assert.ok(!events.some(({ id }) => theirs.has(id)));
      const [newest] = events;
      assert.deepEqual((await read(ada, `?before=${newest?.id as string}`))[0], events[1]);
    });
  },
  { alone: true },
);

topic(
  "secrets at rest",
  (system) => {
    test("T19: no secret is in the log, and none in the database", async () => {
      const ada = await signIn(system, "ada");
      const ask = (path: string, body: JsonObject): Promise<HttpReply> =>
        observed(system, { path: `/api/v1/${path}`, credential: ada, body });
      const { link } = parseObject((await ask("invitations", { role: "member" })).text);
      const invitation = new URL(link as string).searchParams.get("token")!;
      const access = await signInCommandLine(system, "bo", "acme");
      const { secret } = parseObject((await ask("api-keys", { name: "hidden" })).text);
      const { token } = await system.acme.open();
      const passwords = Object.values(people).map(({ password }) => password);
      const secrets = [
        ada,
        invitation,
        access,
        secret as string,
        token,
        organizations.acme.key,
        ...passwords,
      ];
      const { dataDirectory, errors, output } = system.service;
      const files = readdirSync(dataDirectory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
      assert.ok(
        files.some((text) => text.includes(people.ada.email)),
        "this is where people are",
      );
      for (const text of [...files, errors, output]) {
        for (const secret of secrets) assert.ok(!text.includes(secret), secret.slice(0, 6));
      }
    });
  },
  { backends: ["sqlite"], flags: ["--log-level", "debug"] },
);
