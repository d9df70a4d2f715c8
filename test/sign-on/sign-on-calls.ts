import assert from "node:assert/strict";
import type { CurrentSession, SetSignOnBody, SignOnView } from "@lossless/protocol";
import { call, type HttpReply, ok } from "../http.ts";
import { observed, type Target } from "../contract/callers.ts";
import { client } from "./identity-provider.ts";
import { Wanderer } from "./wanderer.ts";

/** An owner's settings of the sign-on, with defaults. */
export function signOnBody(issuer: string, more: Partial<SetSignOnBody> = {}): SetSignOnBody {
  return {
    name: "the test's provider",
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    domains: ["acme.test"],
    defaultRole: "member",
    ...more,
  };
}

export function putSignOn(
  target: Target,
  credential: string,
  body: SetSignOnBody,
): Promise<HttpReply> {
  return observed(target, { method: "PUT", path: "/api/sign-on/v1/provider", credential, body });
}

export async function setSignOn(
  target: Target,
  credential: string,
  body: SetSignOnBody,
): Promise<SignOnView> {
  return ok<SignOnView>(await putSignOn(target, credential, body));
}

export async function readSignOn(target: Target, credential: string): Promise<SignOnView> {
  return ok<SignOnView>(await observed(target, { path: "/api/sign-on/v1/provider", credential }));
}

/** A whole sign-in by the provider; gives the session's secret. */
export async function signInByProvider(target: Target, view: SignOnView): Promise<string> {
  const person = new Wanderer();
  const { address, reply } = await person.go(view.startAddress, isPage);
  assert.ok(isPage(address), reply?.text ?? address);
  const session = person.session(new URL(target.baseUrl).origin);
  assert.ok(session, "no cookie of a session");
  return session;
}

/** One that comes to nothing; gives the status and the sentence of the page. */
export async function refusedByProvider(
  view: SignOnView,
  person = new Wanderer(),
): Promise<{ status: number; sentence: string }> {
  const { reply } = await person.go(view.startAddress, isPage);
  assert.ok(reply, "somebody was signed in");
  return { status: reply.status, sentence: sentenceOf(reply) };
}

export function sentenceOf({ text }: HttpReply): string {
  const [, sentence] = /role="alert">\s*(.*?)\s*<\//s.exec(text) ?? [];
  assert.ok(sentence, text);
  return sentence.replaceAll("&#39;", "'").replaceAll("&quot;", '"');
}

/** Where the pages of ours begin: whoever comes there is signed in. */
export function isPage(address: string): boolean {
  return new URL(address).pathname.endsWith("/experiments");
}

export async function sessionOf(target: Target, credential: string): Promise<CurrentSession> {
  return ok<CurrentSession>(await call(target.baseUrl, { path: "/api/v1/sessions", credential }));
}
