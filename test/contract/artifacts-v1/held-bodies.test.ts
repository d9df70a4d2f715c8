import assert from "node:assert/strict";
import { test } from "node:test";
import { type HttpReply, type JsonObject, ok, parseObject } from "../../http.ts";
import { people } from "../../service.ts";
import { observed } from "../callers.ts";
import { locationBody, startStore } from "../organization-setup.ts";
import { refusedV1, signIn } from "../people.ts";
import { RawConnection } from "../raw-request.ts";
import { topic } from "../topic.ts";

topic(
  "bodies held back until the right to send them has ended",
  (system) => {
    const ask = (
      credential: string,
      method: string,
      path: string,
      body?: unknown,
    ): Promise<HttpReply> =>
      observed(system, { method, path: `/api/v1/${path}`, credential, body });

    /** Somebody who has just joined as an admin. */
    async function newAdmin(owner: string, email: string): Promise<{ id: string; token: string }> {
      const made = await ask(owner, "POST", "invitations", { role: "admin", email });
      const link = new URL(parseObject(made.text).link as string);
      const joined = await observed(system, {
        path: "/api/v1/invitations/accept",
        body: { token: link.searchParams.get("token"), email, password: "a long password" },
      });
      const token = ok(joined, 201).token as string;
      const { userId } = parseObject((await ask(token, "GET", "whoami")).text);
      return { id: userId as string, token };
    }

    /** Everything that one of the held requests would change. */
    async function state(owner: string): Promise<string[]> {
      const replies = [];
      for (const path of ["api-keys", "org", "people", "invitations"]) {
        const reply = await ask(owner, "GET", path);
        assert.equal(reply.status, 200, reply.text);
        replies.push(reply.text);
      }
      return replies;
    }

    function hold(
      credential: string,
      method: string,
      path: string,
      body: unknown,
    ): () => RawConnection {
      const text = JSON.stringify(body);
      const connection = new RawConnection(system.baseUrl);
      connection.send(
        `${method} /api/v1/${path} HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer ${credential}\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`,
      );
      return () => {
        connection.send(text);
        return connection;
      };
    }

    const endings = {
      removed: {
        method: "DELETE",
        body: undefined,
        sentence: /no longer belong to this organization|no active organization/,
      },
      demoted: { method: "PATCH", body: { role: "member" }, sentence: /needs the role admin/ },
    };
    for (const [ending, { method, body, sentence }] of Object.entries(endings)) {
      test(`an admin who is ${ending} meanwhile changes nothing`, async () => {
        await using store = await startStore();
        const owner = await signIn(system, "ada");
        const admin = await newAdmin(owner, `${ending}@acme.test`);
        const [location] = parseObject((await ask(owner, "GET", "org")).text)
          .locations as JsonObject[];
        const { people: all } = parseObject((await ask(owner, "GET", "people")).text) as {
          people: { id: string; email: string }[];
        };
        const member = all.find(({ email }) => email === people.max.email)!;
        const held = [
          hold(admin.token, "POST", "api-keys", { name: "stolen" }),
          hold(admin.token, "PATCH", `locations?id=${String(location.id)}`, { name: "stolen" }),
          hold(admin.token, "POST", "locations", locationBody(store)),
          hold(admin.token, "PATCH", `people?id=${member.id}`, { role: "admin" }),
          hold(admin.token, "POST", "invitations", { role: "admin" }),
        ];
        // Whatever came before these replies has passed its authentication.
        await state(owner);
        const ended = await ask(owner, method, `people?id=${admin.id}`, body);
        assert.ok(ended.status < 300, ended.text);
        const before = await state(owner);
        const replies = held.map((release) => release().reply);
        for (const reply of replies)
          assert.match(await refusedV1(reply, 403, "forbidden"), sentence);
        assert.deepEqual(await state(owner), before);
      });
    }
  },
  { allowPrivate: ["127.0.0.0/8"] },
);
