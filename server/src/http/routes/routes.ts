import type { FastifyReply, FastifyRequest } from "fastify";
import type { EndpointName } from "@lossless/protocol";
import type { HttpContext } from "../http-context.ts";
import { oauthDevice } from "../oauth/device-authorization.ts";
import { oauthMetadata } from "../oauth/metadata.ts";
import { oauthRevoke } from "../oauth/revocation.ts";
import { oauthToken } from "../oauth/token.ts";
import { authorize, authorizePage } from "../pages/authorize-page.ts";
import { approveDevice, devicePage } from "../pages/device-page.ts";
import { join, joinPage } from "../pages/join-page.ts";
import { signIn, signInPage } from "../pages/sign-in-page.ts";
import { signOut } from "../pages/sign-out.ts";
import { startPage } from "../pages/start-page.ts";
import { listArtifacts, openArtifact } from "./artifacts.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { readAudit } from "./audit.ts";
import { authStatus } from "./auth-status.ts";
import { experimentEvents } from "./experiment-events.ts";
import { healthz, readyz } from "./health.ts";
import { readNote, writeNote } from "./notes.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  revokeInvitation,
} from "./invitations.ts";
import { openapi } from "./openapi.ts";
import { completeConnection, createConnection, deleteConnection } from "./connections.ts";
import { readIssuer, readIssuerKeys } from "./issuer.ts";
import { createLocation, readOrganization, readUsage, updateLocation } from "./locations.ts";
import { organizationEvents } from "./organization-events.ts";
import { readObject } from "./read-object.ts";
import { changeRole, listOrganizations, listPeople, removePerson } from "./people.ts";
import { querySeries } from "./series.ts";
import {
  changePassword,
  createSession,
  endSession,
  readSession,
  switchOrganization,
} from "./sessions.ts";
import { whoami } from "./whoami.ts";
import { beginVersion, commitUpload, listVersions, readVersion, resignUpload } from "./versions.ts";
import { writePart } from "./write-part.ts";

/** The work of an endpoint, after guards and authentication. */
export type Route = (
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>;

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
