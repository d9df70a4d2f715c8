import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { call, type HttpReply, type JsonObject, ok, parseObject } from "../http.ts";
import { Browser, locationOf } from "./browser.ts";
import { observed, type Target } from "./callers.ts";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export interface Pair {
  access: string;
  refresh: string;
}

/** A command line written by hand: no library between the test and the wire. */
export class OauthClient {
  readonly target: Target;
  readonly redirectUri = "http://127.0.0.1:4321/callback";
  readonly verifier = randomBytes(32).toString("base64url");

  constructor(target: Target) {
    this.target = target;
  }

  /** The address to send a browser to; undefined leaves a parameter out. */
  authorizePath(change: Record<string, string | undefined> = {}): string {
    const parameters = {
      response_type: "code",
      client_id: "lossless-cli",
      redirect_uri: this.redirectUri,
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      state: "a state/with + & signs",
      ...change,
    };
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => {
      return entry[1] !== undefined;
    });
    return `/oauth/authorize?${new URLSearchParams(given).toString()}`;
  }

  /** The person allows it; gives the code. */
  async code(browser: Browser): Promise<string> {
    const page = await browser.get(this.authorizePath());
    assert.equal(page.status, 200, page.text);
    const answer = locationOf(await browser.submit(page, { answer: "allow" }));
    const code = new URL(answer).searchParams.get("code");
    assert.ok(code, answer);
    return code;
  }

  redeem(code: string, change: Record<string, string> = {}): Promise<HttpReply> {
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      code_verifier: this.verifier,
      ...change,
    });
  }

  refresh(refreshToken: string): Promise<HttpReply> {
    return this.token({ grant_type: "refresh_token", refresh_token: refreshToken });
  }

  poll(deviceCode: string): Promise<HttpReply> {
    return this.token({ grant_type: deviceGrant, device_code: deviceCode });
  }

  token(fields: Record<string, string>): Promise<HttpReply> {
    return this.post("/oauth/token", { client_id: "lossless-cli", ...fields });
  }

  async startDevice(): Promise<{ deviceCode: string; userCode: string }> {
    const reply = await this.post("/oauth/device", { client_id: "lossless-cli" });
    const { device_code: deviceCode, user_code: userCode } = ok(reply);
    return { deviceCode: String(deviceCode), userCode: String(userCode) };
  }

  post(path: string, fields: Record<string, string>): Promise<HttpReply> {
    return observed(this.target, {
      method: "POST",
      path,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** The status of a request with this access token. */
  async status(accessToken: string, organization: string | null = "acme"): Promise<number> {
    const headers = organization === null ? {} : { "x-svc-organization": organization };
    const path = "/api/v1/whoami";
    const reply = await call(this.target.baseUrl, { path, credential: accessToken, headers });
    return reply.status;
  }
}

export async function pairOf(sent: HttpReply | Promise<HttpReply>): Promise<Pair> {
  const reply = await sent;
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers["cache-control"], "no-store");
  const { access_token: access, refresh_token: refresh } = parseObject(reply.text);
  return { access: String(access), refresh: String(refresh) };
}

/** A refusal of RFC 6749 5.2. */
export async function refusedOauth(
  sent: HttpReply | Promise<HttpReply>,
  code: string,
  status = 400,
): Promise<void> {
  const reply = await sent;
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.headers["cache-control"], "no-store");
  const body: JsonObject = parseObject(reply.text);
  assert.equal(body.error, code, reply.text);
  assert.deepEqual(Object.keys(body).sort(), ["error", "error_description"]);
}

/** A browser in which this person has signed in. */
export async function signedInBrowser(
  target: Target,
  person: Parameters<Browser["signIn"]>[0],
): Promise<Browser> {
  const browser = new Browser(target);
  await browser.signIn(person);
  return browser;
}
