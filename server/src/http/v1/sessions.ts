import type { CurrentSession, SessionReply } from "@lossless/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { wrongPassword } from "../../accounts/rows/people/password.ts";
import { writeOne } from "../../storage/storage.ts";
import { notAuthenticated, personCaller } from "../callers/caller.ts";
import { csrfTokenOf, isSameOrigin } from "../callers/csrf.ts";
import { presentedCredential } from "../callers/presented-secret.ts";
import { clearSessionCookie, makeSessionCookie } from "../callers/session-cookie.ts";
import { signIn, type SignedIn } from "../callers/sign-in.ts";
import type { HttpContext } from "../http-context.ts";
import type { OpenService } from "../service-state.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const sessions = endpointRoutes({
  /** Signs in, with a token for programs or a cookie for the web application. */
  async createSession({ body: { cookie = false, ...input }, served, context, request, reply }) {
    // Else a page of somebody else could sign a browser in to an account of theirs.
    if (cookie && !isSameOrigin(context.limits, request)) {
      throw new ServiceError("forbidden", "Only pages of this service can ask for the cookie.");
    }
    const session = await signIn(context, served, input, request);
    return sessionReply(context, reply, session, cookie);
  },

  async readSession({ caller: { organization }, served, context, request }) {
    return currentSession(context, served, request, organization ?? null);
  },

  /** Makes another organization the active one. */
  async switchOrganization({ caller, body: { organization }, served, context, request }) {
    const { hash, personId } = caller;
    const input = { hash, personId, organization };
    const active = await writeOne(served.storage, "session.switch", input);
    return currentSession(context, served, request, active);
  },

  /** Signs out. */
  async endSession({ caller: { hash }, served, context, request, reply }) {
    await writeOne(served.storage, "session.end", { hash, address: request.ip });
    if (presentedCredential(context, request).isCookie) {
      reply.header("set-cookie", clearSessionCookie(context));
    }
  },

  /** Changes the password; this session stays, all other sign-ins of the person end. */
  async changePassword({ caller, body: { current, password }, served, context, request }) {
    const { hash, personId, email, onlyOrganization } = caller;
    if (onlyOrganization !== null) throw notByPassword();
    const { storage } = served;
    const { ip: address } = request;
    await context.callers.guesses.attempt(email, address, async () => {
      const seenPassword = await storage.read("password.read", { personId });
      if (seenPassword === null) throw wrongPassword();
      if (!(await context.callers.passwords.matches(current, seenPassword, email)))
        throw wrongCurrent();
      const input = {
        personId,
        seenPassword,
        password: await context.callers.passwords.hash(password, email),
        keptSession: hash,
        address,
      };
      await writeOne(storage, "password.change", input);
    });
  },
});

/** Returns the reply after a sign-in, for an organization. */
export function sessionReply(
  context: HttpContext,
  reply: FastifyReply,
  { secret, expiresAtMs, organization }: SignedIn,
  cookie: boolean,
): SessionReply {
  if (organization === undefined) {
    throw new ServiceError("forbidden", "You do not belong to any organization.");
  }
  const expires = new Date(expiresAtMs).toISOString();
  if (!cookie) return { token: secret, expires, organization };
  reply.header("set-cookie", makeSessionCookie(context, secret, expiresAtMs - context.clock()));
  return { csrf: csrfTokenOf(secret), expires, organization };
}

function wrongCurrent(): ServiceError {
  return new ServiceError("unauthorized", "The present password is wrong.");
}

function notByPassword(): ServiceError {
  return new ServiceError(
    "forbidden",
    "You signed in by your organization's identity provider: change your password there. To change a password of this service, sign in with it.",
  );
}

async function currentSession(
  context: HttpContext,
  { storage }: OpenService,
  request: FastifyRequest,
  active: CurrentSession["organization"],
): Promise<CurrentSession> {
  const { personId: id, email, expiresAtMs, onlyOrganization } = personCaller(request);
  const { secret } = presentedCredential(context, request);
  if (secret === undefined) throw notAuthenticated(request);
  const expires = new Date(expiresAtMs).toISOString();
  const mine = { personId: id, onlyOrganization };
  const organizations = await storage.read("person.organizations", mine);
  // Membership and role are those of now, whatever the session was made for.
  const { role = null, ...organization } = organizations.find((one) => one.id === active?.id) ?? {};
  return {
    csrf: csrfTokenOf(secret),
    expires,
    person: { id, email },
    organization: "id" in organization ? organization : null,
    role,
    organizations,
  };
}
