import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { call, type HttpReply, type HttpRequest, ok, parseObject } from "../http.ts";
import { people } from "../service.ts";
import { observed, type Target } from "./callers.ts";

export type PersonName = keyof typeof people;

/** A browser's session: its cookie, and what its pages show with each request. */
export interface BrowserSession {
  cookie: string;
  csrf: string;
}

export function postSession(target: Target, body: unknown): Promise<HttpReply> {
  return observed(target, { method: "POST", path: "/api/v1/sessions", body });
}

/** Signs in as a program does; gives the session's token. */
export async function signIn(
  target: Target,
  person: PersonName,
  organization?: string,
): Promise<string> {
  return ok(await postSession(target, { ...people[person], organization }), 201).token as string;
}

/** Signs in as the web application does. */
export async function signInBrowser(
  target: Target,
  person: PersonName,
  organization?: string,
): Promise<BrowserSession> {
  const reply = await postSession(target, { ...people[person], organization, cookie: true });
  assert.equal(reply.status, 201, reply.text);
  const { csrf, token } = parseObject(reply.text);
  assert.equal(token, undefined, "the token is in the cookie alone");
  const [cookie = ""] = reply.headers["set-cookie"] ?? [];
  const { pathname: path } = new URL(target.baseUrl);
  const name = `lossless_session${path === "/" ? "" : path.replaceAll("/", "-")}`;
  const whole = `^${name}=as_\\w+; Path=${path}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`;
  assert.match(cookie, new RegExp(whole));
  return { cookie: cookie.split(";")[0], csrf: csrf as string };
}

/** Signs the command line in by the consent page; gives the access token. */
export async function signInCommandLine(
  target: Target,
  person: PersonName,
  organization: string,
): Promise<string> {
  const browser = await signInBrowser(target, person, organization);
  const verifier = randomBytes(32).toString("base64url");
  const redirect = "http://127.0.0.1:1234/callback";
  const asked = new URLSearchParams({
    response_type: "code",
    client_id: "lossless-cli",
    redirect_uri: redirect,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const answer = await postForm(target, `/oauth/authorize?${asked.toString()}`, {
    headers: { cookie: browser.cookie },
    form: { csrf: browser.csrf, answer: "allow" },
  });
  assert.equal(answer.status, 303, answer.text);
  const code = new URL(String(answer.headers.location)).searchParams.get("code") ?? "";
  const reply = await postForm(target, "/oauth/token", {
    form: {
      grant_type: "authorization_code",
      client_id: "lossless-cli",
      redirect_uri: redirect,
      code_verifier: verifier,
      code,
    },
  });
  return ok(reply).access_token as string;
}

export function postForm(
  target: Target,
  path: string,
  {
    form,
    headers = {},
  }: { form: Record<string, string>; headers?: NonNullable<HttpRequest["headers"]> },
): Promise<HttpReply> {
  return call(target.baseUrl, {
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

/** The v1 error of a reply, with its status. */
export function v1Error(reply: HttpReply): { status: number; error: string; message: string } {
  const { error, message, ...rest } = parseObject(reply.text);
  assert.deepEqual(rest, {}, reply.text);
  assert.ok(typeof error === "string" && typeof message === "string" && message.length > 0);
  return { status: reply.status, error, message };
}

export async function refusedV1(
  reply: HttpReply | Promise<HttpReply>,
  status: number,
  code: string,
): Promise<string> {
  const received = await reply;
  assert.equal(received.status, status, received.text.slice(0, 500));
  const { error, message } = v1Error(received);
  assert.equal(error, code, received.text);
  return message;
}
