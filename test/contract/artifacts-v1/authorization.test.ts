import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type EndpointDefinition, endpoints, v1Errors, v2Errors } from "@lossless/protocol";
import { type HttpReply, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { observed, requestError } from "../callers.ts";
import { signIn, signInCommandLine, v1Error } from "../people.ts";
import { topic } from "../topic.ts";

/** A credential is one of these to an endpoint. `passes`: what is asked is judged, not who asks. */
type Verdict = "passes" | 400 | 401 | 403;

interface Shown {
  headers: Record<string, string>;
  verdict: (row: EndpointDefinition) => Verdict;
}

const rows = Object.entries<EndpointDefinition>(endpoints);
const rank = ["owner", "admin", "member"] as const;

/** v2 knows no other refusal (M11). */
function refusal(row: EndpointDefinition, status: 400 | 403): Verdict {
  return row.errorForm === v2Errors ? 401 : status;
}

function ofPerson(role: (typeof rank)[number]) {
  return (row: EndpointDefinition): Verdict => {
    const isEnough = row.role === undefined || rank.indexOf(role) <= rank.indexOf(row.role);
    return isEnough ? "passes" : refusal(row, 403);
  };
}

function unlessPersonal(status: 400 | 403) {
  return (row: EndpointDefinition): Verdict => (row.personal ? "passes" : refusal(row, status));
}

/** The part of the verdict that needs no look at the credential itself. */
function verdictOf(
  row: EndpointDefinition,
  kind: EndpointDefinition["credentials"][number] | undefined,
  otherwise: Shown["verdict"],
): Verdict {
  if (row.credentials.includes("signature")) return 403;
  if (row.credentials.length === 0) return "passes";
  if (kind === undefined) return 401;
  if (row.credentials.includes(kind)) return otherwise(row);
  const needsPerson = row.errorForm === v1Errors && row.credentials.includes("session");
  return needsPerson && kind !== "experiment_token" ? 403 : 401;
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
      const removed = await removedPerson(owner);
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
      for (const [name, headers] of Object.entries(nobody)) {
        credentials.set(name, { headers, verdict: (row) => verdictOf(row, undefined, () => 401) });
      }
      const add = (
        name: string,
        kind: EndpointDefinition["credentials"][number],
        headers: Record<string, string>,
        verdict: Shown["verdict"],
      ): void => {
        credentials.set(name, { headers, verdict: (row) => verdictOf(row, kind, verdict) });
      };
      const ofKey: Shown["verdict"] = (row) =>
        row.role === undefined ? "passes" : refusal(row, 403);
      add("a key of acme", "api_key", bearer(acme.key), ofKey);
      add("a key of acme that names it", "api_key", bearer(acme.key, "acme"), ofKey);
      add("a key of rival", "api_key", bearer(rival.key), ofKey);
      const contradicts: Shown["verdict"] = (row) => refusal(row, 403);
      add("a key that names rival", "api_key", bearer(acme.key, "rival"), contradicts);
      add("an owner's session", "session", bearer(owner), ofPerson("owner"));
      add("a member's session", "session", bearer(member), ofPerson("member"));
      add("a session that names its own", "session", bearer(owner, "acme"), ofPerson("owner"));
      add("a session that names rival", "session", bearer(owner, "rival"), unlessPersonal(403));
      credentials.set("a removed person's session", {
        headers: bearer(removed),
        verdict: (row) => verdictOf(row, undefined, () => 401),
      });
      add("a token for acme", "oauth", bearer(access, "acme"), ofPerson("admin"));
      add("a token for rival", "oauth", bearer(access, "rival"), ofPerson("member"));
      add("a token for nobody", "oauth", bearer(access), unlessPersonal(400));
      add("a token for nowhere", "oauth", bearer(access, "nowhere"), unlessPersonal(403));
      add(
        "a token of the experiment",
        "experiment_token",
        bearer(experiment.token),
        () => "passes",
      );
    });

    /** Invited, signed in, and removed again. */
    async function removedPerson(owner: string): Promise<string> {
      const ask = (method: string, path: string, body?: unknown): Promise<HttpReply> =>
        observed(system, { method, path, body, credential: owner });
      const made = await ask("POST", "/api/v1/invitations", { role: "owner" });
      assert.equal(made.status, 201, made.text);
      const { link } = parseObject(made.text);
      const token = new URL(link as string).searchParams.get("token");
      const body = { token, email: "gone@acme.test", password: "a long password" };
      const joined = await ask("POST", "/api/v1/invitations/accept", body);
      assert.equal(joined.status, 201, joined.text);
      const people = await ask("GET", "/api/v1/people");
      const found = (parseObject(people.text).people as { id: string; email: string }[]).find(
        ({ email }) => email === body.email,
      );
      assert.equal((await ask("DELETE", `/api/v1/people?id=${found?.id}`)).status, 204);
      return parseObject(joined.text).token as string;
    }

    function send(row: EndpointDefinition, headers: Record<string, string>): Promise<HttpReply> {
      const path = row.path.replace(/\{(\w+)\}/g, (_, name) =>
        name === "experimentId" ? experimentId : "x",
      );
      return observed(system, { method: row.method, path, headers });
    }

    test("T01, T03, T14, T15: each credential is judged as the table of endpoints says", async () => {
      const refusals = new Set<string>();
      for (const [name, row] of rows) {
        for (const [shown, { headers, verdict }] of credentials) {
          const expected = verdict(row);
          // A session that may sign out does: that has a test of its own.
          if (name === "endSession" && expected === "passes") continue;
          const reply = await send(row, headers);
          const where = `${name} with ${shown}: ${reply.status} ${reply.text.slice(0, 300)}`;
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
  { flags: ["--auth-failure-limit", "100000"] },
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
  const { error, message } = v1Error(reply);
  return { code: error, message };
}
