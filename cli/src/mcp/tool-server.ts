import { endpoints, LosslessError, type LosslessClient } from "@lossless/client";
import type { EndpointName } from "@lossless/protocol";
import { answerOf } from "@lossless/protocol/agents/answer";
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
      client.moveExperiment({ experimentId }, folderId),
  };
  for (const tool of tools) {
    const { name, title, description, writes, input } = tool;
    const inputSchema = fromJsonSchema<never>(JSON.parse(JSON.stringify(input)) as object);
    const annotations = { readOnlyHint: writes !== true, openWorldHint: false };
    server.registerTool(name, { title, description, inputSchema, annotations }, async (given) => {
      try {
        return { content: [{ type: "text", text: await answerOf(tool, asking, given) }] };
      } catch (error) {
        if (!(error instanceof ToolError) && !(error instanceof LosslessError)) throw error;
        return { isError: true, content: [{ type: "text", text: error.message }] };
      }
    });
  }
  return server;
}

type AnyEndpoint = Parameters<LosslessClient["request"]>[0];

/** Asks by the client, whose table of endpoints has the names of the protocol's. */
function askOf(client: LosslessClient): Ask {
  const table = endpoints as unknown as Record<EndpointName, AnyEndpoint>;
  return ((name: EndpointName, request: object) =>
    client.request(table[name], { ...request, timeoutMs } as never)) as Ask;
}
