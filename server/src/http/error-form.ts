import { endpoints } from "@lossless/protocol";
import type { ErrorForm } from "./error-replies.ts";

/**
 * In which form a refusal of this address is: that of the endpoint; where there is none, that of the interface
 * whose prefix the address has. Addresses are compared decoded, as the router does.
 */
export function errorFormOf(target: string): ErrorForm {
  const path = decodedPath(target);
  for (const { path: known, errorForm } of Object.values(endpoints)) {
    if (known === path) return errorForm;
  }
  return /^\/(?:api\/v1|objects)(?:\/|$)/.test(path) ? "v1" : "v2";
}

/**
 * The same for what Node's parser refused: the target of the last request line in the bytes it had read. When
 * they came in pieces there may be none.
 */
export function errorFormIn(bytes: Buffer | undefined): ErrorForm {
  const text = bytes?.toString("latin1") ?? "";
  const [target] = [...text.matchAll(/^[A-Z]+ (\S+) HTTP\/1\.[01]\r?$/gm)].at(-1)?.slice(1) ?? [];
  return errorFormOf(target ?? "");
}

function decodedPath(target: string): string {
  const [path = ""] = target.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
