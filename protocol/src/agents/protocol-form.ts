import { answerOf } from "./answer.ts";
import { type Asking, type Tool, ToolError } from "./tool.ts";

/** A tool as the Model Context Protocol lists it; `schema` is its input as plain JSON. */
export function listedForm({ title, description, writes, input }: Tool) {
  return {
    title,
    description,
    annotations: { readOnlyHint: writes !== true, openWorldHint: false },
    schema: JSON.parse(JSON.stringify(input)) as object,
  };
}

export interface CallResult {
  content: { type: "text"; text: string }[];
  isError?: true;
  /** The protocol's results are open. */
  [member: string]: unknown;
}

/** Calls a tool. A refusal is a result that the agent reads; other errors are thrown. */
export async function callResult(tool: Tool, asking: Asking, given: object): Promise<CallResult> {
  try {
    return { content: [{ type: "text", text: await answerOf(tool, asking, given) }] };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return failedCall(error.message);
  }
}

export function failedCall(text: string): CallResult {
  return { isError: true, content: [{ type: "text", text }] };
}
