import type { EndpointName } from "@lossless/protocol";
import { agents } from "./agents/agents.ts";
import { attemptReads, reportAttempt } from "./attempts/attempts.ts";
import { appendConsole, consoleReads } from "./console/console.ts";
import { healthz, readyz } from "./health.ts";
import { readObject } from "./objects/read-object.ts";
import { writePart } from "./objects/write-part.ts";
import { guests } from "./guests/guests.ts";
import { experiments } from "./mlflow/experiments.ts";
import { inputs } from "./mlflow/inputs.ts";
import { fileParts } from "./mlflow/file-parts.ts";
import { files } from "./mlflow/files.ts";
import { logging } from "./mlflow/logging.ts";
import { modelSearch } from "./mlflow/model-search.ts";
import { modelVersions } from "./mlflow/model-versions.ts";
import { models } from "./mlflow/models.ts";
import { registeredModels } from "./mlflow/registered-models.ts";
import { histories } from "./mlflow/histories.ts";
import { pageFiles } from "./mlflow/page-files.ts";
import { reading } from "./mlflow/reading.ts";
import { runs } from "./mlflow/runs.ts";
import { serverInfo } from "./mlflow/server-info.ts";
import { openapi } from "./openapi.ts";
import type { Route } from "./route.ts";
import { authorize, authorizePage } from "./sign-in/authorize-page.ts";
import { approveDevice, devicePage } from "./sign-in/device-page.ts";
import { join, joinPage } from "./sign-in/join-page.ts";
import { deviceAuthorization } from "./sign-in/oauth/device-authorization.ts";
import { metadata } from "./sign-in/oauth/metadata.ts";
import { revocation } from "./sign-in/oauth/revocation.ts";
import { token } from "./sign-in/oauth/token.ts";
import { scimDiscovery } from "./scim/discovery.ts";
import { scimGroups } from "./scim/groups.ts";
import { scimUsers } from "./scim/users.ts";
import { scim } from "./sign-on/scim.ts";
import { signOnProvider } from "./sign-on/provider.ts";
import { tokens } from "./sign-on/tokens.ts";
import { signIn, signInPage } from "./sign-in/sign-in-page.ts";
import { beginSignOn, finishSignOn } from "./sign-in/sign-on-pages.ts";
import { signOut } from "./sign-in/sign-out.ts";
import { startPage } from "./sign-in/start-page.ts";
import { apiKeys } from "./v1/api-keys.ts";
import { aliases } from "./v1/aliases.ts";
import { artifacts } from "./v1/artifacts.ts";
import { audit } from "./v1/audit.ts";
import { connections } from "./v1/connections.ts";
import { invitations } from "./v1/invitations.ts";
import { issuer } from "./v1/issuer.ts";
import { lineage } from "./v1/lineage.ts";
import { locations } from "./v1/locations.ts";
import { modelRegistry } from "./v1/models.ts";
import { notes } from "./v1/notes.ts";
import { people } from "./v1/people.ts";
import { signIns } from "./v1/sign-ins.ts";
import { sessions } from "./v1/sessions.ts";
import { whoami } from "./v1/whoami.ts";
import { status } from "./v2/auth-status.ts";
import { experimentEvents } from "./v2/experiment-events.ts";
import { recordColumns } from "./v2/record-columns.ts";
import { organizationEvents } from "./v2/organization-events.ts";
import { querySeries } from "./v2/series.ts";
import { artifactViews } from "./views/artifacts.ts";
import { changes } from "./views/changes.ts";
import { waiting } from "./views/waiting.ts";
import { exports } from "./views/exports.ts";
import { experimentArtifacts } from "./views/experiment-artifacts.ts";
import { runFiles } from "./views/run-files.ts";
import { lines } from "./views/lines.ts";
import { logged } from "./views/logged.ts";
import { organizationViews } from "./views/organization.ts";
import { readPointsCsv } from "./views/points-csv.ts";
import { reportPictures } from "./views/report-pictures.ts";
import { saved } from "./views/saved.ts";
import { workspaces } from "./views/workspaces.ts";
import { readTableCsv, table } from "./views/table.ts";
import { writing } from "./views/writing.ts";
import { retention } from "./trash/retention.ts";
import { trash } from "./trash/trash.ts";
import { pages } from "./web/pages.ts";

/** One route for every row of the protocol's endpoints table. */
export const routes: Readonly<Record<EndpointName, Route>> = {
  organizationEvents,
  experimentEvents,
  recordColumns,
  querySeries,
  ...status,
  ...artifacts,
  ...aliases,
  ...modelRegistry,
  ...lineage,
  ...notes,
  writePart,
  readObject,
  ...locations,
  ...connections,
  ...apiKeys,
  ...whoami,
  ...sessions,
  ...signIns,
  ...people,
  ...invitations,
  ...audit,
  ...guests,
  ...lines,
  appendConsole,
  ...consoleReads,
  reportAttempt,
  ...attemptReads,
  readPointsCsv,
  ...changes,
  ...waiting,
  ...table,
  readTableCsv,
  ...exports,
  ...experimentArtifacts,
  ...runFiles,
  ...logged,
  ...writing,
  ...artifactViews,
  ...saved,
  ...reportPictures,
  ...workspaces,
  ...organizationViews,
  ...trash,
  ...retention,
  ...signOnProvider,
  ...tokens,
  ...scim,
  ...scimDiscovery,
  ...scimUsers,
  ...scimGroups,
  beginSignOn,
  finishSignOn,
  ...experiments,
  ...runs,
  ...logging,
  ...inputs,
  ...models,
  ...registeredModels,
  ...modelVersions,
  ...modelSearch,
  ...reading,
  ...files,
  ...fileParts,
  ...pageFiles,
  ...histories,
  ...serverInfo,
  ...agents,
  ...pages,
  ...issuer,
  ...metadata,
  ...token,
  ...deviceAuthorization,
  ...revocation,
  authorizePage,
  authorize,
  devicePage,
  approveDevice,
  startPage,
  signInPage,
  signIn,
  signOut,
  joinPage,
  join,
  openapi,
  healthz,
  readyz,
};
