import { limits } from "@lossless/protocol/limits";
import { isObject, member, scimError } from "./message.ts";

/** The change of one attribute by a PatchOp, in the order of the request. */
export interface PatchStep {
  op: "add" | "replace" | "remove";
  /** Path without the name of the schema before it; `members[value eq "7"]`, `name.givenName`. */
  path: string;
  value: unknown;
}

/**
 * Returns the steps of a PatchOp (RFC 7644 3.5.2), as providers send them: names of operations in
 * any case, and operations without a path, whose value has several attributes.
 */
export function patchSteps(body: object): PatchStep[] {
  const operations = member(body, "Operations");
  if (!Array.isArray(operations))
    throw scimError("invalidSyntax", "A PatchOp has a list of Operations.");
  if (operations.length > limits.scimOperationsMax)
    throw scimError("tooMany", `A request has at most ${limits.scimOperationsMax} operations.`);
  return operations.flatMap(stepsOf);
}

function stepsOf(operation: unknown): PatchStep[] {
  if (!isObject(operation)) throw scimError("invalidSyntax", "An operation is an object.");
  const word = member(operation, "op");
  const op = typeof word === "string" ? word.toLowerCase() : "";
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw scimError("invalidSyntax", "The op of an operation is add, replace or remove.");
  const path = member(operation, "path");
  const value = member(operation, "value");
  if (typeof path === "string" && path !== "") return [{ op, path: bare(path), value }];
  if (path !== undefined && path !== null && path !== "")
    throw scimError("invalidPath", "The path of an operation is a text.");
  if (op === "remove") throw scimError("noTarget", "A remove operation needs a path.");
  if (!isObject(value))
    throw scimError("invalidValue", "An operation without a path has an object of attributes.");
  return Object.entries(value).map(([name, own]) => ({ op, path: bare(name), value: own }));
}

/** Removes the schema: `urn:ietf:params:scim:schemas:core:2.0:User:userName` is `userName`. */
function bare(path: string): string {
  return path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i, "");
}
