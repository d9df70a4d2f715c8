import { ServiceError } from "../../ground/errors.ts";
import { writeOne } from "../../storage/storage.ts";
import { consentBody } from "./consent.ts";
import { readForm } from "./form.ts";
import { openServed } from "../callers/caller.ts";
import type { Route } from "../route.ts";
import {
  authorizationAddress,
  type AuthorizationRequest,
  readAuthorization,
  replyAddress,
} from "./authorization-request.ts";
import { html } from "./html.ts";
import { signInAddress } from "./next-address.ts";
import { type Page, sendOn, sendPage } from "./page.ts";
import {
  organizationNames,
  requireOwnForm,
  requireOwnOrigin,
  signedInPerson,
  type SignedInPerson,
} from "./signed-in.ts";

/** `GET /oauth/authorize`: asks the person; signs them in first. */
export const authorizePage: Route = async (context, request, reply) => {
  const read = readAuthorization(request.raw.url, context.baseUrl());
  if (read.refusal !== undefined) return sendOn(reply, read.refusal);
  const person = await signedInPerson(context, request);
  if (person === undefined) {
    return sendOn(reply, signInAddress(authorizationAddress(read.request)));
  }
  const organizations = await organizationNames(person, openServed(request).storage);
  const page = consentPage(read.request, person, organizations);
  sendPage(reply, page, { formTargets: [formTarget(read.request)] });
};

/** `POST /oauth/authorize`: the person's answer, for the CLI that waits at the redirect address. */
export const authorize: Route = async (context, request, reply) => {
  requireOwnOrigin(context, request);
  const issuer = context.baseUrl();
  const read = readAuthorization(request.raw.url, issuer);
  const form = await readForm(context, request);
  if (read.refusal !== undefined) return sendOn(reply, read.refusal);
  const { request: asked } = read;
  const person = await signedInPerson(context, request);
  if (person === undefined) return sendOn(reply, signInAddress(authorizationAddress(asked)));
  requireOwnForm(person, form);
  if (form["answer"] === "deny") {
    const denial = { error: "access_denied", error_description: "The person has denied it" };
    return sendOn(reply, replyAddress(asked, denial, issuer));
  }
  if (form["answer"] !== "allow") {
    throw new ServiceError("bad_request", "The answer must be allow or deny.");
  }
  const { redirectUri, codeChallenge } = asked;
  const { code } = await writeOne(openServed(request).storage, "oauth.grantCode", {
    personId: person.personId,
    sessionHash: person.sessionHash,
    redirectUri,
    codeChallenge,
    address: request.ip,
  });
  sendOn(reply, replyAddress(asked, { code }, issuer));
};

function consentPage(
  request: AuthorizationRequest,
  person: SignedInPerson,
  organizations: string,
): Page {
  return {
    title: "Sign in the command line?",
    body: consentBody("The Lossless command line asks to act for you.", {
      person,
      organizations,
      facts: { "Waits on this machine at": new URL(request.redirectUri).host },
      caution: html`<p class="soft">
        Only allow it if you have just started <code>lossless login</code> on this machine.
      </p>`,
      address: authorizationAddress(request),
    }),
  };
}

/**
 * Returns the address for the policy, which cannot name an IPv6 address: there it allows the
 * scheme.
 */
function formTarget({ redirectUri }: AuthorizationRequest): string {
  const { hostname, origin } = new URL(redirectUri);
  return hostname === "127.0.0.1" ? origin : "http:";
}
