import { CommandError, type Invocation, UsageError } from "../command.ts";
import { discover, fetchTokens, OauthError } from "./authorization-server.ts";
import { type Login, loginFilePath, noHome, readLogin, writeLogin } from "./login-file.ts";
import { lockLogin } from "./login-lock.ts";

/** The service that a command talks to, and its credential. */
export interface CredentialSource {
  url: string;
  /** Requested for every attempt: an access token lives for an hour and is renewed here. */
  credential: () => Promise<string>;
  /** The header x-svc-organization. */
  organization?: string;
  from: "--api-key" | "LOSSLESS_API_KEY" | "login";
}

/** Remaining lifetime, in milliseconds, below which an access token is renewed. */
const leastLeftMs = 60_000;

/**
 * Finds the credential, in one order for all commands: --api-key, LOSSLESS_API_KEY, this machine's
 * sign-in. The order also holds where only a person will do: a user with a key is told that it was
 * used, and does not act with another identity depending on the command.
 */
export function credentialOf(invocation: Invocation): CredentialSource {
  const { values, environment } = invocation;
  const named = values.text("organization");
  const flag = values.text("api-key");
  const given = flag ?? environment["LOSSLESS_API_KEY"] ?? "";
  if (given !== "") {
    const apiKey = given.trim();
    const organization = named === undefined ? {} : { organization: named };
    const credential = () => Promise.resolve(apiKey);
    const from = flag === undefined ? "LOSSLESS_API_KEY" : "--api-key";
    if (!/^[!-~]+$/.test(apiKey)) {
      const fault = apiKey === "" ? "is blank" : "has characters that no key has";
      throw new UsageError(`${from} ${fault}: give the key exactly as it was shown`);
    }
    return { url: serviceUrl(invocation), credential, ...organization, from };
  }
  const path = loginFilePath(environment);
  const login = flag === "" ? undefined : readLogin(path);
  if (path === undefined || login === undefined) {
    const without = path === undefined ? `; sign-in is not possible, because ${noHome}` : "";
    throw new UsageError(
      `a credential is needed: run lossless login, set LOSSLESS_API_KEY, or give --api-key${without}`,
    );
  }
  const url = serviceUrl(invocation, login);
  if (url !== login.url) {
    throw new UsageError(
      `you are signed in at ${login.url}, not at ${url}: run lossless login --url ${url}`,
    );
  }
  const organization = named ?? login.organization?.id;
  if (organization === undefined) {
    throw new UsageError("name the organization to act for with --organization");
  }
  return { url, credential: accessTokens(path, login), organization, from: "login" };
}

/**
 * The service's address, from --url, LOSSLESS_URL, this machine's sign-in, or the local default.
 * Without a trailing slash. An empty variable counts as none.
 */
export function serviceUrl({ values, environment }: Invocation, login?: Login): string {
  const named = values.text("url") ?? (environment["LOSSLESS_URL"] || undefined);
  const text = named ?? login?.url ?? "http://127.0.0.1:7070";
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--url must be an http(s) address, not ${text}`);
  }
  return url.href.replace(/\/+$/, "");
}

/**
 * Returns the access token, renewed on expiry: by one command at a time, the others read the file.
 */
export function accessTokens(path: string, login: Login): () => Promise<string> {
  let current = login;
  let renewal: Promise<Login> | undefined;
  return async () => {
    if (!isFresh(current)) {
      renewal ??= renewed(path).finally(() => (renewal = undefined));
      current = await renewal;
    }
    return current.accessToken;
  };
}

async function renewed(path: string): Promise<Login> {
  await using _ = await lockLogin(path);
  const login = readLogin(path);
  if (login === undefined)
    throw new CommandError("this machine is no longer signed in: run lossless login");
  if (isFresh(login)) return login;
  try {
    const server = await discover(login.url);
    const tokens = await fetchTokens(server.token_endpoint, {
      grant_type: "refresh_token",
      refresh_token: login.refreshToken,
    });
    const next = { ...login, ...tokens };
    await writeLogin(path, next);
    return next;
  } catch (error) {
    if (!(error instanceof OauthError) || error.code !== "invalid_grant") throw error;
    throw new CommandError("the sign-in of this machine has ended: run lossless login again");
  }
}

function isFresh({ expiresAtMs }: Login): boolean {
  return expiresAtMs - Date.now() > leastLeftMs;
}
