import { checkBody, limits, metaTooLarge } from "@lossless/protocol";
import type { EndpointName, Problem } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import { parseStrictJson } from "../ground/strict-json.ts";
import { compactMember } from "./compact-member.ts";

/** A v1 body, checked; `metaText` is the meta as it was sent, where it is kept so, and then left out of the value. */
export interface V1Body {
  value: Record<string, unknown>;
  metaText: string | undefined;
}

/** The JSON body of a v1 request. Throws `bad_request` and says what is wrong where. */
export function readV1Body(
  name: EndpointName,
  keepsMetaText: boolean,
  body: Uint8Array,
  depthMax: number,
): V1Body {
  const value = parseStrictJson(body, { depth: depthMax });
  const verdict = checkBody(name, value);
  if (!verdict.ok) throw new ServiceError("bad_request", problemsText(verdict.problems));
  const checked = value as Record<string, unknown>;
  if (!keepsMetaText) return { value: checked, metaText: undefined };
  const { meta: _meta, ...others } = checked;
  const metaText = compactMember(body, "meta");
  if (metaText === undefined) throw new Error("BUG: a meta was accepted and has no text");
  if (Buffer.byteLength(metaText) > limits.jsonMetaBytesMax) {
    throw new ServiceError("bad_request", problemsText([metaTooLarge("meta")]));
  }
  return { value: others, metaText };
}

/** `files[0].size must be …; meta is missing` */
export function problemsText(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => `${path === "" ? "The body" : path} ${message}`)
    .join("; ");
}
