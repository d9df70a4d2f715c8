import assert from "node:assert/strict";
import { before, test } from "node:test";
import type {
  AuditReply,
  CreateTokenBody,
  CreateTokenReply,
  PersonalToken,
  PersonalTokensReply,
  ServiceAccount,
} from "@lossless/protocol";
import { type HttpReply, ok, parseObject } from "../../http.ts";
import { event, observed, uniqueName } from "../callers.ts";
import { refusedV1, signIn, signInCommandLine } from "../people.ts";
import { topic } from "../topic.ts";

topic(
  "personal tokens and service accounts",
  (system) => {
    let ada: string;
    let max: string;
    let rita: string;
    before(async () => {
      [ada, max, rita] = [
        await signIn(system, "ada"),
        await signIn(system, "max"),
        await signIn(system, "rita"),
      ];
    });

    const path = "/api/sign-on/v1/tokens";
    const ask = (credential: string, method: string, at: string, body?: unknown) =>
      observed(system, { method, path: at, credential, body });
    const post = (credential: string, more: Partial<CreateTokenBody> = {}) =>
      ask(credential, "POST", path, { name: "a job", scope: "write", days: 30, ...more });
    async function make(
      credential: string,
      more: Partial<CreateTokenBody> = {},
    ): Promise<CreateTokenReply> {
      return ok<CreateTokenReply>(await post(credential, more), 201);
    }
    async function list(credential: string, query = ""): Promise<PersonalToken[]> {
      return ok<PersonalTokensReply>(await ask(credential, "GET", path + query)).tokens;
    }
    const idOf = async (credential: string) =>
      (
        parseObject((await ask(credential, "GET", "/api/v1/sessions")).text).person as {
          id: string;
        }
      ).id;
    const account = async (credential: string, body: object): Promise<HttpReply> =>
      ask(credential, "POST", "/api/sign-on/v1/service-accounts", body);
    const open = (credential: string) =>
      ask(credential, "POST", "/api/v2/events", [
        event("experiment.open", { slug: uniqueName("token"), description: "", meta: {} }),
      ]);
    const read = (credential: string) =>
      ask(credential, "POST", "/api/v2/events", [event("foldertree.read", {})]);

    test("a member makes one, which acts for them; it is shown once, listed, used, and revoked", async () => {
      const { token, secret } = await make(max);
      assert.match(secret, /^pt_[0-9A-Za-z]{38}$/);
      assert.equal(token.person, await idOf(max));
      assert.equal(token.owner, "max@acme.test");
      const days = (Date.parse(token.expires!) - Date.parse(token.created)) / 86_400_000;
      assert.equal(days, 30);
      const who = await ask(secret, "GET", "/api/v1/whoami");
      const { userId, credential } = parseObject(who.text);
      assert.deepEqual([userId, credential], [token.person, "oauth"]);
      assert.equal((await open(secret)).status, 200);
      const listed = await list(max);
      assert.ok(listed.some(({ id }) => id === token.id));
      assert.ok(!JSON.stringify(listed).includes(secret.slice(3)));
      assert.equal((await ask(max, "DELETE", `${path}?id=${token.id}`)).status, 204);
      await refusedV1(ask(secret, "GET", "/api/v1/whoami"), 401, "unauthorized");
      await refusedV1(ask(max, "DELETE", `${path}?id=${token.id}`), 404, "not_found");
    });

    test("read reads alone, write does what an API key may, role what the member may", async () => {
      const [reads, writes, all] = [
        (await make(ada, { scope: "read" })).secret,
        (await make(ada, { scope: "write" })).secret,
        (await make(ada, { scope: "role" })).secret,
      ];
      for (const secret of [reads, writes, all]) assert.equal((await read(secret)).status, 200);
      assert.deepEqual(
        await Promise.all([reads, writes, all].map(async (one) => (await open(one)).status)),
        [401, 200, 200],
      );
      const table = { query: "", columns: [], limit: 1 };
      const queried = await ask(reads, "POST", "/api/views/v1/experiments", table);
      assert.ok(![401, 403].includes(queried.status), queried.text);
      const open1 = "/api/v1/artifacts/open?artifact=x/y";
      const place = { cloud: "", region: "", source: "" };
      await refusedV1(ask(reads, "POST", open1, { mode: "new", place }), 403, "forbidden");
      assert.equal((await ask(writes, "POST", open1, { mode: "new", place })).status, 200);
      const key = { name: "made by a token" };
      await refusedV1(ask(writes, "POST", "/api/v1/api-keys", key), 403, "forbidden");
      assert.equal((await ask(all, "POST", "/api/v1/api-keys", key)).status, 201);
      await refusedV1(ask(reads, "GET", "/api/v1/audit"), 403, "forbidden");
    });

    test("never more than the member's role of the moment, and no other organization", async () => {
      const bo = await signInCommandLine(system, "bo", "acme");
      const headers = { "x-svc-organization": "acme" };
      const body = { name: "bo's", scope: "role", days: null };
      const made = await observed(system, { method: "POST", path, credential: bo, headers, body });
      const { secret, token } = ok<CreateTokenReply>(made, 201);
      assert.equal(token.expires, null);
      const audit = () => ask(secret, "GET", "/api/v1/audit");
      assert.equal((await audit()).status, 200);
      const rival = { path: "/api/v1/whoami", credential: secret };
      await refusedV1(
        observed(system, { ...rival, headers: { "x-svc-organization": "rival" } }),
        403,
        "forbidden",
      );
      const mine = await ask(secret, "GET", "/api/v1/organizations");
      assert.doesNotMatch(mine.text, /rival/);
      const role = (name: string) =>
        ask(ada, "PATCH", `/api/v1/people?id=${token.person}`, { role: name });
      assert.equal((await role("member")).status, 200);
      await refusedV1(audit(), 403, "forbidden");
      assert.equal((await role("admin")).status, 200);
      assert.equal((await audit()).status, 200);
    });

    test("a token makes no tokens and changes no password, an API key makes none either", async () => {
      const { secret } = await make(ada, { scope: "role" });
      await refusedV1(post(secret), 403, "forbidden");
      await refusedV1(post(system.acme.credential), 403, "forbidden");
      const password = { current: "x", password: "another long password" };
      await refusedV1(ask(secret, "PUT", "/api/v1/password", password), 403, "forbidden");
      await refusedV1(ask(secret, "GET", "/api/v1/sign-ins"), 403, "forbidden");
    });

    test("others' tokens are seen and ended by admins, and by nobody of elsewhere", async () => {
      const { token } = await make(max);
      await refusedV1(ask(max, "GET", `${path}?of=all`), 403, "forbidden");
      assert.ok((await list(ada, "?of=all")).some(({ id }) => id === token.id));
      assert.ok(!(await list(ada)).some(({ id }) => id === token.id));
      assert.ok(!(await list(rita, "?of=all")).some(({ id }) => id === token.id));
      const at = `${path}?id=${token.id}`;
      await refusedV1(ask(rita, "DELETE", at), 404, "not_found");
      const adas = (await make(ada)).token;
      await refusedV1(ask(max, "DELETE", `${path}?id=${adas.id}`), 404, "not_found");
      assert.equal((await ask(ada, "DELETE", at)).status, 204);
    });

    test("a service account is a member with tokens, by an admin's hand, never an owner", async () => {
      await refusedV1(account(max, { name: "ci", role: "member" }), 403, "forbidden");
      const { id } = ok<ServiceAccount>(await account(ada, { name: "ci", role: "member" }), 201);
      await refusedV1(account(ada, { name: "ci", role: "member" }), 409, "conflict");
      await refusedV1(account(ada, { name: "CI", role: "member" }), 400, "bad_request");
      await refusedV1(account(ada, { name: "boss", role: "owner" }), 400, "bad_request");
      assert.equal((await account(rita, { name: "ci", role: "admin" })).status, 201);
      await refusedV1(post(max, { account: id }), 403, "forbidden");
      await refusedV1(post(rita, { account: id }), 404, "not_found");
      await refusedV1(post(ada, { account: await idOf(max) }), 404, "not_found");
      const { secret, token } = await make(ada, { account: id, scope: "role" });
      assert.deepEqual([token.person, token.owner], [id, "ci"]);
      assert.equal((await open(secret)).status, 200);
      const owner = ask(ada, "PATCH", `/api/v1/people?id=${id}`, { role: "owner" });
      await refusedV1(owner, 409, "conflict");
      const sessions = { email: "ci", password: "a long password" };
      await refusedV1(ask("", "POST", "/api/v1/sessions", sessions), 401, "unauthorized");
      const events = parseObject<AuditReply>((await ask(ada, "GET", "/api/v1/audit")).text).events;
      for (const action of ["serviceAccount.created", "token.created", "token.revoked"])
        assert.ok(
          events.some((one) => one.action === action),
          action,
        );
      assert.equal((await ask(ada, "DELETE", `/api/v1/people?id=${id}`)).status, 204);
      await refusedV1(ask(secret, "GET", "/api/v1/whoami"), 401, "unauthorized");
    });

    test("with the membership end sessions, command lines and tokens, wherever they are used", async () => {
      const { link } = parseObject(
        (await ask(ada, "POST", "/api/v1/invitations", { role: "member" })).text,
      );
      const email = "leaver@acme.test";
      const password = "a long password";
      const token = new URL(link as string).searchParams.get("token");
      const joined = await ask("", "POST", "/api/v1/invitations/accept", {
        token,
        email,
        password,
      });
      const session = parseObject(joined.text).token as string;
      const { secret, token: made } = await make(session);
      assert.equal((await open(secret)).status, 200);
      const removal = ask(ada, "DELETE", `/api/v1/people?id=${made.person}`);
      assert.equal((await removal).status, 204);
      await refusedV1(ask(secret, "GET", "/api/v1/whoami"), 401, "unauthorized");
      await refusedV1(ask(session, "GET", "/api/v1/sessions"), 401, "unauthorized");
      assert.equal((await open(secret)).status, 401);
      // Who comes back has none of what was theirs.
      const again = parseObject(
        (await ask(ada, "POST", "/api/v1/invitations", { role: "member", email })).text,
      );
      const second = new URL(again.link as string).searchParams.get("token");
      const body = { token: second, email, password };
      assert.equal((await ask("", "POST", "/api/v1/invitations/accept", body)).status, 201);
      await refusedV1(ask(secret, "GET", "/api/v1/whoami"), 401, "unauthorized");
    });

    test("what is malformed makes no token", async () => {
      for (const more of [{ name: "" }, { days: 0 }, { days: 4_000 }, { scope: "admin" as never }])
        await refusedV1(post(max, more), 400, "bad_request");
    });
  },
  { alone: true },
);
