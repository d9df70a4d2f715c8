import { agentEndpoints } from "./agent-endpoints.ts";
import { aliasEndpoints } from "./aliases.ts";
import { artifactEndpoints } from "./artifact-endpoints.ts";
import { artifactViewEndpoints } from "./artifact-views.ts";
import { attemptEndpoints } from "./attempts.ts";
import { consoleEndpoints } from "./console.ts";
import { exportEndpoints } from "./exports.ts";
import { guestEndpoints } from "./guests.ts";
import { lineageEndpoints } from "./lineage.ts";
import { issuerEndpoints } from "./issuer-endpoints.ts";
import { loggedEndpoints } from "./logged.ts";
import { metricsEndpoints } from "./metrics-endpoints.ts";
import { oauthEndpoints } from "./oauth-endpoints.ts";
import { mlflowEndpoints } from "./mlflow-endpoints.ts";
import { organizationEndpoints } from "./organization-endpoints.ts";
import { savedEndpoints } from "./saved-endpoints.ts";
import { organizationViewEndpoints } from "./organization-views.ts";
import { signOnEndpoints } from "./sign-on.ts";
import { scimEndpoints } from "./scim-endpoints.ts";
import { runViewEndpoints } from "./run-files.ts";
import { viewEndpoints } from "./view-endpoints.ts";
import { registryEndpoints } from "./registry.ts";
import { retentionEndpoints } from "./retention.ts";
import { trashEndpoints } from "./trash-endpoints.ts";
import { webEndpoints } from "./web-endpoints.ts";
import { workspaceEndpoints } from "./workspace-endpoints.ts";

/**
 * Every endpoint of the service. The server has a route for each; the OpenAPI document lists it.
 */
export const endpoints = {
  ...metricsEndpoints,
  ...artifactEndpoints,
  ...aliasEndpoints,
  ...registryEndpoints,
  ...lineageEndpoints,
  ...organizationEndpoints,
  ...guestEndpoints,
  ...oauthEndpoints,
  ...issuerEndpoints,
  ...viewEndpoints,
  ...loggedEndpoints,
  ...consoleEndpoints,
  ...attemptEndpoints,
  ...exportEndpoints,
  ...artifactViewEndpoints,
  ...runViewEndpoints,
  ...savedEndpoints,
  ...workspaceEndpoints,
  ...organizationViewEndpoints,
  ...trashEndpoints,
  ...retentionEndpoints,
  ...signOnEndpoints,
  ...scimEndpoints,
  ...mlflowEndpoints,
  ...agentEndpoints,
  ...webEndpoints,
} as const;

export type EndpointName = keyof typeof endpoints;
