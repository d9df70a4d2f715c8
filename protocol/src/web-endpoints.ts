import type { EndpointDefinition } from "./endpoint.ts";
import { pageErrors, v2Errors } from "./error-forms.ts";

/**
 * The pages of the web application. All are one document without data, which fetches what it shows
 * from the interfaces, so no credential is needed.
 */
const shell = {
  errorForm: pageErrors,
  method: "GET",
  credentials: [],
  request: { kind: "none" },
  reply: { kind: "page", status: 200 },
  errors: ["unavailable"],
  extension: true,
} as const;

export const pageEndpoints = {
  experimentsPage: { ...shell, path: "/experiments", summary: "The page with all experiments." },
  experimentPage: {
    ...shell,
    path: "/experiments/{experimentId}",
    summary: "The page of one experiment.",
  },
  comparePage: {
    ...shell,
    path: "/compare",
    summary: "The page that compares experiments: named ones, or the results of a query.",
  },
  reportsPage: { ...shell, path: "/reports", summary: "The page with all reports." },
  guestPage: { ...shell, path: "/guest", summary: "The page that opens a guest link." },
  guestsPage: {
    ...shell,
    path: "/organization/guests",
    summary: "The page of the organization's guest links.",
  },
  reportPage: { ...shell, path: "/reports/{reportId}", summary: "The page of one report." },
  slugPage: {
    ...shell,
    path: "/go",
    summary: "The page of the experiment with this slug, for links that people and programs write.",
  },
  artifactsPage: { ...shell, path: "/artifacts", summary: "The page with all artifacts." },
  artifactPage: {
    ...shell,
    path: "/artifact",
    summary: "The page of one artifact and its versions.",
  },
  modelsPage: { ...shell, path: "/models", summary: "The page with all registered models." },
  lineagePage: { ...shell, path: "/lineage", summary: "The page with a graph of lineage." },
  modelPage: { ...shell, path: "/model", summary: "The page of one registered model." },
  peoplePage: {
    ...shell,
    path: "/organization/people",
    summary: "The page of the organization's people and invitations.",
  },
  keysPage: {
    ...shell,
    path: "/organization/keys",
    summary: "The page of the organization's API keys.",
  },
  tokensPage: {
    ...shell,
    path: "/organization/tokens",
    summary: "The page of a person's tokens, and of the organization's service accounts.",
  },
  signOnPage: {
    ...shell,
    path: "/organization/sign-on",
    summary: "The page of the organization's identity provider.",
  },
  trashPage: {
    ...shell,
    path: "/organization/trash",
    summary: "The page of the organization's trash.",
  },
  rulesPage: {
    ...shell,
    path: "/organization/rules",
    summary: "The page of the retention rules.",
  },
  locationsPage: {
    ...shell,
    path: "/organization/locations",
    summary: "The page of the organization's locations.",
  },
  connectionsPage: {
    ...shell,
    path: "/organization/connections",
    summary: "The page of the organization's connected clouds.",
  },
  usagePage: {
    ...shell,
    path: "/organization/usage",
    summary: "The page of the organization's usage.",
  },
  auditPage: {
    ...shell,
    path: "/organization/audit",
    summary: "The page of the organization's audit log.",
  },
  accountPage: {
    ...shell,
    path: "/account",
    summary: "The page of a person: sign-ins, password, organizations.",
  },
} as const satisfies Record<string, EndpointDefinition>;

export const webEndpoints = {
  ...pageEndpoints,
  webAsset: {
    ...shell,
    errorForm: v2Errors,
    path: "/assets/{name}",
    summary:
      "A script or style of the pages, whose name changes with its content; or the Python client's wheel.",
    reply: { kind: "bytes", status: 200 },
    errors: ["not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;
