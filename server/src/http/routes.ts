import type { EndpointName } from "@lossless/protocol";
import type { Route } from "./route.ts";
import { oauthDevice } from "./sign-in/oauth/device-authorization.ts";
import { oauthMetadata } from "./sign-in/oauth/metadata.ts";
import { oauthRevoke } from "./sign-in/oauth/revocation.ts";
import { oauthToken } from "./sign-in/oauth/token.ts";
import { authorize, authorizePage } from "./sign-in/authorize-page.ts";
import { approveDevice, devicePage } from "./sign-in/device-page.ts";
import { join, joinPage } from "./sign-in/join-page.ts";
import { signIn, signInPage } from "./sign-in/sign-in-page.ts";
import { signOut } from "./sign-in/sign-out.ts";
import { startPage } from "./sign-in/start-page.ts";
import { listArtifacts, openArtifact } from "./v1/artifacts.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./v1/api-keys.ts";
import { readAudit } from "./v1/audit.ts";
import { authStatus } from "./v2/auth-status.ts";
import { experimentEvents } from "./v2/experiment-events.ts";
import { healthz, readyz } from "./health.ts";
import { readNote, writeNote } from "./v1/notes.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  revokeInvitation,
} from "./v1/invitations.ts";
import { openapi } from "./openapi.ts";
import { completeConnection, createConnection, deleteConnection } from "./v1/connections.ts";
import { readIssuer, readIssuerKeys } from "./v1/issuer.ts";
import { createLocation, readOrganization, readUsage, updateLocation } from "./v1/locations.ts";
import { organizationEvents } from "./v2/organization-events.ts";
import { readObject } from "./objects/read-object.ts";
import { changeRole, listOrganizations, listPeople, removePerson } from "./v1/people.ts";
import { querySeries } from "./v2/series.ts";
import {
  changePassword,
  createSession,
  endSession,
  readSession,
  switchOrganization,
} from "./v1/sessions.ts";
import { whoami } from "./v1/whoami.ts";
import {
  beginVersion,
  commitUpload,
  listVersions,
  readVersion,
  resignUpload,
} from "./v1/versions.ts";
import { writePart } from "./objects/write-part.ts";

/** One route for every row of the protocol's endpoints table. */
export const routes: Readonly<Partial<Record<EndpointName, Route>>> = {
  organizationEvents,
  experimentEvents,
  querySeries,
  authStatus,
  openArtifact,
  beginVersion,
  resignUpload,
  commitUpload,
  readVersion,
  listVersions,
  listArtifacts,
  readNote,
  writeNote,
  writePart,
  readObject,
  oauthMetadata,
  oauthToken,
  oauthDevice,
  oauthRevoke,
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
  readIssuer,
  readIssuerKeys,
  readOrganization,
  createConnection,
  completeConnection,
  deleteConnection,
  createLocation,
  updateLocation,
  readUsage,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  whoami,
  createSession,
  readSession,
  switchOrganization,
  endSession,
  changePassword,
  listOrganizations,
  listPeople,
  changeRole,
  removePerson,
  listInvitations,
  createInvitation,
  revokeInvitation,
  acceptInvitation,
  readAudit,
  openapi,
  healthz,
  readyz,
};
