import {
  type EndpointDefinition,
  type EndpointName,
  endpoints,
  type Role,
} from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { isAtLeast, roleNeeded } from "../../database/access/role.ts";
import type { Caller, PersonCaller } from "./credentials.ts";

/**
 * Checks whether the caller may use the endpoint at all; throws otherwise, before the body is read.
 * V1 says 403 (and 400 for a command-line token that names no organization, A44); v2 knows only 401
 * (M11).
 */
export function authorize(
  name: EndpointName,
  caller: Caller,
  namedOrganization: string | undefined,
): void {
  const definition: EndpointDefinition = endpoints[name];
  const problem =
    problemOf(name, caller, namedOrganization) ?? scopeProblem(name, definition, caller);
  if (problem !== undefined) throw inFormOf(definition, problem);
}

/** Returns the refusal of a known caller in the form of the endpoint's interface. */
export function inFormOf({ errors }: EndpointDefinition, problem: ServiceError): ServiceError {
  return errors.includes(problem.code)
    ? problem
    : new ServiceError("unauthorized", problem.message);
}

function problemOf(
  name: EndpointName,
  caller: Caller,
  namedOrganization: string | undefined,
): ServiceError | undefined {
  const { role, personal }: EndpointDefinition = endpoints[name];
  switch (caller.kind) {
    case "experiment_token":
    case "scim":
    // guest-scope.ts judges what a guest asks.
    case "guest":
      return undefined;
    case "api_key": {
      const { organizationId, organizationName } = caller;
      if (isOther({ id: organizationId, name: organizationName }, namedOrganization)) {
        return forbidden("The API key belongs to another organization than x-svc-organization.");
      }
      if (role === undefined) return undefined;
      const of = role === "viewer" ? "" : ` with the role ${role}`;
      return forbidden(`This needs a signed-in person${of}, not an API key.`);
    }
    case "session":
    case "oauth": {
      if (personal) return undefined;
      const { organization } = caller;
      if (organization === undefined) return lacksOrganization(caller, namedOrganization);
      if (isOther(organization, namedOrganization)) {
        return forbidden("The session acts for another organization than x-svc-organization.");
      }
      const least = leastRole(name);
      return isAtLeast(organization.role, least) ? undefined : roleNeeded(least, organization.role);
    }
  }
}

/**
 * Returns the least role of a person: the endpoint's own, or else what it does decides. A new
 * endpoint that writes is closed to viewers unless its row says `role: "viewer"`.
 */
function leastRole(name: EndpointName): Role {
  const { role }: EndpointDefinition = endpoints[name];
  return role ?? (isReading(name) ? "viewer" : "member");
}

function isReading(name: EndpointName): boolean {
  return endpoints[name].method === "GET" || readingPosts.has(name);
}

/**
 * Endpoints that only read although they are no GET. `/api/v2/events` both reads and writes:
 * requireWriter judges its events.
 */
const readingPosts: ReadonlySet<EndpointName> = new Set([
  "organizationEvents",
  "querySeries",
  "readConsole",
  "searchConsole",
  "readAttempts",
  "readOverview",
  "readGroups",
  "readExperimentGroups",
  "readPoints",
  "readChanges",
  "waitUntil",
  "readTable",
  "readFields",
  "readDifference",
  "readLoggedNames",
  "readLoggedSteps",
  "readLoggedNearest",
  "readLoggedItems",
  "readLoggedTexts",
  "readLoggedHistograms",
  "readFolders",
  "mcp",
  "mlflowSearchExperiments",
  "mlflowSearchRuns",
  "mlflowSearchModels",
  "mlflowGetLatestVersions",
  "mlflowSearchDatasets",
]);

/** Returns why the scope of a personal token does not cover the endpoint. */
function scopeProblem(
  name: EndpointName,
  { role }: EndpointDefinition,
  caller: Caller,
): ServiceError | undefined {
  if (!("scope" in caller) || caller.scope === "role") return undefined;
  if (caller.scope === "read" && !isReading(name))
    return beyondScope("read", "this changes something");
  if (role === undefined || isAtLeast("member", role)) return undefined;
  return beyondScope(caller.scope, `this needs the role ${role} and a token with the scope role`);
}

/** Throws where a body writes, and the caller's role or their token's scope does not allow it. */
export function requireWriter(name: EndpointName, caller: Caller): void {
  if (!("scope" in caller)) return;
  const role = caller.organization?.role;
  if (role !== undefined && !isAtLeast(role, "member"))
    throw inFormOf(endpoints[name], roleNeeded("member", role));
  if (caller.scope === "read")
    throw inFormOf(endpoints[name], beyondScope("read", "an event of these changes something"));
}

function beyondScope(scope: string, what: string): ServiceError {
  return forbidden(`The token has the scope ${scope}; ${what}.`);
}

/**
 * Whether a header contradicts the credential: a mistake, which must act for neither organization.
 */
function isOther({ id, name }: { id: string; name: string }, named: string | undefined): boolean {
  return named !== undefined && named !== id && named !== name;
}

function lacksOrganization(
  { kind }: PersonCaller,
  namedOrganization: string | undefined,
): ServiceError {
  if (kind === "session") return forbidden("The session has no active organization.");
  if (namedOrganization !== undefined) {
    return forbidden("You do not belong to the organization of x-svc-organization.");
  }
  return new ServiceError(
    "bad_request",
    "The header x-svc-organization is missing: it names the organization to act for.",
  );
}

function forbidden(sentence: string): ServiceError {
  return new ServiceError("forbidden", sentence);
}
