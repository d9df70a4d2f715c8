import type { CredentialKind, EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";

/** Tags of the document; an address gets the first that fits. */
const areas = [
  {
    name: "metrics",
    description: "Experiments, their points and annotations, by events; series as a stream.",
    paths: /^\/api\/v2\//,
  },
  {
    name: "views",
    description: "The data of charts and tables: series reduced for drawing.",
    paths: /^\/api\/views\//,
  },
  {
    name: "mlflow",
    description:
      "The interface of MLflow's clients: runs are experiments, MLflow's experiments are folders.",
    paths: /^\/(api\/[23]\.0\/mlflow|version$|health$)/,
  },
  {
    name: "agents",
    description: "The Model Context Protocol: tools by which agents ask about experiments.",
    paths: /^\/mcp\b/,
  },
  {
    name: "provisioning",
    description: "SCIM 2.0: identity providers report the members of an organization.",
    paths: /^\/scim\//,
  },
  {
    name: "artifacts",
    description: "Versioned files with one fenced writer; bytes go to the addresses of a reply.",
    paths: /^\/(api\/v1\/(artifacts|versions|uploads|notes)|objects)\b/,
  },
  {
    name: "organization",
    description: "Connected clouds, locations, API keys, usage and the audit log.",
    paths: /^\/api\/v1\/(org|connections|locations|usage|api-keys|audit)$/,
  },
  {
    name: "people",
    description: "Members of an organization, and sessions.",
    paths: /^\/api\/v1\//,
  },
  {
    name: "service",
    description: "Open to every program: health, this document, the issuer of tokens.",
    paths: /^\/(api\/openapi\.json|healthz|readyz|issuer\b.*|\.well-known\/(openid|jwks).*|)$/,
  },
  {
    name: "sign-in",
    description: "Sign-in of the command line (OAuth 2.0), and the pages for it.",
    paths: /^\//,
  },
] as const;

export const tags = areas.map(({ name, description }) => ({ name, description }));

export function tagOf({ path }: EndpointDefinition): string {
  return areas.find(({ paths }) => paths.test(path))!.name;
}

const credentialWords: Record<CredentialKind, string> = {
  api_key: "an organization API key",
  session: "a session token",
  oauth: "a command-line token",
  experiment_token: "a token of the experiment in the address",
  signature: "the signature of the address itself",
  scim: "the SCIM token of an organization's identity provider",
  guest: "a guest link",
};

/** Describes what a caller needs to know beyond the schemas. */
export function descriptionOf(endpoint: EndpointDefinition): string {
  const { summary, credentials, role, request, about } = endpoint;
  const words = credentials.map((kind) => credentialWords[kind]);
  return [
    summary,
    ...(about === undefined ? [] : [about]),
    words.length === 0 ? "Open to everyone." : `Takes ${listed(words)}.`,
    ...(role === undefined ? [] : [`Needs a person with the role ${role} or more.`]),
    ...(request.kind === "events" ? [eventsText(request.endpoint)] : []),
  ].join("\n\n");
}

function eventsText(endpoint: string): string {
  if (endpoint === "series") {
    return (
      "One envelope. The reply is `application/x-ndjson`: one reply envelope a line, each with the `event` that says " +
      "what it is. It is complete only if it ends with a `done` record whose counts match; " +
      "after `svc.v2.error` as the last line, or without `done`, discard all of it.\n\n" +
      "Extension: with `Accept: application/vnd.lossless.columns` or `application/vnd.apache.arrow.stream` the same " +
      "comes in that form, which docs/columns.md describes; any other `Accept` means lines."
    );
  }
  return (
    `One envelope or an array of 1 to ${limits.eventsPerRequestMax}; one reply for one, an array in the same order for ` +
    "an array. Events run one after the other, and one that fails does not undo the others: **status 200 may contain " +
    "`svc.v2.error`** in place of a reply, and its `retryable` says whether to send that event again."
  );
}

function listed(words: string[]): string {
  const last = words.at(-1)!;
  return words.length === 1 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}
