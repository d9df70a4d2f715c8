import { endpoints } from "@lossless/protocol";
import { clearSessionCookie } from "../callers/session-cookie.ts";
import { readForm } from "./form.ts";
import type { Route } from "../route.ts";
import { nextAddress, signInAddress } from "./next-address.ts";
import { sendOn } from "./page.ts";
import { endCookieSession, requireOwnForm, requireOwnOrigin, signedInPerson } from "./signed-in.ts";

/** `POST /sign-out`: ends the session and deletes the cookie; repeated it does nothing. */
export const signOut: Route = async (context, request, reply) => {
  requireOwnOrigin(context, request);
  const form = await readForm(context, request);
  const person = await signedInPerson(context, request);
  if (person !== undefined) {
    requireOwnForm(person, form);
    await endCookieSession(context, request);
  }
  reply.header("set-cookie", clearSessionCookie(context));
  const next = nextAddress(form["next"]);
  sendOn(reply, next === undefined ? endpoints.signInPage.path : signInAddress(next));
};
