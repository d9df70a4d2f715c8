import { checkBody, endpoints, limits } from "@lossless/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { emailField } from "./email-field.ts";
import { formFailure } from "./error-page.ts";
import { readForm } from "./form.ts";
import type { HttpContext } from "../http-context.ts";
import { readQuery } from "../query.ts";
import { openServed } from "../callers/caller.ts";
import type { Route } from "../route.ts";
import { makeSessionCookie } from "../callers/session-cookie.ts";
import { type SignedIn, signIn as signInPerson } from "../callers/sign-in.ts";
import { problemsText } from "../bodies/json-body.ts";
import { html } from "./html.ts";
import { homeAddress, nextAddress } from "./next-address.ts";
import { alert, type Page, sendOn, sendPage } from "./page.ts";
import { personLine } from "./person-line.ts";
import {
  endCookieSession,
  requireOwnOrigin,
  signedInPerson,
  type SignedInPerson,
} from "./signed-in.ts";

const { path } = endpoints.signInPage;

/**
 * `GET /sign-in`: the form, or the person who is signed in already. `next` is the address to
 * continue at.
 */
export const signInPage: Route = async (context, request, reply) => {
  const next = nextAddress(readQuery("signInPage", request.raw.url).next);
  const person = await signedInPerson(context, request);
  if (person !== undefined) return sendPage(reply, homePage(person, next));
  sendPage(reply, formPage({ next, hasSignOn: await hasSignOn(request) }));
};

/** `POST /sign-in`: sets the cookie, and redirects to the address to continue at. */
export const signIn: Route = async (context, request, reply) => {
  requireOwnOrigin(context, request);
  const { email = "", password = "", next: wanted, by } = await readForm(context, request);
  const next = nextAddress(wanted);
  if (by === "organization") return offerSignOn(request, reply, { email, next });
  let signedIn: SignedIn;
  try {
    const verdict = checkBody("createSession", { email, password });
    if (!verdict.ok) throw new ServiceError("bad_request", `${problemsText(verdict.problems)}.`);
    const input = { email, password, mayLackOrganization: true };
    signedIn = await signInPerson(context, openServed(request), input, request);
  } catch (error) {
    const { status, sentence } = formFailure(error);
    const page = { next, email, problem: sentence, hasSignOn: await hasSignOn(request) };
    return sendPage(reply, formPage(page), { status });
  }
  // Rotated: the browser's earlier session has ended, of whichever person.
  await endCookieSession(context, request);
  keepSession(context, reply, signedIn);
  sendOn(reply, next ?? homeAddress);
};

/** Puts the new session into the browser, and nowhere else. */
export function keepSession(
  context: HttpContext,
  reply: FastifyReply,
  { secret, expiresAtMs }: SignedIn,
): void {
  reply.header("set-cookie", makeSessionCookie(context, secret, expiresAtMs - context.clock()));
}

const autofocus = html`autofocus`;

function formPage({
  next,
  email = "",
  problem,
  hasSignOn,
}: {
  next: string | undefined;
  email?: string;
  problem?: string;
  hasSignOn: boolean;
}): Page {
  const nextField =
    next === undefined ? undefined : html`<input type="hidden" name="next" value="${next}" />`;
  return {
    title: "Sign in",
    body: html`${alert(problem)}
      <form method="post" action="${path}">
        ${nextField} ${emailField(email, email === "")}
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          ${email === "" ? undefined : autofocus}
          maxlength="${limits.passwordCharactersMax}"
        />
        <button>Sign in</button>
        ${hasSignOn ? byOrganization : undefined}
      </form>
      ${problem === undefined ? undefined : forgotten}`,
  };
}

/**
 * Advice for a forgotten password: nothing is sent by mail, and a link opens every organization of
 * the person.
 */
const forgotten = html`<p class="below">
  Forgot your password? The operator of this service can create a link for a new one:
  <code>lossless people reset-password</code>.
</p>`;

/** Sign-in by the organization needs the address and no password. */
const byOrganization = html`<p class="or">or</p>
  <button class="plain" name="by" value="organization" formnovalidate>
    Sign in with your organization
  </button>`;

/** Whether an organization has an identity provider, so that the page offers a second way. */
async function hasSignOn(request: FastifyRequest): Promise<boolean> {
  const found = await openServed(request).storage.read("signOn.offered", { email: null });
  return found.length > 0;
}

/**
 * Returns the ways of sign-in for an address, by its domain. They are links and no redirect:
 * browsers apply the page's policy also to redirects after a form.
 */
async function offerSignOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { email, next }: { email: string; next: string | undefined },
): Promise<void> {
  const offered = await openServed(request).storage.read("signOn.offered", { email });
  if (offered.length === 0) {
    const problem = email.includes("@")
      ? "No organization here has its own sign-in for this address. Use your password, or ask the person who invited you."
      : "Enter your e-mail address first: its domain shows which organization is yours.";
    return sendPage(reply, formPage({ next, email, problem, hasSignOn: true }), { status: 400 });
  }
  const query = next === undefined ? "" : `?${new URLSearchParams({ next }).toString()}`;
  sendPage(reply, {
    title: "Sign in",
    body: html`${offered.map(
        ({ organizationId, organizationName, name }) =>
          html`<p>
            <a class="button" href="/sign-on/${organizationId}${query}"
              >Sign in with ${name}<br /><small>to ${organizationName}</small></a
            >
          </p>`,
      )}
      <p class="below"><a href="${path}${query}">Sign in with a password</a></p>`,
  });
}

function homePage(person: SignedInPerson, next: string | undefined): Page {
  const goOn = next === undefined ? undefined : html`<p><a href="${next}">Continue</a></p>`;
  return {
    title: "You are signed in",
    body: html`${goOn}
      <p class="soft">
        To use the command line, run <code>lossless login</code>. For a machine without a browser,
        <a href="${endpoints.devicePage.path}">enter the code</a> that it shows.
      </p>
      ${personLine(person, undefined)}`,
  };
}
