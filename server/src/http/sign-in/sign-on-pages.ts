import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import type { StoredSignOn } from "../../accounts/rows/sign-on/setting.ts";
import { writeOne } from "../../storage/storage.ts";
import { openServed } from "../callers/caller.ts";
import { deviceOf } from "../callers/device.ts";
import { makeOwnCookie, readOwnCookie } from "../callers/own-cookie.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import type { OpenService } from "../service-state.ts";
import { formFailure } from "./error-page.ts";
import { html } from "./html.ts";
import { homeAddress, nextAddress, signInAddress } from "./next-address.ts";
import { alert, type Page, sendOn, sendPage } from "./page.ts";
import { keepSession } from "./sign-in-page.ts";
import { endCookieSession } from "./signed-in.ts";

/** Longest address to continue at that is kept: the reply of a browser has some KiB at most. */
const nextCharactersMax = 1_500;

/**
 * `GET /sign-on/{organizationId}`: redirects to the organization's identity provider. Any link may
 * lead here: the person who comes back is the one that the provider names, in the browser that
 * began.
 */
export const beginSignOn: Route = async (context, request, reply) => {
  const next = nextAddress(readQuery("beginSignOn", request.raw.url).next);
  const { identityProviders } = openServed(request);
  context.callers.signOns.take(request.ip);
  const provider = await requireProvider(openServed(request), request);
  const kept = next !== undefined && next.length <= nextCharactersMax ? next : undefined;
  const begun = await identityProviders.begin(provider, kept);
  reply.header("set-cookie", makeOwnCookie(context, "signOn", begun.cookie, begun.lifetimeMs));
  sendOn(reply, begun.address);
};

/**
 * `GET /sign-on/{organizationId}/callback`: takes the provider's reply, and redirects to the
 * address to continue at.
 */
export const finishSignOn: Route = async (context, request, reply) => {
  context.callers.signOns.take(request.ip);
  const served = openServed(request);
  const provider = await requireProvider(served, request);
  const cookie = readOwnCookie(context, "signOn", request);
  const attempt =
    cookie === undefined
      ? undefined
      : served.identityProviders.attempt(provider.organizationId, cookie);
  if (attempt === undefined) return sendProblem(reply, provider, notBegun, 400);
  // Deleted whatever the outcome: the next try begins anew.
  void reply.header("set-cookie", makeOwnCookie(context, "signOn", "", 0));
  try {
    const query = (request.raw.url ?? "").split("?").slice(1).join("?");
    const { failure, ...vouched } = await served.identityProviders.finish(provider, attempt, query);
    const outcome = await writeOne(served.storage, "signOn.signIn", {
      organizationId: provider.organizationId,
      ...vouched,
      failure: failure?.message,
      address: request.ip,
      device: deviceOf(request),
    });
    if (failure !== undefined) throw failure;
    if (outcome.refusal !== undefined) return sendProblem(reply, provider, outcome.refusal, 403);
    await endCookieSession(context, request);
    keepSession(context, reply, outcome.signedIn);
    sendOn(reply, nextAddress(attempt.next) ?? homeAddress);
  } catch (error) {
    const { status, sentence } = ofProvider(error);
    sendProblem(reply, provider, sentence, status);
  }
};

const notBegun =
  "This sign-in was not started in this browser, or it was started too long ago. Nothing was changed. Start again.";

/**
 * Returns the failure of a provider, which is not a fault of the service, with a sentence of its
 * own.
 */
function ofProvider(error: unknown): { status: number; sentence: string } {
  if (error instanceof ServiceError && error.code === "upstream") {
    return { status: 502, sentence: error.message };
  }
  return formFailure(error);
}

async function requireProvider(
  { storage }: OpenService,
  { params }: FastifyRequest,
): Promise<StoredSignOn> {
  const { organizationId } = params as { organizationId: string };
  const found = await storage.read("signOn.read", { organizationId });
  if (found !== null) return found;
  throw new ServiceError("not_found", "There is no sign-on of an organization at this address.");
}

function sendProblem(
  reply: FastifyReply,
  { name, organizationId }: StoredSignOn,
  sentence: string,
  status: number,
): void {
  const page: Page = {
    title: "You are not signed in",
    body: html`${alert(sentence)}
      <p><a href="/sign-on/${organizationId}">Try again with ${name}</a></p>
      <p><a href="${signInAddress(homeAddress)}">Sign in another way</a></p>`,
  };
  sendPage(reply, page, { status });
}
