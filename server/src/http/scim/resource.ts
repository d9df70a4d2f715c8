import type { ListQuestion } from "./filter.ts";

/** The attributes that a request wants (RFC 7644 3.9). */
interface Wanted {
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

/** Attributes that a resource has whatever the request wants. */
const always: ReadonlySet<string> = new Set(["schemas", "id"]);

/** Whether an attribute of the resource itself belongs in the reply. */
export function isWanted(name: string, { attributes, excludedAttributes }: Wanted): boolean {
  if (always.has(name)) return true;
  const wanted = name.toLowerCase();
  if (attributes !== undefined && attributes !== "") return namesIn(attributes).has(wanted);
  return !namesIn(excludedAttributes ?? "").has(wanted);
}

/** Returns the attributes of a list; that of `name.givenName` is `name`. */
function namesIn(list: string): Set<string> {
  const names = list.split(",").map((each) => each.trim().toLowerCase());
  return new Set(
    names.map((each) => each.replace(/^urn:.*:(?=[^:]+$)/, "").replace(/[.[].*$/, "")),
  );
}

/** Returns the wanted part of a resource, without attributes that have no value. */
export function narrowed(resource: Record<string, unknown>, wanted: Wanted): object {
  return Object.fromEntries(
    Object.entries(resource).filter(
      ([name, value]) => value !== null && value !== undefined && isWanted(name, wanted),
    ),
  );
}

/** RFC 7643 3.1 */
export function metaOf(
  resourceType: "User" | "Group",
  location: string,
  { createdAtMs, changedAtMs }: { createdAtMs: number; changedAtMs: number },
): object {
  return {
    resourceType,
    created: new Date(createdAtMs).toISOString(),
    lastModified: new Date(changedAtMs).toISOString(),
    location,
  };
}

/** RFC 7644 3.4.2 */
export function listReply(
  total: number,
  { offset }: Pick<ListQuestion<string>, "offset">,
  resources: readonly object[],
): object {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
