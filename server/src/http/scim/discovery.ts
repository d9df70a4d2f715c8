import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../../ground/errors.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { groupSchema } from "./group-message.ts";
import { listReply } from "./resource.ts";
import { userSchema } from "./user-message.ts";

/** The documents that providers request before they begin (RFC 7643 5 to 7, RFC 7644 4). */
export const scimDiscovery = endpointRoutes({
  async scimServiceProvider({ context }) {
    return {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: limits.scimPageMax },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [
        {
          type: "oauthbearertoken",
          name: "OAuth Bearer Token",
          description: "The SCIM token that an owner of the organization makes.",
          primary: true,
        },
      ],
      meta: {
        resourceType: "ServiceProviderConfig",
        location: `${context.baseUrl()}/scim/v2/ServiceProviderConfig`,
      },
    };
  },

  async scimResourceTypes({ context }) {
    const all = resourceTypes(context.baseUrl());
    return listReply(all.length, { offset: 0 }, all);
  },

  async scimResourceType({ context, request }) {
    return named(resourceTypes(context.baseUrl()), nameIn(request.params));
  },

  async scimSchemas({ context }) {
    const all = schemas(context.baseUrl());
    return listReply(all.length, { offset: 0 }, all);
  },

  async scimSchema({ context, request }) {
    return named(schemas(context.baseUrl()), nameIn(request.params));
  },
});

function nameIn(params: unknown): string {
  return (params as { name: string }).name;
}

function named<One extends { id: string }>(all: readonly One[], name: string): One {
  const found = all.find(({ id }) => id === name);
  if (found !== undefined) return found;
  throw new ServiceError("not_found", `There is no ${name}; there are users and groups.`);
}

function resourceTypes(baseUrl: string) {
  const kinds = [
    { id: "User", endpoint: "/Users", schema: userSchema },
    { id: "Group", endpoint: "/Groups", schema: groupSchema },
  ];
  return kinds.map((kind) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    name: kind.id,
    ...kind,
    meta: {
      resourceType: "ResourceType",
      location: `${baseUrl}/scim/v2/ResourceTypes/${kind.id}`,
    },
  }));
}

/** Returns an attribute with the defaults of RFC 7643 7; `more` has the differences. */
function attribute(name: string, more: object = {}): object {
  return {
    name,
    type: "string",
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...more,
  };
}

function complex(name: string, subAttributes: readonly object[], more: object = {}): object {
  return attribute(name, { type: "complex", subAttributes, ...more });
}

const userAttributes = [
  attribute("userName", { required: true, uniqueness: "server" }),
  attribute("externalId", { caseExact: true }),
  complex(
    "name",
    ["formatted", "givenName", "familyName"].map((name) => attribute(name)),
  ),
  attribute("displayName"),
  attribute("active", { type: "boolean" }),
  complex(
    "emails",
    [attribute("value"), attribute("type"), attribute("primary", { type: "boolean" })],
    { multiValued: true },
  ),
];

const groupAttributes = [
  attribute("displayName", { required: true, uniqueness: "server" }),
  attribute("externalId", { caseExact: true }),
  complex(
    "members",
    [
      attribute("value", { mutability: "immutable" }),
      attribute("display", { mutability: "readOnly" }),
      attribute("type", { mutability: "immutable", canonicalValues: ["User"] }),
      attribute("$ref", { type: "reference", referenceTypes: ["User"], mutability: "immutable" }),
    ],
    { multiValued: true },
  ),
];

function schemas(baseUrl: string) {
  const all = [
    { id: userSchema, name: "User", description: "A user", attributes: userAttributes },
    { id: groupSchema, name: "Group", description: "A group", attributes: groupAttributes },
  ];
  return all.map((schema) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    ...schema,
    meta: { resourceType: "Schema", location: `${baseUrl}/scim/v2/Schemas/${schema.id}` },
  }));
}
