import type { FastifyReply, FastifyRequest } from "fastify";
import type { CurrentSession, SessionReply } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { wrongPassword } from "../../people/password.ts";
import { writeOne } from "../../storage/storage.ts";
import { csrfTokenOf, isSameOrigin } from "../callers/csrf.ts";
import { sendJson } from "../replies.ts";
import type { HttpContext } from "../http-context.ts";
import { presentedCredential } from "../callers/presented-secret.ts";
import { clearSessionCookie, makeSessionCookie } from "../callers/session-cookie.ts";
import { signIn } from "../callers/sign-in.ts";
import type { SignedIn } from "../callers/sign-in.ts";
import { readJsonBody } from "./v1-request.ts";
import { actorOf, notAuthenticated, openServed, personCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `POST /api/v1/sessions`: sign-in, with a token for programs or a cookie for the web application. */
export const createSession: Route = async (context, request, reply) => {
  const served = openServed(request);
  const { cookie = false, ...input } = await readJsonBody(context, request, "createSession");
  // Else a page of somebody else could sign a browser in to an account of theirs.
  if (cookie && !isSameOrigin(context, request)) {
    throw new ServiceError("forbidden", "Only pages of this service can ask for the cookie.");
  }
  const session = await signIn(context, served, input, request.ip);
  sendSession(context, reply, session, cookie);
};

/** The reply to whoever has just signed in, for an organization. */
export function sendSession(
  context: HttpContext,
  reply: FastifyReply,
  { secret, expiresAtMs, organization }: SignedIn,
  cookie: boolean,
): void {
  if (organization === undefined) {
    throw new ServiceError("forbidden", "You do not belong to any organization.");
  }
  const expires = new Date(expiresAtMs).toISOString();
  const shown = cookie ? { csrf: csrfTokenOf(secret) } : { token: secret };
  if (cookie) {
    reply.header("set-cookie", makeSessionCookie(context, secret, expiresAtMs - context.clock()));
  }
  const body: SessionReply = { ...shown, expires, organization };
  sendJson(reply, JSON.stringify(body), 201);
}

/** `GET /api/v1/sessions` */
export const readSession: Route = async (context, request, reply) => {
  const { organization } = personCaller(request);
  const active =
    organization === undefined ? null : { id: organization.id, name: organization.name };
  sendJson(reply, JSON.stringify(currentSession(context, request, active)));
};

/** `PATCH /api/v1/sessions`: another organization becomes the active one. */
export const switchOrganization: Route = async (context, request, reply) => {
  const { hash, personId, served } = personCaller(request);
  const { organization } = await readJsonBody(context, request, "switchOrganization");
  const input = { hash, personId, organization };
  const active = await writeOne(served.storage, "session.switch", input);
  sendJson(reply, JSON.stringify(currentSession(context, request, active)));
};

/** `DELETE /api/v1/sessions`: signs out. */
export const endSession: Route = async (context, request, reply) => {
  const { hash, served } = personCaller(request);
  await writeOne(served.storage, "session.end", { hash, address: request.ip });
  if (presentedCredential(context, request).isCookie) {
    reply.header("set-cookie", clearSessionCookie(context));
  }
  void reply.code(204).send();
};

/** `PUT /api/v1/password`: this session goes on, everything else of the person ends. */
export const changePassword: Route = async (context, request, reply) => {
  const { hash, personId, email, served } = personCaller(request);
  const { current, password } = await readJsonBody(context, request, "changePassword");
  const { address } = actorOf(request);
  const { storage } = served;
  await context.guesses.attempt(email, address, async () => {
    const seenPassword = await storage.read("password.read", { personId });
    if (seenPassword === null) throw wrongPassword();
    if (!(await context.passwords.matches(current, seenPassword, email))) throw wrongCurrent();
    const input = {
      personId,
      seenPassword,
      password: await context.passwords.hash(password, email),
      keptSession: hash,
      address,
    };
    await writeOne(storage, "password.change", input);
  });
  void reply.code(204).send();
};

function wrongCurrent(): ServiceError {
  return new ServiceError("unauthorized", "The present password is wrong.");
}

function currentSession(
  context: HttpContext,
  request: FastifyRequest,
  organization: CurrentSession["organization"],
): CurrentSession {
  const { personId: id, email, expiresAtMs } = personCaller(request);
  const { secret } = presentedCredential(context, request);
  if (secret === undefined) throw notAuthenticated(request);
  const expires = new Date(expiresAtMs).toISOString();
  return { csrf: csrfTokenOf(secret), expires, person: { id, email }, organization };
}
