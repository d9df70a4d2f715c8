import { endpoints, LosslessError, type LosslessClient } from "@lossless/client";
import type { EndpointName } from "@lossless/protocol";
import { callResult, listedForm } from "@lossless/protocol/agents/protocol-form";
import { type Ask, type Tool, ToolError } from "@lossless/protocol/agents/tool";
import { instructions } from "@lossless/protocol/agents/tools";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

/** Time for an answer of the service beyond the longest wait of a tool. */
const timeoutMs = 60_000;

/** Makes the server of one connection, with these tools over the client's organization. */
export function toolServer(
  client: LosslessClient,
  tools: readonly Tool[],
  version: string,
): McpServer {
  const server = new McpServer({ name: "lossless", title: "Lossless", version }, { instructions });
  const asking = {
    ask: askOf(client),
    baseUrl: client.baseUrl,
    move: (experimentId: string, folderId: string | null) =>
      client.moveExperiment({ experimentId }, folderId).catch(refuse),
  };
  for (const tool of tools) {
    const { schema, ...listed } = listedForm(tool);
    const inputSchema = fromJsonSchema<object>(schema);
    server.registerTool(tool.name, { ...listed, inputSchema }, (given) =>
      callResult(tool, asking, given),
    );
  }
  return server;
}

type AnyEndpoint = Parameters<LosslessClient["request"]>[0];

/** Asks by the client, whose table of endpoints has the names of the protocol's. */
function askOf(client: LosslessClient): Ask {
  const table = endpoints as unknown as Record<EndpointName, AnyEndpoint>;
  return ((name: EndpointName, request: object) =>
    client.request(table[name], { ...request, timeoutMs } as never).catch(refuse)) as Ask;
}

/** The refusals of the service are for the agent. */
function refuse(error: unknown): never {
  throw error instanceof LosslessError ? new ToolError(error.message) : error;
}
