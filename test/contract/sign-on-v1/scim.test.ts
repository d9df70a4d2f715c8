import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { AuditReply, Person, ScimTokenReply, SetSignOnBody } from "@lossless/protocol";
import { type HttpReply, ok, parseObject } from "../../http.ts";
import { people as known } from "../../service.ts";
import { IdentityProvider } from "../../sign-on/identity-provider.ts";
import { setSignOn, signOnBody } from "../../sign-on/sign-on-calls.ts";
import { observed } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

topic(
  "users and groups by SCIM",
  (system) => {
    let owner: string;
    let rita: string;
    let token: string;
    before(async () => {
      [owner, rita] = [await signIn(system, "ada"), await signIn(system, "rita")];
      await using provider = await IdentityProvider.start([`${system.baseUrl}/`]);
      const roles: SetSignOnBody["roles"] = [
        { group: "ml", role: "member" },
        { group: "leads", role: "admin" },
        { group: "readers", role: "viewer" },
        { group: "object-id-of-entra", role: "admin" },
      ];
      const more = { roles, defaultRole: null };
      await refusedV1(v1(owner, "POST", "/api/sign-on/v1/scim"), 409, "conflict");
      await setSignOn(system, owner, signOnBody(provider.issuer, more));
      await setSignOn(system, rita, signOnBody(provider.issuer, { roles, defaultRole: "member" }));
      token = await newToken(owner);
    });

    const v1 = (credential: string, method: string, path: string, body?: unknown) =>
      observed(system, { method, path, credential, body });
    async function newToken(credential: string): Promise<string> {
      const reply = await v1(credential, "POST", "/api/sign-on/v1/scim");
      const { secret, scim } = ok<ScimTokenReply>(reply, 201);
      assert.match(secret, /^sc_\w{38}$/);
      assert.equal(scim.address, `${system.baseUrl}/scim/v2`);
      return secret;
    }
    const headers = { "content-type": "application/scim+json; charset=utf-8" };
    const ask = (method: string, path: string, body?: unknown, credential = token) =>
      observed(system, {
        method,
        path: `/scim/v2${path}`,
        credential,
        body,
        ...(body !== undefined && { headers }),
      });
    async function answered(reply: HttpReply | Promise<HttpReply>, status: number) {
      const received = await reply;
      assert.equal(received.status, status, received.text);
      if (status === 204) return {};
      assert.match(String(received.headers["content-type"]), /^application\/scim\+json/);
      return parseObject(received.text);
    }
    async function refused(reply: Promise<HttpReply>, status: number, scimType?: string) {
      const body = await answered(reply, status);
      assert.equal(body.status, String(status));
      assert.deepEqual(body.schemas, ["urn:ietf:params:scim:api:messages:2.0:Error"]);
      assert.equal(body.scimType, scimType, JSON.stringify(body));
    }
    const patch = (path: string, ...Operations: object[]) =>
      ask("PATCH", path, { schemas: [patchSchema], Operations });
    const found = (kind: string, filter: string, more = "") =>
      ask("GET", `/${kind}?filter=${encodeURIComponent(filter)}${more}`);
    async function people(credential = owner): Promise<Person[]> {
      return parseObject<{ people: Person[] }>((await v1(credential, "GET", "/api/v1/people")).text)
        .people;
    }
    const roleOf = async (email: string) =>
      (await people()).find((person) => person.email === email)?.role;
    async function user(email: string, more: object = {}): Promise<string> {
      const body = { schemas: [userSchema], userName: email, active: true, ...more };
      return (await answered(ask("POST", "/Users", body), 201)).id as string;
    }
    async function group(displayName: string, members: string[] = [], more = {}): Promise<string> {
      const body = {
        schemas: [groupSchema],
        displayName,
        members: members.map((value) => ({ value })),
        ...more,
      };
      return (await answered(ask("POST", "/Groups", body), 201)).id as string;
    }

    test("as Okta: looked for, made, pushed with a group, deactivated, and back", async () => {
      const none = await answered(
        found("Users", 'userName eq "okta@acme.test"', "&startIndex=1&count=100"),
        200,
      );
      assert.deepEqual([none.totalResults, none.Resources], [0, []]);
      const made = await answered(
        ask("POST", "/Users", {
          schemas: [userSchema],
          userName: "okta@acme.test",
          name: { givenName: "Test", familyName: "User" },
          emails: [{ primary: true, value: "okta@acme.test", type: "work" }],
          displayName: "Test User",
          locale: "en-US",
          externalId: "00ujl29u0le5T6Aj10h7",
          groups: [],
          password: "1mz050nq",
          active: true,
        }),
        201,
      );
      const id = made.id as string;
      assert.ok(!JSON.stringify(made).includes("1mz050nq"));
      assert.equal(
        (made.meta as { location: string }).location,
        `${system.baseUrl}/scim/v2/Users/${id}`,
      );
      assert.equal(await roleOf("okta@acme.test"), undefined);
      const ml = await group("ml", [id]);
      assert.equal(await roleOf("okta@acme.test"), "member");
      await answered(patch(`/Users/${id}`, { op: "replace", value: { active: false } }), 200);
      assert.equal(await roleOf("okta@acme.test"), undefined);
      const { active, ...fields } = await answered(ask("GET", `/Users/${id}`), 200);
      assert.equal(active, false);
      await answered(ask("PUT", `/Users/${id}`, { ...fields, active: true }), 200);
      assert.equal(await roleOf("okta@acme.test"), "member");
      await answered(
        patch(`/Groups/${ml}`, { op: "replace", value: { id: ml, displayName: "leads" } }),
        204,
      );
      assert.equal(await roleOf("okta@acme.test"), "admin");
      await answered(
        patch(`/Groups/${ml}`, { op: "remove", path: `members[value eq "${id}"]` }),
        204,
      );
      assert.equal(await roleOf("okta@acme.test"), undefined);
      await answered(ask("DELETE", `/Groups/${ml}`), 204);
      await answered(ask("DELETE", `/Users/${id}`), 204);
      await refused(ask("GET", `/Users/${id}`), 404);
    });

    test("as Entra: operations in any case, texts for flags, paths, members with values", async () => {
      const id = await user("entra@acme.test", {
        externalId: "entra-1",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "x" },
        emails: [{ primary: true, type: "work", value: "Mail@acme.test" }],
      });
      const listed = await answered(found("Users", 'externalId eq "entra-1"'), 200);
      assert.equal(listed.totalResults, 1);
      const gid = await group("Entra leads", [], { externalId: "object-id-of-entra" });
      const members = [{ $ref: null, value: id }];
      await answered(patch(`/Groups/${gid}`, { op: "Add", path: "members", value: members }), 204);
      assert.equal(await roleOf("mail@acme.test"), "admin");
      const shown = await answered(
        found("Groups", 'displayName eq "entra LEADS"', "&excludedAttributes=members"),
        200,
      );
      assert.ok(!JSON.stringify(shown).includes(id));
      const whole = await answered(ask("GET", `/Groups/${gid}`), 200);
      assert.equal((whole.members as { value: string }[])[0].value, id);
      const changed = await answered(
        patch(
          `/Users/${id}`,
          { op: "Replace", path: 'emails[type eq "work"].value', value: "other@acme.test" },
          { op: "Add", path: "name.givenName", value: "Given" },
          { op: "Replace", value: { displayName: "Shown", "name.familyName": "Family" } },
        ),
        200,
      );
      assert.equal(changed.displayName, "Shown");
      assert.deepEqual(changed.name, { givenName: "Given", familyName: "Family" });
      // An address of there changes nobody's here.
      assert.equal(await roleOf("mail@acme.test"), "admin");
      await answered(patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" }), 200);
      assert.equal(await roleOf("mail@acme.test"), undefined);
      await answered(patch(`/Users/${id}`, { op: "Replace", path: "active", value: "True" }), 200);
      assert.equal(await roleOf("mail@acme.test"), "admin");
      await answered(
        patch(`/Groups/${gid}`, { op: "Remove", path: "members", value: [{ value: id }] }),
        204,
      );
      assert.equal(await roleOf("mail@acme.test"), undefined);
    });

    test("deactivation ends sessions and tokens of a member who was there before", async () => {
      const max = await signIn(system, "max");
      const made = await v1(max, "POST", "/api/sign-on/v1/tokens", {
        name: "a job",
        scope: "write",
        days: 30,
      });
      const { secret } = parseObject<{ secret: string }>(made.text);
      const id = await user("max@acme.test");
      assert.equal(await roleOf("max@acme.test"), "member");
      assert.equal((await v1(secret, "GET", "/api/v1/whoami")).status, 200);
      await answered(patch(`/Users/${id}`, { op: "replace", path: "active", value: false }), 200);
      await refusedV1(v1(secret, "GET", "/api/v1/whoami"), 401, "unauthorized");
      await refusedV1(v1(max, "GET", "/api/v1/sessions"), 401, "unauthorized");
    });

    test("a group of viewers: who is moved there reads, and their tokens and guest links with them", async () => {
      const email = "reader@acme.test";
      const invited = await v1(owner, "POST", "/api/v1/invitations", { role: "member", email });
      const token = new URL(ok(invited, 201).link as string).searchParams.get("token");
      const accepted = { token, email, password: "a long password" };
      const joined = await v1(owner, "POST", "/api/v1/invitations/accept", accepted);
      const session = ok(joined, 201).token as string;
      const id = await user(email);
      const ml = await group("ml", [id]);
      assert.equal(await roleOf(email), "member");
      const { experimentId } = await system.acme.open();
      const made = { name: "a job", scope: "role", days: 1 };
      const { secret } = ok(await v1(session, "POST", "/api/sign-on/v1/tokens", made), 201);
      const link = { name: "a link", days: 1, experimentIds: [experimentId] };
      const shared = await v1(session, "POST", "/api/guests/v1/links", link);
      const guest = new URL(ok(shared, 201).address as string).hash.slice(1);
      const visit = () => v1(guest, "GET", "/api/guests/v1/visit");
      ok(await visit());
      const readers = await group("readers", [id]);
      assert.equal(await roleOf(email), "member");
      const leave = { op: "remove", path: `members[value eq "${id}"]` };
      await answered(patch(`/Groups/${ml}`, leave), 204);
      assert.equal(await roleOf(email), "viewer");
      await refusedV1(visit(), 401, "unauthorized");
      const note = { experimentId, messageId: "note", annotation: "x" };
      for (const credential of [session, secret as string]) {
        const read = { query: `id = ${experimentId}`, limit: 1 };
        ok(await v1(credential, "POST", "/api/views/v1/experiments", read));
        const written = v1(credential, "POST", "/api/views/v1/annotations", note);
        assert.match(await refusedV1(written, 403, "forbidden"), /yours is viewer/);
        await refusedV1(v1(credential, "POST", "/api/guests/v1/links", link), 403, "forbidden");
      }
      await answered(patch(`/Groups/${readers}`, leave), 204);
      await refusedV1(v1(session, "GET", "/api/v1/sessions"), 401, "unauthorized");
      for (const gone of [ml, readers]) await answered(ask("DELETE", `/Groups/${gone}`), 204);
    });

    test("the last owner with a password stays, whatever the provider says", async () => {
      const id = await user("ada@acme.test");
      await refused(patch(`/Users/${id}`, { op: "replace", value: { active: false } }), 409);
      await refused(ask("DELETE", `/Users/${id}`), 409);
      const demoting = await group("ml", [id]);
      assert.equal(await roleOf("ada@acme.test"), "owner");
      await answered(ask("PUT", `/Groups/${demoting}`, { displayName: "ml", members: [] }), 200);
      assert.equal(await roleOf("ada@acme.test"), "owner");
    });

    test("a person of elsewhere is neither found nor taken over", async () => {
      const rival = await newToken(rita);
      const id = await user("shared@acme.test");
      await refused(ask("GET", `/Users/${id}`, undefined, rival), 404);
      await refused(ask("DELETE", `/Users/${id}`, undefined, rival), 404);
      const list = await answered(ask("GET", "/Users", undefined, rival), 200);
      assert.equal(list.totalResults, 0);
      // Rival's provider says that it has acme's owner: another person, of no password.
      const before = (await people()).find(({ email }) => email === "ada@acme.test");
      const made = await answered(
        ask("POST", "/Users", { userName: "ada@acme.test", active: true }, rival),
        201,
      );
      const theirs = (await people(rita)).find(({ email }) => email === "ada@acme.test");
      assert.ok(theirs !== undefined && theirs.id !== before?.id);
      await answered(ask("DELETE", `/Users/${String(made.id)}`, undefined, rival), 204);
      assert.equal(await roleOf("ada@acme.test"), "owner");
      assert.equal((await v1(owner, "GET", "/api/v1/sessions")).status, 200);
      const gid = await group("of acme");
      const member = { members: [{ value: id }], displayName: "x" };
      await refused(ask("POST", "/Groups", member, rival), 400, "invalidValue");
      await refused(ask("PUT", `/Groups/${gid}`, member, rival), 404);
    });

    test("a page of groups has the members of each", async () => {
      const [one, other] = [await user("page-1@acme.test"), await user("page-2@acme.test")];
      const ids = [
        await group("page a", [one]),
        await group("page b"),
        await group("page c", [other, one]),
      ];
      const { Resources } = await answered(ask("GET", "/Groups"), 200);
      const all = Resources as { id: string; members: { value: string }[] }[];
      const membersOf = (id: string) =>
        all.find((found) => found.id === id)!.members.map(({ value }) => value);
      assert.deepEqual(ids.map(membersOf), [[one], [], [one, other]]);
    });

    test("what is wrong is told as RFC 7644 has it", async () => {
      const id = await user("twice@acme.test");
      const again = { userName: "Twice@Acme.test" };
      await refused(ask("POST", "/Users", again), 409, "uniqueness");
      await group("same");
      await refused(ask("POST", "/Groups", { displayName: "Same" }), 409, "uniqueness");
      await refused(ask("POST", "/Users", { userName: "a@other.test" }), 400, "invalidValue");
      await refused(ask("POST", "/Users", { userName: "nobody" }), 400, "invalidValue");
      await refused(ask("POST", "/Users", {}), 400, "invalidValue");
      await refused(ask("POST", "/Users", "{"), 400, "invalidSyntax");
      await refused(found("Users", 'userName co "a"'), 400, "invalidFilter");
      await refused(found("Groups", 'a eq "b" and c eq "d"'), 400, "invalidFilter");
      await refused(patch(`/Users/${id}`, { op: "move", path: "x" }), 400, "invalidSyntax");
      await refused(patch(`/Users/${id}`, { op: "remove" }), 400, "noTarget");
      await refused(ask("GET", "/Nothing"), 404);
      const page = await answered(ask("GET", "/Users?startIndex=2&count=1"), 200);
      assert.deepEqual([page.startIndex, page.itemsPerPage], [2, 1]);
      for (const path of ["/ServiceProviderConfig", "/ResourceTypes", "/Schemas"])
        await answered(ask("GET", path), 200);
      await answered(ask("GET", "/ResourceTypes/User"), 200);
      await answered(ask("GET", `/Schemas/${groupSchema}`), 200);
    });

    test("an erased person's user is forgotten, and may be sent anew as somebody else", async () => {
      const listed = await answered(found("Users", 'userName eq "max@acme.test"'), 200);
      const [{ id }] = listed.Resources as { id: string }[];
      await answered(patch(`/Users/${id}`, { op: "replace", value: { active: true } }), 200);
      const ml = await group("ml erased", [id], { externalId: "ml" });
      assert.equal(await roleOf("max@acme.test"), "member");
      const session = await signIn(system, "max");
      const { email, password } = known.max;
      const erased = await v1(session, "POST", "/api/v1/account/erase", { email, password });
      assert.equal(erased.status, 204, erased.text);
      await refused(ask("GET", `/Users/${id}`), 404);
      assert.deepEqual((await answered(ask("GET", `/Groups/${ml}`), 200)).members ?? [], []);
      const log = await v1(owner, "GET", "/api/v1/audit");
      assert.ok(!log.text.includes(email), log.text);
      assert.notEqual(await user(email), id);
      await answered(ask("DELETE", `/Groups/${ml}`), 204);
    });

    test("an owner makes, rotates and ends the token, which is for SCIM alone", async () => {
      await refusedV1(v1(token, "GET", "/api/v1/whoami"), 401, "unauthorized");
      await refused(ask("GET", "/Users", undefined, owner), 401);
      const old = token;
      token = await newToken(owner);
      await refused(ask("GET", "/Users", undefined, old), 401);
      const { events } = parseObject<AuditReply>((await v1(owner, "GET", "/api/v1/audit")).text);
      for (const action of ["scim.tokenMade", "scim.userCreated", "scim.userDeactivated"])
        assert.ok(
          events.some((one) => one.action === action),
          action,
        );
      assert.equal((await v1(owner, "DELETE", "/api/sign-on/v1/scim")).status, 204);
      await refused(ask("GET", "/Users"), 401);
      await refusedV1(v1(owner, "DELETE", "/api/sign-on/v1/scim"), 404, "not_found");
    });
  },
  { alone: true, allowPrivate: ["127.0.0.0/8"] },
);
