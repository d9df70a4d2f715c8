import { ServiceError } from "../../ground/errors.ts";
import type { ReplyOperations } from "../../storage/storage.ts";
import type { Call } from "../endpoint-routes.ts";

type ReadCall = Pick<Call<"readTable">, "caller" | "served" | "context" | "request" | "reply">;

/**
 * Reads a reply about the caller's organization. One that is too large is refused with what to ask
 * for fewer of: v1 has no code of its own for it.
 */
export async function fitting<Name extends keyof ReplyOperations>(
  { caller: { organizationId, holder }, served, context, request, reply }: ReadCall,
  name: Name,
  given: Omit<Parameters<ReplyOperations[Name]>[1], "organizationId">,
  what: string,
): Promise<readonly Uint8Array[]> {
  const input = { organizationId, ...given } as Parameters<ReplyOperations[Name]>[1];
  const replies = context.replies.reads.of(holder, request, reply);
  try {
    return (await replies.read(served.storage, name, input)).pieces;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "result_too_large") throw error;
    throw new ServiceError("bad_request", `${error.message} Ask for fewer ${what}.`);
  }
}
