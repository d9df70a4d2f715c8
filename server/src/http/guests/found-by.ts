import { limits, type ReportBlock, type TableBody, type TableReply } from "@lossless/protocol";
import { QueryError } from "@lossless/protocol/query-error";
import { parseSort } from "@lossless/protocol/query-list";
import { ServiceError } from "../../ground/errors.ts";
import type { Call } from "../endpoint-routes.ts";
import type { RequestReplies } from "../replies/read-replies.ts";

type Making = Pick<Call<"createGuestLink">, "caller" | "served" | "context" | "request" | "reply">;

/**
 * Returns the experiments that a shared report shows now: those that its charts and media name or
 * find, and the rows of its tables. Throws `bad_request` where they are too many for a guest link.
 */
export async function foundBy(making: Making, id: string): Promise<string[]> {
  const { caller, served, context, request, reply } = making;
  const { organizationId, personId, holder } = caller;
  const looking = { organizationId, personId, kind: "report", id } as const;
  const { scope, content } = await served.storage.read("saved.read", looking);
  if (scope !== "shared") {
    const sentence = "Share the report with the organization first: guests do not see own reports.";
    throw new ServiceError("bad_request", sentence);
  }
  const replies = context.replies.reads.of(holder, request, reply);
  const found = new Set<string>();
  for (const block of JSON.parse(content) as ReportBlock[]) {
    for (const one of await shownBy(making, replies, block)) found.add(one);
  }
  const most = limits.guestExperimentsMax;
  if (found.size <= most) return [...found];
  throw new ServiceError(
    "bad_request",
    `The report shows ${found.size} experiments; a guest link shows ${most} at most.`,
  );
}

/** Returns the experiments that a block names or finds. */
async function shownBy(
  making: Making,
  replies: RequestReplies,
  block: ReportBlock,
): Promise<readonly string[]> {
  if (block.kind === "text") return [];
  const named = block.kind === "table" ? undefined : block.experimentIds;
  return named ?? rowsOf(making, replies, block);
}

type Asking = Exclude<ReportBlock, { kind: "text" }>;

/** Returns the experiments that a block finds; none where its query or order cannot be read. */
async function rowsOf(
  { caller: { organizationId }, served }: Making,
  replies: RequestReplies,
  { query = "", folderId, sort = "", ...block }: Asking,
): Promise<string[]> {
  const usual = block.kind === "media" ? limits.reportMediaRunsUsual : limits.reportExperimentsMax;
  const limit = "limit" in block ? (block.limit ?? usual) : usual;
  try {
    const order = sort === "" ? {} : { sort: parseSort(sort) };
    const body: TableBody = { query, limit, ...order, ...(folderId !== undefined && { folderId }) };
    const read = await replies.read(served.storage, "views.table", { organizationId, body });
    const { rows } = JSON.parse(Buffer.concat([...read.pieces]).toString()) as TableReply;
    return rows.map(({ experimentId }) => experimentId);
  } catch (error) {
    const isUnreadable =
      error instanceof QueryError ||
      (error instanceof ServiceError && error.code === "bad_request");
    if (isUnreadable) return [];
    throw error;
  }
}
