import { limits } from "@lossless/protocol/limits";
import type {
  MembersStep,
  ScimGroupChange,
} from "../../accounts/rows/sign-on/scim/group-changes.ts";
import type { ScimGroup } from "../../accounts/rows/sign-on/scim/group.ts";
import { invalidValue, isObject, member, requiredText, scimError, textOrNull } from "./message.ts";
import { patchSteps, type PatchStep } from "./patch.ts";
import { metaOf } from "./resource.ts";

export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** Reads a whole group, as in POST and PUT. */
export function readGroup(body: object): ScimGroupChange & { displayName: string } {
  const ids = idsIn(member(body, "members"));
  return {
    displayName: requiredText("displayName", member(body, "displayName")),
    externalId: textOrNull("externalId", member(body, "externalId")),
    members: [{ op: "replace", ids }],
  };
}

/** Reads the changes of a PatchOp; attributes that are not kept are ignored. */
export function readGroupPatch(body: object): ScimGroupChange {
  const change: ScimGroupChange = { members: [] };
  for (const step of patchSteps(body)) {
    const path = step.path.toLowerCase();
    if (path === "displayname") change.displayName = requiredText("displayName", step.value);
    else if (path === "externalid")
      change.externalId = step.op === "remove" ? null : textOrNull("externalId", step.value);
    else if (/^members(?:$|[[.])/.test(path)) change.members.push(membersStep(step));
  }
  const named = change.members.reduce((sum, { ids }) => sum + ids.length, 0);
  if (named > limits.scimMembersMax) throw tooMany();
  return change;
}

/**
 * Reads a change of members: `members[value eq "7"]` without a value, or `members` with a list of
 * them; both remove.
 */
function membersStep({ op, path, value }: PatchStep): MembersStep {
  const [, written] = /^members\[\s*value\s+eq\s+("(?:[^"\\]|\\.)*")\s*\]$/i.exec(path) ?? [];
  if (written !== undefined) {
    if (op !== "remove")
      throw scimError("invalidPath", "A member is removed, or added to members, but not changed.");
    return { op, ids: [textIn(written)] };
  }
  if (path.toLowerCase() !== "members")
    throw scimError("invalidPath", 'Members are members, or members[value eq "…"].');
  // Without a value all members are removed.
  if (op === "remove" && (value === undefined || value === null)) return { op: "replace", ids: [] };
  return { op, ids: idsIn(value) };
}

function textIn(written: string): string {
  try {
    return JSON.parse(written) as string;
  } catch {
    throw scimError("invalidPath", "The value of a filter is not a JSON text.");
  }
}

/** Returns the ids in `[{"value": "7"}]`, a single such object, or nothing. */
function idsIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > limits.scimMembersMax) throw tooMany();
  return list.map((each) => {
    const id = isObject(each) ? member(each, "value") : each;
    return requiredText("members.value", id);
  });
}

function tooMany(): Error {
  return invalidValue(
    `A request names at most ${limits.scimMembersMax} members: add them in several.`,
  );
}

/** Returns a group in the form of SCIM; `addressOf` returns the address of a user or group. */
export function groupResource(
  group: ScimGroup,
  addressOf: (kind: "Users" | "Groups", id: string) => string,
): Record<string, unknown> {
  const { id, displayName, externalId, members } = group;
  return {
    schemas: [groupSchema],
    id,
    externalId,
    displayName,
    members: members?.map((user) => ({
      value: user.id,
      display: user.userName,
      type: "User",
      $ref: addressOf("Users", user.id),
    })),
    meta: metaOf("Group", addressOf("Groups", id), group),
  };
}
