import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type EndpointDefinition, endpoints, v1Errors, v2Errors } from "@lossless/protocol";
import { tried } from "../../every-case.ts";
import { type HttpReply, type JsonObject, ok, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { IdentityProvider } from "../../sign-on/identity-provider.ts";
import { setSignOn, signOnBody } from "../../sign-on/sign-on-calls.ts";
import { observed, requestError } from "../callers.ts";
import { signIn, signInCommandLine, v1Error } from "../people.ts";
import { type Backend, topic } from "../topic.ts";
import { type CallerName, whoMay } from "./who-may.ts";

interface Shown {
  headers: Record<string, string>;
  /** Whom the table means. */
  as: CallerName;
  /** The answer where the table lets them pass, if it is another: they name an organization. */
  otherwise?: 400 | 403;
}

const rows = Object.entries<EndpointDefinition>(endpoints);
const table = whoMay();
/** They end credentials that are shown here; each has tests of its own. */
const ending = new Set(["endSession", "removeSignOn", "createScimToken", "endScim"]);

/** The operation's answer to `shown`. */
function verdictOf(
  name: string,
  row: EndpointDefinition,
  shown: Shown,
): "passes" | 400 | 401 | 403 {
  const answer = table.get(name)![shown.as];
  if (answer !== "+") return answer === "1" ? 401 : 403;
  if (shown.otherwise === undefined || row.credentials.length === 0) return "passes";
  if (row.personal || row.credentials.includes("scim")) return "passes";
  // v2 and MLflow's clients know no other refusal (M11).
  return row.errors.includes(shown.otherwise === 400 ? "bad_request" : "forbidden")
    ? shown.otherwise
    : 401;
}

// More refusals than one address may have in a minute.
topic(
  "authorization of every endpoint",
  (system) => {
    const credentials = new Map<string, Shown>();
    let experimentId = "";

    before(async () => {
      const { acme, rival } = organizations;
      const experiment = await system.acme.open();
      ({ experimentId } = experiment);
      const owner = await signIn(system, "ada");
      const member = await signIn(system, "max");
      const access = await signInCommandLine(system, "bo", "acme");
      const removed = (await joined(owner, "gone@acme.test", "owner")).session;
      await removeFromAcme(owner, "gone@acme.test");
      const bearer = (secret: string, organization?: string): Record<string, string> => ({
        authorization: `Bearer ${secret}`,
        ...(organization === undefined ? {} : { "x-svc-organization": organization }),
      });
      const nobody: Record<string, Record<string, string>> = {
        "no credential": {},
        "an empty header": { authorization: "" },
        "a scheme alone": { authorization: "Bearer" },
        "a wrong scheme": { authorization: `Digest ${btoa(`x:${acme.key}`)}` },
        "no scheme": { authorization: acme.key },
        "an unknown key": bearer(`ak_${"x".repeat(44)}`),
        "a tampered session": bearer(`${owner.slice(0, -1)}${owner.endsWith("a") ? "b" : "a"}`),
        "two words": bearer(`${acme.key} x`),
        "a key in a cookie": { cookie: `lossless_session=${acme.key}` },
        "a key in another header": { "x-api-key": acme.key },
        "a useless header before a cookie": {
          authorization: "Bearer x",
          cookie: `lossless_session=${owner}`,
        },
      };
      for (const [name, headers] of Object.entries(nobody)) show(name, "nobody", headers);
      show("a key of acme", "key", bearer(acme.key));
      show("a key of acme that names it", "key", bearer(acme.key, "acme"));
      show("a key of rival", "key", bearer(rival.key));
      show("a key that names rival", "key", bearer(acme.key, "rival"), 403);
      show("an owner's session", "owner", bearer(owner));
      show("a member's session", "member", bearer(member));
      show("an admin's session", "admin", bearer(await signIn(system, "bo", "acme")));
      show("a session that names its own", "owner", bearer(owner, "acme"));
      show("a session that names rival", "owner", bearer(owner, "rival"), 403);
      show("a removed person's session", "nobody", bearer(removed));
      const ofMember = await signInCommandLine(system, "max", "acme");
      show("a member's command line", "member at the command line", bearer(ofMember, "acme"));
      const ofOwner = await signInCommandLine(system, "ada", "acme");
      show("an owner's command line", "owner at the command line", bearer(ofOwner, "acme"));
      show("a command line for rival", "member at the command line", bearer(access, "rival"));
      show("a command line for nobody", "owner at the command line", bearer(ofOwner), 400);
      show(
        "a command line for nowhere",
        "owner at the command line",
        bearer(ofOwner, "nowhere"),
        403,
      );
      const tokens = { read: "to read", write: "to write", role: "of the role" } as const;
      for (const [scope, of] of Object.entries(tokens)) {
        const secret = await personalToken(owner, scope);
        show(`a token ${of}`, `owner's token ${of}`, bearer(secret));
      }
      const ofRole = await personalToken(member, "role");
      show("a member's token", "member's token of the role", bearer(ofRole));
      const viewer = await becomesViewer(owner);
      show("a viewer's session", "viewer", bearer(viewer.session));
      show("a token from before", "viewer's token of the role", bearer(viewer.ofRole));
      const reading = await personalToken(viewer.session, "read");
      show("a viewer's own token", "viewer's token to read", bearer(reading));
      show("a token of the experiment", "token of the experiment", bearer(experiment.token));
      const sibling = await system.acme.open();
      show("a token of a sibling", "token of another experiment", bearer(sibling.token));
      const foreign = await system.rival.open();
      show("a token of elsewhere", "token of another experiment", bearer(foreign.token));
      show("a guest", "guest", bearer(await guestLink(owner)));
      show("an identity provider", "identity provider", bearer(await scimToken(owner)));
    });

    function show(
      name: string,
      as: CallerName,
      headers: Record<string, string>,
      otherwise?: 400 | 403,
    ): void {
      credentials.set(name, { headers, as, ...(otherwise !== undefined && { otherwise }) });
    }

    async function personalToken(credential: string, scope: string): Promise<string> {
      const body = { name: `to ${scope}`, scope, days: 1 };
      const path = "/api/sign-on/v1/tokens";
      const reply = await observed(system, { method: "POST", path, body, credential });
      return ok(reply, 201).secret as string;
    }

    async function scimToken(credential: string): Promise<string> {
      await using provider = await IdentityProvider.start([`${system.baseUrl}/`]);
      await setSignOn(system, credential, signOnBody(provider.issuer));
      const path = "/api/sign-on/v1/scim";
      return ok(await observed(system, { method: "POST", path, credential }), 201).secret as string;
    }

    const ask = (
      credential: string,
      method: string,
      path: string,
      body?: unknown,
    ): Promise<HttpReply> => observed(system, { method, path, body, credential });

    async function guestLink(owner: string): Promise<string> {
      const { experimentId: shared } = await system.acme.open();
      const body = { name: "x", experimentIds: [shared], days: 1, showsConsole: true };
      const path = "/api/guests/v1/links";
      const made = await ask(owner, "POST", path, { ...body, showsFiles: true });
      return new URL(ok(made, 201).address as string).hash.slice(1);
    }

    /** Somebody who is invited, and joins. */
    async function joined(owner: string, email: string, role: string) {
      const { link } = ok(await ask(owner, "POST", "/api/v1/invitations", { role }), 201);
      const token = new URL(link as string).searchParams.get("token");
      const body = { token, email, password: "a long password" };
      const reply = await ask(owner, "POST", "/api/v1/invitations/accept", body);
      return { session: ok(reply, 201).token as string };
    }

    async function idOf(owner: string, email: string): Promise<string> {
      const { people } = ok(await ask(owner, "GET", "/api/v1/people"));
      return (people as { id: string; email: string }[]).find((one) => one.email === email)!.id;
    }

    async function removeFromAcme(owner: string, email: string): Promise<void> {
      const path = `/api/v1/people?id=${await idOf(owner, email)}`;
      assert.equal((await ask(owner, "DELETE", path)).status, 204);
    }

    /** A member who made a token of the role, and has become a viewer since. */
    async function becomesViewer(owner: string): Promise<{ session: string; ofRole: string }> {
      const email = "eye@acme.test";
      const { session } = await joined(owner, email, "member");
      const ofRole = await personalToken(session, "role");
      const path = `/api/v1/people?id=${await idOf(owner, email)}`;
      ok(await ask(owner, "PATCH", path, { role: "viewer" }));
      return { session, ofRole };
    }

    function send(row: EndpointDefinition, headers: Record<string, string>): Promise<HttpReply> {
      const path = row.path.replace(/\{(\w+)\}/g, (_, name) =>
        name === "experimentId" ? experimentId : "x",
      );
      return observed(system, { method: row.method, path, headers });
    }

    test("each operation stands in the table, and each page", () => {
      assert.deepEqual([...table.keys()].sort(), rows.map(([name]) => name).sort());
    });

    test("T01, T03, T14, T15: each caller is answered as the table says", async () => {
      const refusals = new Set<string>();
      for (const [name, row] of rows) {
        for (const [who, shown] of credentials) {
          const expected = verdictOf(name, row, shown);
          if (expected === "passes" && ending.has(name)) continue;
          const reply = await send(row, shown.headers);
          const where = `${name} with ${who}: ${reply.status} ${reply.text.slice(0, 300)}`;
          const mayRefuseAll = row.path === "/readyz" || row.errors.includes("not_implemented");
          assert.ok(reply.status < 500 || mayRefuseAll, where);
          if (expected === "passes") {
            assert.ok(reply.status !== 401 && reply.status !== 403, where);
            continue;
          }
          assert.equal(reply.status, expected, where);
          if (row.credentials.includes("signature")) continue;
          const { code, message } = errorOf(row, reply);
          const codes = { 400: "bad_request", 401: "unauthorized", 403: "forbidden" } as const;
          const wanted = codes[expected];
          assert.equal(code, row.errorForm.codeOf?.(wanted) ?? wanted, where);
          if (expected !== 401) continue;
          const challenge = row.errorForm.challenge ?? "Bearer";
          assert.equal(reply.headers["www-authenticate"], challenge, where);
          if (row.errorForm === v1Errors) refusals.add(message);
        }
      }
      assert.equal(refusals.size, 1, [...refusals].join("\n"));
    });

    test("who may not is told so before the body is read", async () => {
      const { headers } = credentials.get("a member's session")!;
      for (const body of ["{", "", "null", "x".repeat(10_000)]) {
        const reply = await observed(system, {
          method: "POST",
          path: "/api/v1/api-keys",
          headers,
          body,
        });
        assert.equal(reply.status, 403, reply.text);
        assert.match(v1Error(reply).message, /\badmin\b.*\bmember\b/);
      }
    });
  },
  {
    // Who may do what is decided before a database is asked.
    backends: tried<Backend>(["sqlite", "postgres"], (one) => one === "sqlite"),
    flags: ["--auth-failure-limit", "100000"],
    allowPrivate: ["127.0.0.0/8"],
  },
);

function errorOf(row: EndpointDefinition, reply: HttpReply): { code: string; message: string } {
  if (row.errorForm === v2Errors) return requestError(reply);
  if (row.errorForm === endpoints.mlflowGetRun.errorForm) {
    const { error_code: code, message } = parseObject(reply.text);
    return { code: String(code), message: String(message) };
  }
  if (row.errorForm === endpoints.scimListUsers.errorForm) {
    const { status, detail } = parseObject(reply.text);
    return { code: status === "401" ? "unauthorized" : String(status), message: String(detail) };
  }
  if (row.errorForm === endpoints.mcp.errorForm) {
    const { data, message } = parseObject(reply.text).error as JsonObject;
    return { code: String((data as JsonObject).code), message: String(message) };
  }
  const { error, message } = v1Error(reply);
  return { code: error, message };
}
