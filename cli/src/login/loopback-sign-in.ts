import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CommandError } from "../command.ts";
import type { Output } from "../output.ts";
import {
  type AuthorizationServer,
  clientId,
  fetchTokens,
  type Tokens,
} from "./authorization-server.ts";
import { openBrowser } from "./browser.ts";

/** Milliseconds that the person may take. */
const patienceMs = 10 * 60_000;

/** The service's answer, delivered by the browser. */
type Answer = { code: string } | { error: string };

/**
 * Signs in by a browser on this machine (RFC 8252): it opens the service's page, and is redirected
 * from there to an address that listens here for this one answer. The code is worthless without the
 * verifier, which leaves this process only then (RFC 7636).
 */
export async function signInByBrowser(
  server: AuthorizationServer,
  opener: readonly string[],
  output: Output,
): Promise<Tokens> {
  const state = randomBytes(32).toString("base64url");
  const verifier = randomBytes(32).toString("base64url");
  const answered = Promise.withResolvers<Answer>();
  await using listener = await listen((request, reply) =>
    receive(request, reply, { state, issuer: server.issuer }, answered.resolve),
  );
  const redirectUri = `http://127.0.0.1:${listener.port}/callback`;
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state,
  }).toString();
  if (output.json) output.line(JSON.stringify({ authorizationUrl: address.href }));
  output.note(
    `Your browser opens. If it does not, open this address on this machine:\n\n${address.href}\n`,
  );
  openBrowser(opener, address.href);
  const answer = await inTime(answered.promise);
  if ("error" in answer) {
    const wasDenied = answer.error === "access_denied";
    throw new CommandError(wasDenied ? "the sign-in was denied" : `no sign-in: ${answer.error}`);
  }
  // Awaited, so that the browser's page is not cut off.
  return await fetchTokens(server.token_endpoint, {
    grant_type: "authorization_code",
    code: answer.code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
}

type Listener = (request: IncomingMessage, reply: ServerResponse) => void;

async function listen(listener: Listener): Promise<{ port: number } & AsyncDisposable> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      // The browser may keep its connection open.
      server.closeIdleConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        setTimeout(() => server.closeAllConnections(), 500).unref();
      });
    },
  };
}

/** Any process on this machine can call this address: requests without our state are ignored. */
function receive(
  request: IncomingMessage,
  reply: ServerResponse,
  expected: { state: string; issuer: string },
  resolve: (answer: Answer) => void,
): void {
  const url = URL.parse(request.url ?? "", "http://127.0.0.1");
  if (request.method !== "GET" || url?.pathname !== "/callback") {
    return sendPage(reply, 404, "Page not found");
  }
  const { searchParams: query } = url;
  // A reply of another service, mixed up with ours, has that service's issuer (RFC 9207).
  const isOurs = isSame(query.get("state"), expected.state) && query.get("iss") === expected.issuer;
  const [code, error] = [query.get("code"), query.get("error")];
  if (!isOurs || (code === null) === (error === null)) {
    return sendPage(reply, 400, "This is not the answer that the command line is waiting for");
  }
  sendPage(reply, 200, "Return to the command line. You can close this page");
  resolve(code === null ? { error: error as string } : { code });
}

function isSame(received: string | null, expected: string): boolean {
  const [left, right] = [Buffer.from(received ?? ""), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function sendPage(reply: ServerResponse, status: number, sentence: string): void {
  reply.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  reply.end(
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">` +
      `<meta name="color-scheme" content="light dark"><title>Lossless</title><p>${sentence}.</p></html>\n`,
  );
}

async function inTime(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const error = new CommandError("there was no answer in the browser; run lossless login again");
    timer = setTimeout(() => reject(error), patienceMs);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
