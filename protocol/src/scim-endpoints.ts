import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { scimErrors, scimMediaType as mediaType } from "./scim-errors.ts";
import * as Type from "./type.ts";

const openObject = (title: string, description: string) =>
  Type.Unsafe<object>({ type: "object", title, description });

/** RFC 7643 defines these messages; the members that are read are in server/src/http/scim. */
const ScimMessage = openObject(
  "ScimMessage",
  "A resource or a PatchOp of SCIM 2.0 (RFC 7643, RFC 7644); attributes that are not kept are ignored.",
);
const ScimReply = openObject(
  "ScimReply",
  "A resource of SCIM 2.0, or a ListResponse of resources (RFC 7643, RFC 7644).",
);

const common = { errorForm: scimErrors, credentials: ["scim"], extension: true } as const;
const reading = {
  ...common,
  method: "GET",
  request: { kind: "none" },
  reply: { kind: "json", status: 200, schema: ScimReply, mediaType },
} as const;
const body = {
  kind: "json",
  schema: ScimMessage,
  mediaType,
  bytesMax: limits.scimBodyBytesMax,
} as const;
const writing = { ...common, request: body } as const;
const read = ["bad_request", "unauthorized", "unavailable"] as const;
const change = [...read, "not_found", "conflict", "storage_full"] as const;

const attributes = {
  attributes: Type.Optional(
    Type.String({ description: "The only ones to answer, by commas; id and schemas are always." }),
  ),
  excludedAttributes: Type.Optional(
    Type.String({
      description:
        "Attributes to leave out, separated by commas, for instance `members` of large groups.",
    }),
  ),
};
const one = Type.Object(attributes);
const many = Type.Object({
  ...attributes,
  filter: Type.Optional(
    Type.String({
      description:
        "One comparison by `eq` with a text: of userName, externalId or id of users, of displayName, externalId or id " +
        "of groups.",
    }),
  ),
  startIndex: Type.Optional(Type.String({ description: "From 1 on." })),
  count: Type.Optional(
    Type.String({ description: `${limits.scimPageMax} at most, and without it.` }),
  ),
});

const empty = { kind: "empty", status: 204 } as const;
const changed = { kind: "json", status: 200, schema: ScimReply, mediaType } as const;
const created = { kind: "json", status: 201, schema: ScimReply, mediaType } as const;

const user = "/scim/v2/Users/{userId}";
const group = "/scim/v2/Groups/{groupId}";

/** SCIM 2.0: an organization's identity provider sends its members and groups. */
export const scimEndpoints = {
  scimServiceProvider: {
    ...reading,
    path: "/scim/v2/ServiceProviderConfig",
    summary: "Which parts of SCIM there are.",
    errors: read,
  },
  scimResourceTypes: {
    ...reading,
    path: "/scim/v2/ResourceTypes",
    summary: "The kinds of resources: users and groups.",
    errors: read,
  },
  scimResourceType: {
    ...reading,
    path: "/scim/v2/ResourceTypes/{name}",
    summary: "One resource type.",
    errors: [...read, "not_found"],
  },
  scimSchemas: {
    ...reading,
    path: "/scim/v2/Schemas",
    summary: "The attributes that are kept.",
    errors: read,
  },
  scimSchema: {
    ...reading,
    path: "/scim/v2/Schemas/{name}",
    summary: "The schema of users, or of groups.",
    errors: [...read, "not_found"],
  },
  scimListUsers: {
    ...reading,
    path: "/scim/v2/Users",
    summary: "The users that the provider has sent, by pages.",
    query: many,
    errors: read,
  },
  scimReadUser: {
    ...reading,
    path: user,
    summary: "One of them.",
    query: one,
    errors: [...read, "not_found"],
  },
  scimCreateUser: {
    ...writing,
    method: "POST",
    path: "/scim/v2/Users",
    summary: "Adds a user: a member at once if groups or the default give a role.",
    about:
      "A member with the address is the same person; people of other organizations are not affected.",
    reply: created,
    errors: change,
  },
  scimReplaceUser: {
    ...writing,
    method: "PUT",
    path: user,
    summary: "Sets all of a user. `active` false ends the membership and all sign-ins.",
    reply: changed,
    errors: change,
  },
  scimChangeUser: {
    ...writing,
    method: "PATCH",
    path: user,
    summary: "Sets some of a user, by operations.",
    reply: changed,
    errors: change,
  },
  scimDeleteUser: {
    ...common,
    method: "DELETE",
    path: user,
    summary: "Forgets a user, and ends the membership and all sign-ins.",
    request: { kind: "none" },
    reply: empty,
    errors: change,
  },
  scimListGroups: {
    ...reading,
    path: "/scim/v2/Groups",
    summary: "The groups that the provider has sent, by pages.",
    query: many,
    errors: read,
  },
  scimReadGroup: {
    ...reading,
    path: group,
    summary: "One of them.",
    query: one,
    errors: [...read, "not_found"],
  },
  scimCreateGroup: {
    ...writing,
    method: "POST",
    path: "/scim/v2/Groups",
    summary: "Takes a group in; its members get the role that the sign-on gives it.",
    reply: created,
    errors: change,
  },
  scimReplaceGroup: {
    ...writing,
    method: "PUT",
    path: group,
    summary: "Sets all of a group, its members too.",
    reply: changed,
    errors: change,
  },
  scimChangeGroup: {
    ...writing,
    method: "PATCH",
    path: group,
    summary: "Renames a group, adds and removes members, by operations.",
    reply: empty,
    errors: change,
  },
  scimDeleteGroup: {
    ...common,
    method: "DELETE",
    path: group,
    summary: "Forgets a group; its users stay, without the role that it gave.",
    request: { kind: "none" },
    reply: empty,
    errors: change,
  },
} as const satisfies Record<string, EndpointDefinition>;
