import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { HttpReply } from "../../http.ts";
import { observed, type Target } from "../callers.ts";

/** An agent, with a credential. */
export interface AgentOptions {
  credential: string;
  path?: "/mcp" | "/mcp/write";
  /** The revision of the protocol that it speaks: that of July 2026, or those before. */
  mode?: "auto" | "legacy";
  fetch?: typeof fetch;
}

/** Connects an agent by the protocol's own client. */
export async function agentOf(
  { baseUrl }: Pick<Target, "baseUrl">,
  { credential, path = "/mcp", mode = "auto", ...options }: AgentOptions,
): Promise<Agent> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${credential}` } };
  const address = new URL(baseUrl.replace(/\/$/, "") + path);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit, ...options }));
  return new Agent(client);
}

export class Agent implements AsyncDisposable {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  /** The answer of a tool. */
  async ask(
    name: string,
    given: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { text, isError } = await this.#call(name, given, signal);
    assert.ok(!isError, text);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** The sentence of a tool that fails. */
  async refusal(name: string, given: Record<string, unknown>): Promise<string> {
    const { text, isError } = await this.#call(name, given);
    assert.ok(isError, text);
    return text;
  }

  async #call(name: string, given: Record<string, unknown>, signal?: AbortSignal) {
    const options = signal === undefined ? {} : { signal };
    const result = await this.client.callTool({ name, arguments: given }, options);
    const [content] = result.content;
    assert.equal(content?.type, "text");
    return { text: content.text, isError: result.isError === true };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.close();
  }
}

/** A message as it is sent. */
export function message(
  target: Target,
  credential: string | undefined,
  body: unknown,
  { path = "/mcp", headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<HttpReply> {
  return observed(target, { method: "POST", path, credential, body, headers });
}

export function toolCall(name: string, given: object): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
}
