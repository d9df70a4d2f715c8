import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { type EndpointDefinition, type EndpointName, endpoints, errors } from "@lossless/protocol";
import { callResult, failedCall, listedForm } from "@lossless/protocol/agents/protocol-form";
import { type Ask, type Asking, ToolError } from "@lossless/protocol/agents/tool";
import { instructions, readingTools } from "@lossless/protocol/agents/tools";
import { writingTools } from "@lossless/protocol/agents/writing";
import {
  createMcpHandler,
  fromJsonSchema,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import manifest from "../../../package.json" with { type: "json" };
import type { Log } from "../../ground/log.ts";
import { askOurselves, type Asker } from "./own-requests.ts";

/** One message of an agent, and what its tools need. */
export interface Exchange {
  message: object;
  asker: Asker;
  /** Whether tools that write are offered. */
  writes: boolean;
  server: Server;
  baseUrl: string;
  log: Log;
}

/** The tools with validators of their input, each compiled once. */
const offered = [...readingTools, ...writingTools].map((tool) => {
  const { schema, ...listed } = listedForm(tool);
  return { tool, listed: { ...listed, inputSchema: fromJsonSchema<object>(schema) } };
});

/**
 * Answers one message. Nothing outlives it: clients of all revisions of the protocol are served
 * without a session, so any node can answer the next one.
 */
export async function answerMessage(exchange: Exchange): Promise<Response> {
  const { message: parsedBody, asker } = exchange;
  const request = new Request(new URL(endpoints.mcp.path, exchange.baseUrl), {
    method: "POST",
    headers: headersOf(asker),
    signal: asker.gone,
  });
  if (await isLegacyRequest(request, parsedBody)) return answerEarlier(exchange, request);
  // No list changes and no resource does: a client has nothing to subscribe to.
  const handler = createMcpHandler(() => serverOf(exchange), {
    legacy: "reject",
    maxSubscriptions: 0,
  });
  return handler.fetch(request, { parsedBody });
}

/** Answers a client of earlier revisions with JSON; the SDK's handler would open a stream. */
async function answerEarlier(exchange: Exchange, request: Request): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = serverOf(exchange);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: exchange.message });
  } finally {
    await server.close();
  }
}

/** Returns the headers that the SDK reads. Any answer is one JSON document, whatever is asked. */
function headersOf({ headers }: Asker): Record<string, string> {
  const own = Object.entries(headers).filter(
    (header): header is [string, string] =>
      header[0].startsWith("mcp-") && typeof header[1] === "string",
  );
  return {
    ...Object.fromEntries(own),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
}

function serverOf(exchange: Exchange): McpServer {
  const { asker, writes, log } = exchange;
  const { version } = manifest;
  const server = new McpServer(
    { name: "lossless", title: "Lossless", version },
    { instructions, capabilities: { tools: { listChanged: false } } },
  );
  const asking = askingOf(exchange);
  for (const { tool, listed } of offered) {
    if (tool.writes === true && !writes) continue;
    server.registerTool(tool.name, listed, async (given) => {
      try {
        return await callResult(tool, asking, given);
      } catch (err) {
        if (!asker.gone.aborted)
          log.error({ request_id: asker.requestId, err }, `the tool ${tool.name} failed`);
        return failedCall(errors.internal.sentence);
      }
    });
  }
  return server;
}

function askingOf({ server, asker, baseUrl }: Exchange): Asking {
  const send = async (name: EndpointName, query: object, body: unknown): Promise<unknown> => {
    const { method, path }: EndpointDefinition = endpoints[name];
    const search = new URLSearchParams(query as Record<string, string>).toString();
    const address = search === "" ? path : `${path}?${search}`;
    const { status, value } = await askOurselves(server, asker, { method, path: address, body });
    if (status < 400) return value;
    throw new ToolError(sentenceOf(value as Refusal));
  };
  const ask = async (
    name: EndpointName,
    { query = {}, body }: { query?: object; body?: unknown },
  ) => send(name, query, body);
  return {
    ask: ask as Ask,
    baseUrl,
    async move(experimentId, folderId) {
      const move = {
        messageId: randomUUID(),
        event: "svc.v2.experiment.move",
        data: { experimentId, folderId },
      };
      const { event, data } = (await send("organizationEvents", {}, move)) as {
        event: string;
        data: Refusal;
      };
      if (event === "svc.v2.error") throw new ToolError(sentenceOf(data));
    },
  };
}

/** A refusal, in the form of v1 and of events, or in that of v2. */
interface Refusal {
  message?: string;
  error?: string | { message: string };
}

function sentenceOf({ message, error }: Refusal): string {
  return message ?? (typeof error === "object" ? error.message : errors.internal.sentence);
}
