import type { GuestVisit } from "@lossless/protocol";
import type { FastifyRequest } from "fastify";
import { kindOfLink } from "../../accounts/rows/guests/links.ts";
import { uselessGuestLink } from "../../accounts/rows/guests/visit.ts";
import { ServiceError } from "../../ground/errors.ts";
import { hashSecret, isSecretOf } from "../../ground/secrets.ts";
import { writeOne } from "../../storage/storage.ts";
import { notAuthenticated, personCaller } from "../callers/caller.ts";
import type { GuestCaller } from "../callers/credentials.ts";
import { csrfTokenOf, isSameOrigin } from "../callers/csrf.ts";
import { presentedCredential } from "../callers/presented-secret.ts";
import { clearSessionCookie, makeGuestCookie } from "../callers/session-cookie.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { foundBy } from "./found-by.ts";

/** Guest links: made and listed by members, opened by people without an account. */
export const guests = endpointRoutes({
  listGuestLinks({ caller: { organizationId }, served }) {
    return served.storage.read("guestLink.list", { organizationId });
  },

  /** Makes a link. Its address, with the secret, is in this reply only. */
  async createGuestLink({ body, ...making }) {
    const { caller, served, context, request } = making;
    requireSignIn(request);
    const { organizationId, by } = caller;
    const { name, days, isAnonymous = false, showsConsole = false, showsFiles = false } = body;
    if (isAnonymous && showsFiles)
      throw wrong("An anonymous link shows no files: their names and contents say whose they are.");
    const { reportId = null, experimentIds: named } = body;
    if ((named === undefined) === (reportId === null))
      throw wrong("Name either `experimentIds` or a `reportId`.");
    const experimentIds = reportId === null ? [...new Set(named)] : await foundBy(making, reportId);
    const input = { organizationId, name, days, experimentIds, reportId, ...by };
    const shows = { isAnonymous, showsConsole, showsFiles };
    const made = await writeOne(served.storage, "guestLink.create", { ...input, ...shows });
    // Browsers send what is behind the # to nobody.
    return { link: made.link, address: `${context.baseUrl()}/guest#${made.secret}` };
  },

  async revokeGuestLink({ caller: { organizationId, by }, query: { id }, served }) {
    await writeOne(served.storage, "guestLink.revoke", { organizationId, id, ...by });
  },

  setGuestSettings({ caller: { organizationId, by }, body: { membersShare }, served }) {
    return writeOne(served.storage, "guestLink.set", { organizationId, membersShare, by });
  },

  async openGuestLink({ body: { secret }, served, context, request, reply }) {
    context.callers.guestOpenings.take(request.ip);
    if (!isSameOrigin(context.limits, request)) {
      throw new ServiceError("forbidden", "Only pages of this service open guest links.");
    }
    if (!isSecretOf(secret, "gl_")) throw uselessGuestLink();
    const input = { hash: hashSecret(secret), address: request.ip };
    const { organization, ...guest } = await writeOne(served.storage, "guestLink.open", input);
    const lifetimeMs = guest.expiresAtMs - context.clock();
    // The page has asked whether somebody is signed in: a cookie of a session is of an ended one.
    void reply.header("set-cookie", [
      makeGuestCookie(context, secret, lifetimeMs),
      clearSessionCookie(context),
    ]);
    return visitOf({ ...guest, organizationName: organization.name }, secret);
  },

  async readGuestVisit({ caller, context, request }) {
    const { secret } = presentedCredential(context, request);
    if (secret === undefined) throw notAuthenticated(request);
    return visitOf(caller, secret);
  },
});

type Visited = Omit<GuestCaller, "kind" | "linkId" | "organizationId">;

function visitOf(guest: Visited, secret: string): GuestVisit {
  const { experimentIds, reportId, isAnonymous, showsConsole, showsFiles } = guest;
  return {
    csrf: csrfTokenOf(secret),
    expires: new Date(guest.expiresAtMs).toISOString(),
    organization: isAnonymous ? null : guest.organizationName,
    kind: kindOfLink(guest),
    experimentIds,
    reportId,
    isAnonymous,
    showsConsole,
    showsFiles,
  };
}

/** Requires a sign-in; otherwise a leaked token would read on by the links that it made. */
function requireSignIn(request: FastifyRequest): void {
  if (personCaller(request).tokenId === null) return;
  throw new ServiceError("forbidden", "A token makes no guest links: sign in to make one.");
}

function wrong(sentence: string): ServiceError {
  return new ServiceError("bad_request", sentence);
}
