import assert from "node:assert/strict";
import { test } from "node:test";
import type { CurrentSession, SignIn, SignInsReply } from "@lossless/protocol";
import { call, type HttpReply, ok, parseObject } from "../../http.ts";
import { organizations, people } from "../../service.ts";
import { observed } from "../callers.ts";
import { refusedV1, signIn, signInBrowser, signInCommandLine } from "../people.ts";
import { topic } from "../topic.ts";

topic(
  "sign-ins",
  (system) => {
    const list = async (credential: string): Promise<SignIn[]> => {
      const reply = await observed(system, { path: "/api/v1/sign-ins", credential });
      return ok<SignInsReply>(reply).signIns;
    };
    const end = (credential: string, id: string): Promise<HttpReply> =>
      observed(system, { method: "DELETE", path: `/api/v1/sign-ins?id=${id}`, credential });
    const isIn = async (credential: string): Promise<boolean> => {
      const headers = { "x-svc-organization": "acme" };
      const path = "/api/v1/whoami";
      return (await call(system.baseUrl, { path, credential, headers })).status === 200;
    };

    test("a person sees their sessions and sign-ins of the command line, and which one asks", async () => {
      const first = await signIn(system, "ada");
      const reply = await call(system.baseUrl, {
        method: "POST",
        path: "/api/v1/sessions",
        headers: { "user-agent": `A browser ${"x".repeat(400)}` },
        body: people.ada,
      });
      const second = parseObject(reply.text).token as string;
      await signInCommandLine(system, "ada", "acme");
      const all = await list(second);
      const [sessions, programs] = ["session", "command_line"].map((kind) =>
        all.filter((one) => one.kind === kind),
      );
      assert.deepEqual(
        sessions.filter(({ current }) => current).map(({ device }) => device),
        [`A browser ${"x".repeat(246)}`],
      );
      assert.ok(sessions.every(({ organization }) => organization?.name === "acme"));
      assert.ok(sessions.every(({ address }) => /127\.0\.0\.1|::1/.test(address!)));
      assert.equal(programs.length, 1);
      for (const { created, lastUsed, expires } of all) {
        assert.ok(Math.abs(Date.parse(created) - Date.now()) < 600_000);
        assert.ok(Math.abs(Date.parse(lastUsed!) - Date.now()) < 600_000);
        assert.ok(Date.parse(expires) > Date.now());
      }
      assert.ok(!JSON.stringify(all).includes(first.slice(3, 20)), "no secret is shown");
      const other = (await list(first)).find(({ current }) => current)!;
      assert.notEqual(other.id, sessions.find(({ current }) => current)!.id);
    });

    test("ending one ends it at once, also the one that asks; an id of somebody else is unknown", async () => {
      const [mine, other] = [await signIn(system, "max"), await signIn(system, "max")];
      const program = await signInCommandLine(system, "max", "acme");
      assert.ok((await isIn(other)) && (await isIn(program)));
      const rita = await signIn(system, "rita");
      for (const { id } of await list(mine)) await refusedV1(end(rita, id), 404, "not_found");
      assert.ok((await isIn(other)) && (await isIn(program)));
      const [grant] = (await list(mine)).filter(({ kind }) => kind === "command_line");
      assert.equal((await end(mine, grant.id)).status, 204);
      assert.equal(await isIn(program), false);
      await refusedV1(end(mine, grant.id), 404, "not_found");
      const otherId = (await list(other)).find(({ current }) => current)!.id;
      assert.equal((await end(mine, otherId)).status, 204);
      assert.equal(await isIn(other), false);
      await refusedV1(end(mine, otherId), 404, "not_found");
      await refusedV1(end(mine, "none"), 404, "not_found");
      const own = (await list(mine)).find(({ current }) => current)!;
      assert.equal((await end(mine, own.id)).status, 204);
      assert.equal(await isIn(mine), false);
    });

    test("a browser that ends its own session forgets the cookie, and shows the token of its page", async () => {
      const { cookie, csrf } = await signInBrowser(system, "bo", "acme");
      const asked = { path: "/api/v1/sign-ins", headers: { cookie } };
      const { signIns } = parseObject<SignInsReply>((await call(system.baseUrl, asked)).text);
      const { id } = signIns.find(({ current }) => current)!;
      const remove = { method: "DELETE", path: `/api/v1/sign-ins?id=${id}` };
      await refusedV1(call(system.baseUrl, { ...remove, headers: { cookie } }), 403, "forbidden");
      const headers = { cookie, "x-csrf-token": csrf };
      const ended = await call(system.baseUrl, { ...remove, headers });
      assert.equal(ended.status, 204, ended.text);
      assert.match(String(ended.headers["set-cookie"]), /Max-Age=0/);
    });

    test("keys and tokens of the command line see no sign-ins and end none", async () => {
      const program = await signInCommandLine(system, "ada", "acme");
      for (const credential of [program, organizations.acme.key]) {
        await refusedV1(
          observed(system, { path: "/api/v1/sign-ins", credential }),
          403,
          "forbidden",
        );
        await refusedV1(end(credential, "none"), 403, "forbidden");
      }
      await refusedV1(call(system.baseUrl, { path: "/api/v1/sign-ins" }), 401, "unauthorized");
    });

    test("a session says the role in its organization, and to which others the person belongs", async () => {
      const read = async (credential: string): Promise<CurrentSession> =>
        parseObject((await observed(system, { path: "/api/v1/sessions", credential })).text);
      const bo = await signIn(system, "bo", "acme");
      const inAcme = await read(bo);
      assert.deepEqual([inAcme.organization?.name, inAcme.role], ["acme", "admin"]);
      assert.deepEqual(
        inAcme.organizations.map(({ name, role }) => `${name} ${role}`),
        ["acme admin", "rival member"],
      );
      const switched = await observed(system, {
        method: "PATCH",
        path: "/api/v1/sessions",
        credential: bo,
        body: { organization: "rival" },
      });
      const { organization, role } = parseObject<CurrentSession>(switched.text);
      assert.deepEqual([organization?.name, role], ["rival", "member"]);
    });
  },
  { alone: true },
);
