import type { EndpointDefinition } from "./endpoint.ts";
import type { ErrorForm } from "./error-form.ts";
import { type ErrorCode, errors } from "./errors.ts";
import { limits } from "./limits.ts";
import { anyJson, closedObject } from "./schema.ts";
import * as Type from "./type.ts";
import { readErrors } from "./v1-endpoint.ts";

const version = Type.Literal("2.0");
const id = anyJson("A number or text of the sender's; a notification has none.");
const error = closedObject("AgentError", {
  code: Type.Integer({ description: "A code of JSON-RPC or of the Model Context Protocol." }),
  message: Type.String({ description: "A sentence for people." }),
  data: Type.Optional(anyJson("Of a refusal of the service: its `code` and the `requestId`.")),
});

const AgentFailure = closedObject(
  "AgentFailure",
  { jsonrpc: version, id, error },
  { description: "A message of an agent was refused." },
);

/** Failures as JSON-RPC has them; the status is that of the errors table. */
export const agentErrors: ErrorForm = {
  paths: /^\/mcp(?:\/|$)/,
  json: {
    schema: AgentFailure,
    bodyOf: ({ code, message, requestId }): Type.Static<typeof AgentFailure> => ({
      jsonrpc: "2.0",
      id: null,
      error: { code: numberOf(code), message, data: { code, requestId } },
    }),
  },
};

/** The numbers of JSON-RPC 2.0, section 5.1; -32000 is for what it does not name. */
function numberOf(code: ErrorCode): number {
  if (code === "malformed_json") return -32_700;
  const { status } = errors[code];
  if (status === 400) return -32_600;
  return status === 500 ? -32_603 : -32_000;
}

/** One message: the protocol has had no batches since its revision of June 2025. */
const AgentMessage = closedObject(
  "AgentMessage",
  {
    jsonrpc: version,
    id: Type.Optional(id),
    method: Type.String({ description: "`initialize`, `tools/list`, `tools/call`, …" }),
    params: Type.Optional(Type.Unsafe<object>({ type: "object" })),
  },
  { description: "A request or notification of JSON-RPC 2.0." },
);

const AgentReply = closedObject(
  "AgentReply",
  {
    jsonrpc: version,
    id,
    result: Type.Optional(anyJson("The answer.")),
    error: Type.Optional(error),
  },
  { description: "The answer to the message; to a notification there is none." },
);

export type AgentMessage = Type.Static<typeof AgentMessage>;

const agent = {
  errorForm: agentErrors,
  method: "POST",
  // A browser's session is for pages: its cookie, which it sends by itself, opens nothing here.
  credentials: ["api_key", "oauth"],
  request: { kind: "json", schema: AgentMessage, bytesMax: limits.setupBodyBytesMax },
  reply: { kind: "json", status: 200, otherStatuses: [202], schema: AgentReply },
  errors: readErrors,
  extension: true,
} as const;

const about =
  "Streamable HTTP without sessions: each message is a request of its own, to any node, answered by one JSON document. " +
  "There is no stream to open by GET, and no session to end by DELETE.";

/** The Model Context Protocol: tools of agents over what the credential may see. */
export const agentEndpoints = {
  mcp: {
    ...agent,
    path: "/mcp",
    summary: "Answers an agent by the Model Context Protocol, with tools that read.",
    about,
  },
  mcpWrite: {
    ...agent,
    path: "/mcp/write",
    summary: "The same with tools that annotate, tag and move experiments, too.",
    about,
  },
} as const satisfies Record<string, EndpointDefinition>;
