import {
  checkBody,
  type EditBody,
  type EndpointDefinition,
  type EndpointName,
  endpoints,
  limits,
  metaTooLarge,
  type Problem,
} from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { parseStrictJson } from "../../ground/strict-json.ts";
import { elementsAsSent, memberAsSent } from "./json-as-sent.ts";

/**
 * Reads an endpoint's JSON body, a RequestBody. Throws `bad_request`, which names the place of the
 * fault.
 */
export function readJsonBody(name: EndpointName, body: Uint8Array, depthMax: number): unknown {
  const value = parseStrictJson(body, { depth: depthMax });
  const verdict = checkBody(name, value);
  if (!verdict.ok) throw new ServiceError("bad_request", problemsText(verdict.problems));
  const { request }: EndpointDefinition = endpoints[name];
  if (request.kind !== "json") return value;
  if (request.editsAsSent === true) return withEditTexts(value as EditBody, body);
  if (request.metaAsSent !== true) return value;
  const { meta: _meta, ...others } = value as Record<string, unknown>;
  const metaText = memberAsSent(body, "meta");
  if (metaText === undefined) throw new Error("BUG: a meta was accepted and has no text");
  if (Buffer.byteLength(metaText) > limits.jsonMetaBytesMax) {
    throw new ServiceError("bad_request", problemsText([metaTooLarge("meta")]));
  }
  return { ...others, metaText };
}

/** Replaces the values of a meta with their text, so that no digit is lost. */
function withEditTexts({ meta, ...others }: EditBody, body: Uint8Array): unknown {
  if (meta === undefined) return others;
  const sent = elementsAsSent(Buffer.from(memberAsSent(body, "meta")!));
  const edits = meta.map(({ before: _before, after: _after, ...edit }, at) => ({
    ...edit,
    beforeText: memberAsSent(Buffer.from(sent[at]), "before"),
    afterText: memberAsSent(Buffer.from(sent[at]), "after"),
  }));
  return { ...others, meta: edits };
}

/** `files[0].size must be …; meta is missing` */
export function problemsText(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => `${path === "" ? "The body" : path} ${message}`)
    .join("; ");
}
