import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SdkHttpError } from "@modelcontextprotocol/client";
import { type JsonObject, ok, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { type ExperimentCaller, observed } from "../callers.ts";
import { signIn, signInCommandLine } from "../people.ts";
import { type System, topic } from "../topic.ts";
import { agentOf, message, toolCall } from "./agent.ts";

const { acme, rival } = organizations;
const ping = { jsonrpc: "2.0", id: 7, method: "ping" };

topic("agents", (system) => {
  let experiment: ExperimentCaller;
  let owner: string;
  before(async () => {
    experiment = await system.acme.open(undefined, "", { lr: 0.25 });
    await experiment.send(
      ...[3, 2, 1].map((metricValue, step) =>
        experiment.metric({ metricName: "val/loss", step, metricValue }),
      ),
    );
    owner = await signIn(system, "ada");
  });

  for (const mode of ["auto", "legacy"] as const)
    test(`${mode}: the protocol's own client lists the tools and reads an experiment`, async () => {
      await using agent = await agentOf(system, { credential: acme.key, mode });
      const version = agent.client.getNegotiatedProtocolVersion() ?? "";
      assert.equal(version >= "2026", mode === "auto", version);
      assert.match(agent.client.getInstructions() ?? "", /find_experiments/);
      const { tools } = await agent.client.listTools();
      assert.ok(tools.length >= 10);
      assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
      const { slug, experimentId } = experiment;
      const { lines } = await agent.ask("read_series", { experiment: slug, metrics: ["val/loss"] });
      assert.partialDeepStrictEqual(lines, [{ seriesName: "val/loss", points: 3 }]);
      const told = await agent.ask("describe_experiment", { experiment: experimentId });
      assert.equal(told["page"], `${system.baseUrl}/experiments/${experimentId}`);
      assert.match(
        await agent.refusal("describe_experiment", { experiment: "none" }),
        /There is no/,
      );
      assert.match(
        await agent.refusal("find_experiments", { limit: 1_000 }),
        /limit must be <= 100/,
      );
    });

  test("a wait is answered when the condition holds", async () => {
    const running = await system.acme.open();
    await using agent = await agentOf(system, { credential: acme.key });
    const given = { experiment: running.slug, until: "loss < 1", seconds: 25 };
    const waited = agent.ask("wait_until", given);
    await running.send(running.metric({ metricName: "loss", metricValue: 0.5 }));
    assert.equal((await waited)["outcome"], "holds");
  });

  test("an agent has the rights of its credential, and sees one organization", async () => {
    const { slug } = experiment;
    await using stranger = await agentOf(system, { credential: rival.key, path: "/mcp/write" });
    for (const name of ["describe_experiment", "tag_experiment"])
      assert.match(await stranger.refusal(name, { experiment: slug }), /There is no experiment/);
    const note = { experiment: slug, text: "from elsewhere" };
    assert.match(await stranger.refusal("annotate_experiment", note), /There is no experiment/);
    const access = await signInCommandLine(system, "bo", "acme");
    const unnamed = await message(system, access, toolCall("find_experiments", {}));
    assert.equal(unnamed.status, 400, unnamed.text);
    const headers = { "x-svc-organization": "acme" };
    const call = toolCall("describe_experiment", { experiment: slug });
    assert.match((await message(system, access, call, { headers })).text, /val\/loss/);
  });

  test("tools that write are offered to who may write and asks for them", async () => {
    const { slug, experimentId } = experiment;
    const path = "/mcp/write";
    const [reading, writing] = [await tokenOf(owner, "read"), await tokenOf(owner, "write")];
    await using writer = await agentOf(system, { credential: writing, path });
    await using reader = await agentOf(system, { credential: reading });
    const read = await reader.tools();
    const added = (await writer.tools()).filter((name) => !read.includes(name));
    assert.deepEqual(added, ["annotate_experiment", "tag_experiment", "move_experiment"]);
    await writer.ask("annotate_experiment", { experiment: slug, text: "seen", step: 2 });
    await writer.ask("tag_experiment", { experiment: slug, add: ["good"] });
    const folder = { name: `from-${experimentId}`, parentFolderId: null };
    const { folderId } = await system.acme.ask("folder.create", folder);
    await writer.ask("move_experiment", { experiment: slug, folder: folder.name });
    const record = await system.acme.record(experimentId);
    assert.deepEqual([record.folderId, (record.meta as JsonObject)._tags], [folderId, ["good"]]);
    const { annotations } = ok<{ annotations: JsonObject[] }>(
      await observed(system, {
        path: `/api/views/v1/annotations?experimentId=${experimentId}`,
        credential: acme.key,
      }),
    );
    assert.partialDeepStrictEqual(annotations, [
      { annotation: "seen", meta: { author: "ada@acme.test" } },
    ]);
    const note = toolCall("annotate_experiment", { experiment: slug, text: "not stored" });
    const unknown = await message(system, writing, note);
    assert.match(unknown.text, /Tool annotate_experiment not found/);
    const refused = await message(system, reading, note, { path });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /scope read/);
  });

  test("a viewer reads, and cannot write", async () => {
    const email = "agent-viewer@acme.test";
    const { link } = await asked(owner, "POST", "/api/v1/invitations", { role: "viewer" }, 201);
    const token = new URL(String(link)).searchParams.get("token");
    const joining = { token, email, password: "a long password" };
    const { token: viewer } = await asked(
      owner,
      "POST",
      "/api/v1/invitations/accept",
      joining,
      201,
    );
    const credential = await tokenOf(String(viewer), "read");
    await using agent = await agentOf(system, { credential });
    assert.equal((await agent.ask("find_experiments", {}))["total"] !== 0, true);
    const refused = await message(system, credential, ping, { path: "/mcp/write" });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /member/);
  });

  test("a token that is revoked ends, and the client is told why", async () => {
    const made = await asked(owner, "POST", "/api/sign-on/v1/tokens", body("read"), 201);
    const { secret, token } = made as { secret: string; token: { id: string } };
    await using agent = await agentOf(system, { credential: secret });
    await agent.ask("find_experiments", {});
    const path = `/api/sign-on/v1/tokens?id=${token.id}`;
    const ended = await observed(system, { method: "DELETE", path, credential: owner });
    assert.equal(ended.status, 204);
    await assert.rejects(agent.ask("find_experiments", {}), isUnauthorized);
  });

  test("nobody is asked for a Bearer credential; a guest and a page's cookie are nobody", async () => {
    const cookie = `lossless_session=${owner}`;
    for (const [credential, headers] of [
      [undefined, {}],
      [undefined, { cookie }],
      [owner, {}],
      [`gl_${"x".repeat(44)}`, {}],
      ["useless", {}],
    ] as const) {
      const reply = await message(system, credential, ping, { headers });
      assert.equal(reply.status, 401, reply.text);
      assert.equal(reply.headers["www-authenticate"], "Bearer");
      assert.partialDeepStrictEqual(parseObject(reply.text), { jsonrpc: "2.0", id: null });
    }
  });

  test("what is no message, or no method here, gets an error that says so", async () => {
    const wrong: [unknown, number, number, RegExp, Record<string, string>?][] = [
      ["{", 400, -32_700, /not one valid JSON document/],
      ['{"a":1,"a":2}', 400, -32_700, /./],
      [[ping, ping], 400, -32_600, /must be an object/],
      [{ id: 1, method: "ping" }, 400, -32_600, /jsonrpc is missing/],
      [{ jsonrpc: "2.0", id: 1 }, 400, -32_600, /method is missing/],
      [{ jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32_600, /not a valid JSON-RPC/],
      [{ ...ping, params: { _meta: { x: Array(9_000).fill(0) } } }, 400, -32_600, /at most 16384/],
      [{ ...ping, method: "nothing" }, 200, -32_601, /Method not found/],
      [toolCall("nothing", {}), 200, -32_602, /Tool nothing not found/],
      [ping, 400, -32_000, /version: 1999-01-01/, { "mcp-protocol-version": "1999-01-01" }],
      [ping, 415, -32_000, /application\/json/, { "content-type": "text/plain" }],
      [ping, 403, -32_000, /page of another address/, { origin: "https://other.example" }],
      [ping, 403, -32_000, /page of another address/, { origin: "null" }],
      ["x".repeat(300_000), 413, -32_000, /larger/],
    ];
    for (const [sent, status, code, sentence, headers] of wrong) {
      const reply = await message(system, acme.key, sent, headers === undefined ? {} : { headers });
      assert.equal(reply.status, status, reply.text);
      const { error } = parseObject<{ error: { code: number; message: string } }>(reply.text);
      assert.equal(error.code, code, reply.text);
      assert.match(error.message, sentence);
    }
    const own = { headers: { origin: new URL(system.baseUrl).origin } };
    assert.equal((await message(system, acme.key, ping, own)).status, 200);
  });

  test("there is neither a session nor a stream: GET and DELETE are refused, a notification is taken", async () => {
    for (const method of ["GET", "DELETE"]) {
      const headers = { accept: "text/event-stream", "mcp-session-id": "x" };
      const reply = await observed(system, { method, path: "/mcp", credential: acme.key, headers });
      assert.deepEqual([reply.status, reply.headers.allow], [405, "POST"]);
    }
    const noted = { jsonrpc: "2.0", method: "notifications/initialized" };
    const reply = await message(system, acme.key, noted);
    assert.deepEqual([reply.status, reply.text], [202, ""]);
    const listened = await subscription(system);
    assert.match(listened.text, /Subscription limit reached/);
  });

  test("a question is counted and written down as any other request of its caller", async () => {
    const headers = { "x-request-id": `agent-${experiment.experimentId}` };
    await message(system, acme.key, toolCall("find_experiments", { query: "lr >" }), { headers });
    const lines = system.service.errors.split("\n").filter((line) => line.includes("agent-"));
    const [inner] = lines.map((line) => JSON.parse(line) as JsonObject);
    assert.partialDeepStrictEqual(inner, {
      request_id: headers["x-request-id"],
      route: "/api/views/v1/experiments",
      status: 400,
      address: "127.0.0.1",
    });
  });

  const body = (scope: string) => ({ name: "agent", scope, days: 1 });

  async function tokenOf(credential: string, scope: string): Promise<string> {
    const made = await asked(credential, "POST", "/api/sign-on/v1/tokens", body(scope), 201);
    return String(made.secret);
  }

  async function asked(
    credential: string,
    method: string,
    path: string,
    sent: unknown,
    status: number,
  ): Promise<JsonObject> {
    return ok(await observed(system, { method, path, body: sent, credential }), status);
  }
});

/** A client of July 2026 that wants to be told of changes. */
function subscription(system: System) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const method = "subscriptions/listen";
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
  return message(system, acme.key, { jsonrpc: "2.0", id: 1, method, params }, { headers });
}

function isUnauthorized(error: Error): boolean {
  return error instanceof SdkHttpError && error.status === 401;
}
