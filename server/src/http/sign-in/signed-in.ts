import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { hashSecret } from "../../ground/secrets.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import { isCsrfTokenOf, isSameOrigin } from "../callers/csrf.ts";
import type { Form } from "./form.ts";
import type { HttpContext } from "../http-context.ts";
import { openServed } from "../callers/caller.ts";
import { readSessionCookie } from "../callers/session-cookie.ts";

/** The person whose session the browser's cookie holds. */
export interface SignedInPerson {
  personId: string;
  email: string;
  /** The organization whose provider they signed in by; null: by their password. */
  onlyOrganization: string | null;
  /** SHA-256 of the secret. */
  sessionHash: Uint8Array;
  /** Secret of the session; the token in our forms is derived from it. */
  secret: string;
}

/** Returns the signed-in person; undefined when there is none, or the session has ended. */
export async function signedInPerson(
  context: HttpContext,
  request: FastifyRequest,
): Promise<SignedInPerson | undefined> {
  const secret = readSessionCookie(context, request);
  if (secret === undefined) return undefined;
  const { storage } = openServed(request);
  const presented = { kind: "session", secret, organization: undefined } as const;
  const caller = await context.callers.credentials.find(storage, presented, request.startedAtMs);
  if (caller?.kind !== "session") return undefined;
  const { personId, email, onlyOrganization, hash: sessionHash } = caller;
  return { personId, email, onlyOrganization, sessionHash, secret };
}

/**
 * Returns the names of the organizations that the person's consent concerns, for people to read.
 */
export async function organizationNames(
  { personId, onlyOrganization }: SignedInPerson,
  storage: Storage,
): Promise<string> {
  const mine = await storage.read("person.organizations", { personId, onlyOrganization });
  return mine.length === 0 ? "no organization yet" : mine.map(({ name }) => name).join(", ");
}

/** Requires that a form comes from one of our pages (T21), also before any sign-in. */
export function requireOwnOrigin(context: HttpContext, request: FastifyRequest): void {
  if (isSameOrigin(context.limits, request)) return;
  throw new ServiceError("forbidden", "The form was sent from a page of another site.");
}

/** Requires that an answer comes from a page that was made for the person's session. */
export function requireOwnForm(person: SignedInPerson, form: Form): void {
  if (isCsrfTokenOf(person.secret, form["csrf"])) return;
  throw new ServiceError(
    "forbidden",
    "The page is out of date. Go back, reload it, and try again.",
  );
}

/** Ends the session in the browser's cookie, if there is one. */
export async function endCookieSession(
  context: HttpContext,
  request: FastifyRequest,
): Promise<void> {
  const secret = readSessionCookie(context, request);
  if (secret === undefined) return;
  const input = { hash: hashSecret(secret), address: request.ip };
  await writeOne(openServed(request).storage, "session.end", input);
}
