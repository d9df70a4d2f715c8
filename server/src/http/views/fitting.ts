import { ServiceError } from "../../ground/errors.ts";
import type { JsonBytes } from "../replies/read-replies.ts";

/** Converts the error of a reply that is too large: v1 has no code of its own for it. */
export async function fitting(
  read: Promise<JsonBytes>,
  what: string,
): Promise<readonly Uint8Array[]> {
  try {
    return (await read).pieces;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "result_too_large") throw error;
    throw new ServiceError("bad_request", `${error.message} Ask for fewer ${what}.`);
  }
}
