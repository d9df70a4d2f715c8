import { checkBody, endpoints, limits } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { normalEmail } from "../../accounts/rows/people/person.ts";
import type { ShownInvitation } from "../../accounts/rows/people/shown-invitation.ts";
import { emailField } from "./email-field.ts";
import { formFailure } from "./error-page.ts";
import { readForm } from "./form.ts";
import { joinOrganization, shownInvitation } from "../callers/join.ts";
import { readQuery } from "../query.ts";
import { openServed } from "../callers/caller.ts";
import type { Route } from "../route.ts";
import type { SignedIn } from "../callers/sign-in.ts";
import { problemsText } from "../bodies/json-body.ts";
import { html, type Html } from "./html.ts";
import { homeAddress } from "./next-address.ts";
import { alert, type Page, sendOn, sendPage } from "./page.ts";
import { keepSession } from "./sign-in-page.ts";
import {
  endCookieSession,
  requireOwnOrigin,
  signedInPerson,
  type SignedInPerson,
} from "./signed-in.ts";

const { path } = endpoints.joinPage;

/**
 * `GET /join?token=…`: the page of invitations and of the link of the first start. Names the
 * purpose of the link; the token moves into the form.
 */
export const joinPage: Route = async (context, request, reply) => {
  const { token = "" } = readQuery("joinPage", request.raw.url);
  if (token === "") {
    throw new ServiceError(
      "bad_request",
      "The link is not complete: open it as it was sent to you.",
    );
  }
  const { page, status } = await shownPage(context, request, { token });
  sendPage(reply, page, { status });
};

/** `POST /join`: sets the password, or compares it if the person is already known, and signs in. */
export const join: Route = async (context, request, reply) => {
  requireOwnOrigin(context, request);
  const { token = "", email = "", password = "", again } = await readForm(context, request);
  let signedIn: SignedIn;
  try {
    const verdict = checkBody("acceptInvitation", { token, email, password });
    if (!verdict.ok) throw new ServiceError("bad_request", `${problemsText(verdict.problems)}.`);
    const isOnce = again === "" && isOwnAddress(email, await signedInPerson(context, request));
    if (again !== undefined && again !== password && !isOnce) {
      throw new ServiceError("bad_request", "The two passwords do not match.");
    }
    const input = { token, email, password };
    signedIn = await joinOrganization(context, openServed(request), input, request);
  } catch (error) {
    const { status, sentence } = formFailure(error);
    const { page } = await shownPage(context, request, { token, email, problem: sentence });
    return sendPage(reply, page, { status });
  }
  await endCookieSession(context, request);
  keepSession(context, reply, signedIn);
  sendOn(reply, homeAddress);
};

/**
 * Returns the form, whether or not a person is signed in here; or the page that says that the link
 * has ended.
 */
async function shownPage(
  context: Parameters<Route>[0],
  request: Parameters<Route>[1],
  { token, email, problem }: { token: string; email?: string; problem?: string },
): Promise<{ page: Page; status: 200 | 404 }> {
  const { storage } = openServed(request);
  const invitation = await shownInvitation({ storage }, token);
  const person = await signedInPerson(context, request);
  if (invitation === null) return { page: endedPage(person), status: 404 };
  const filled = { token, email, problem };
  if (invitation.isForPassword || person === undefined)
    return { page: formPage(invitation, filled), status: 200 };
  const mine = await storage.read("person.organizations", person);
  const isMember = mine.some(({ name }) => name === invitation.organizationName);
  const page = formPage(invitation, { ...filled, person: { ...person, isMember } });
  return { page, status: 200 };
}

/** Returns the same page for unknown, used, revoked and expired links. */
function endedPage(person: SignedInPerson | undefined): Page {
  return {
    title: "This link has ended",
    body: html`<p role="alert">
        A link works once and for a limited time. Ask the person who sent it to you for a new one.
      </p>
      <p class="below">
        ${
          person === undefined
            ? html`<a href="${endpoints.signInPage.path}">Sign in</a> if you have already used it.`
            : html`<a href="${homeAddress}">Continue</a> as ${person.email} if you have already used
                it.`
        }
      </p>`,
  };
}

interface Known extends SignedInPerson {
  /** Whether the person belongs to the organization of the link. */
  isMember: boolean;
}

function isOwnAddress(email: string, person: SignedInPerson | undefined): boolean {
  return person !== undefined && person.email === normalEmail(email);
}

/** A person who joins under another address is signed in as that one afterwards. */
function signedInAs({ email, isMember }: Known): Html {
  if (isMember)
    return html`<p class="soft">
      You are signed in as <strong>${email}</strong>, who is already a member:
      <a href="${homeAddress}">continue</a>. The link is for someone else.
    </p>`;
  return html`<p class="soft">
    You are signed in as <strong>${email}</strong>. To join as the same person, enter that address
    and its password. If you enter another address, this browser is signed in as that person.
  </p>`;
}

function purpose({ organizationName, role, isForPassword }: ShownInvitation): Html {
  if (isForPassword) return html`<p>Set a new password. It replaces the old one.</p>`;
  return html`<p>You are invited to <strong>${organizationName}</strong> as ${role}.</p>
    <p class="soft">
      New here? Choose a password. If you have signed in here before, enter your existing password.
    </p>`;
}

interface Filled {
  token: string;
  email?: string | undefined;
  problem?: string | undefined;
  person?: Known;
}

function formPage(invitation: ShownInvitation, filled: Filled): Page {
  const { token, problem, person } = filled;
  const joining = person?.isMember === false ? person : undefined;
  const email = filled.email ?? joining?.email ?? "";
  return {
    title: invitation.isForPassword ? "New password" : "Join",
    body: html`${alert(problem)} ${purpose(invitation)}
      ${person === undefined ? undefined : signedInAs(person)}
      <form method="post" action="${path}">
        <input type="hidden" name="token" value="${token}" />
        ${emailField(email, email === "")} ${passwordFields(email !== "", joining !== undefined)}
        <button>${invitation.isForPassword ? "Set the password" : "Join"}</button>
      </form>`,
  };
}

/**
 * Returns the fields for a password; a person who has one, as anyone signed in does, types it once.
 */
function passwordFields(isFirst: boolean, isKnown: boolean): Html {
  const { passwordCharactersMin: least, passwordCharactersMax: most } = limits;
  return html`<label for="password">Password</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="${isKnown ? "current-password" : "new-password"}"
      required
      ${isFirst ? html`autofocus` : undefined}
      minlength="${least}"
      maxlength="${most}"
      aria-describedby="password-hint"
    />
    <span class="hint" id="password-hint"
      >At least ${least} characters. A long password is better than a complicated one.</span
    >
    <label for="again">${isKnown ? "For another address: " : ""}Repeat the password</label>
    <input
      id="again"
      name="again"
      type="password"
      autocomplete="new-password"
      ${isKnown ? undefined : html`required`}
      minlength="${least}"
      maxlength="${most}"
    />`;
}
