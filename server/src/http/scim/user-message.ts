import type { ScimUser, ScimUserFields } from "../../accounts/rows/sign-on/scim/user.ts";
import { flag, isObject, member, requiredText, textOrNull } from "./message.ts";
import { patchSteps } from "./patch.ts";
import { metaOf } from "./resource.ts";

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";

/** Reads a whole user, as in POST and PUT: a missing attribute means none. */
export function readUser(body: object): Omit<ScimUserFields, "active"> & { active?: boolean } {
  const active = member(body, "active");
  const name = member(body, "name");
  const named = isObject(name) ? name : {};
  return {
    userName: requiredText("userName", member(body, "userName")),
    externalId: textOrNull("externalId", member(body, "externalId")),
    displayName: textOrNull("displayName", member(body, "displayName")),
    formatted: textOrNull("name.formatted", member(named, "formatted")),
    givenName: textOrNull("name.givenName", member(named, "givenName")),
    familyName: textOrNull("name.familyName", member(named, "familyName")),
    email: emailIn(member(body, "emails")),
    ...(active !== undefined && active !== null && { active: flag("active", active) }),
  };
}

/** Reads the fields that a PatchOp sets; attributes that are not kept are ignored. */
export function readUserPatch(body: object): Partial<ScimUserFields> {
  const change: Partial<ScimUserFields> = {};
  for (const { op, path, value } of patchSteps(body))
    set(change, path.toLowerCase(), op === "remove" ? null : value);
  return change;
}

const names = {
  "name.formatted": "formatted",
  "name.givenname": "givenName",
  "name.familyname": "familyName",
  displayname: "displayName",
  externalid: "externalId",
} as const;

function set(change: Partial<ScimUserFields>, path: string, value: unknown): void {
  if (path === "username") change.userName = requiredText("userName", value);
  else if (path === "active") change.active = flag("active", value);
  else if (path === "name") {
    const given = isObject(value) ? value : {};
    for (const part of ["formatted", "givenName", "familyName"] as const) {
      const own = member(given, part);
      // Null removes the whole name; an object sets the parts that it has.
      if (value === null || own !== undefined) change[part] = textOrNull(`name.${part}`, own);
    }
  } else if (Object.hasOwn(names, path)) {
    const name = names[path as keyof typeof names];
    change[name] = textOrNull(name, value);
  } else if (isOurEmail(path)) change.email = emailIn(value);
}

/** Whether a path means the address that is kept: of several that of work, or the primary one. */
function isOurEmail(path: string): boolean {
  return /^emails(?:\[\s*(?:type\s+eq\s+"work"|primary\s+eq\s+"?true"?)\s*\])?(?:\.value)?$/.test(
    path,
  );
}

/** Returns the primary address of a list, else that of work, else the first. */
function emailIn(value: unknown): string | null {
  if (isObject(value)) return textOrNull("emails.value", member(value, "value"));
  if (!Array.isArray(value)) return textOrNull("emails.value", value);
  const all = value.filter(isObject).filter((each) => textOrNull("value", member(each, "value")));
  const primary = all.find((each) => /^true$/i.test(String(member(each, "primary"))));
  const work = all.find((each) => /^work$/i.test(String(member(each, "type"))));
  const found = primary ?? work ?? all[0];
  return found === undefined ? null : textOrNull("emails.value", member(found, "value"));
}

/** Returns a user in the form of SCIM; `location` is its address. */
export function userResource(user: ScimUser, location: string): Record<string, unknown> {
  const { id, userName, externalId, active, displayName, email } = user;
  const { formatted, givenName, familyName } = user;
  const name = { formatted, givenName, familyName };
  const own = Object.entries(name).filter(([, value]) => value !== null);
  return {
    schemas: [userSchema],
    id,
    externalId,
    userName,
    name: own.length === 0 ? null : Object.fromEntries(own),
    displayName,
    active,
    emails: email === null ? null : [{ value: email, type: "work", primary: true }],
    meta: metaOf("User", location, user),
  };
}
