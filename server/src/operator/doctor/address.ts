import { request as plainRequest, type IncomingMessage } from "node:http";
import { request as secureRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import { namelessWarning } from "../../ground/listen-address.ts";
import type { Config } from "../../settings/config.ts";
import { advise, type Finding, ok, problem } from "./finding.ts";

/** Size of a part of a push, and a little more for its headers. */
const largeBodyBytes = 8 * 1_048_576 + 1_024;
const timeoutMs = 15_000;
const skewMsMax = 30_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const renewal = "Renew it, or look why it is not renewed by itself.";

interface Reply {
  status: number;
  headers: IncomingMessage["headers"];
  /** Validity of the server's certificate; NaN where there is none to read. */
  valid: { fromMs: number; toMs: number };
}

/** Examines whether clients reach the service by its public address, through any proxy in front. */
export async function examineAddress(
  url: string,
  config: Pick<Config, "host" | "baseUrl" | "trustedProxies">,
): Promise<Finding[]> {
  const about = `address ${url}`;
  const findings: Finding[] = [];
  const nameless = namelessWarning(config.host, config.baseUrl);
  if (nameless !== undefined)
    findings.push(
      problem("--base-url", "not set, though the service listens everywhere", nameless),
    );
  let ready: Reply;
  let named: Reply;
  try {
    ready = await ask(url, "/readyz");
    // The health pages answer under every name.
    named = await ask(url, "/api/v1/whoami");
  } catch (error) {
    return [...findings, unanswered(url, error as NodeJS.ErrnoException)];
  }
  findings.push(reached(about, ready, named.status === 421));
  if (ready.headers["x-request-id"] === undefined) return findings;
  findings.push(await largeBody(url), clock(ready), transport(url, ready));
  if (isProxied(ready) && (config.trustedProxies ?? []).length === 0) {
    findings.push(
      advise(
        "--trusted-proxies",
        "not set, though a proxy answers in front",
        "Give the proxy's address in --trusted-proxies: otherwise all clients share the limits of one address, and the audit log names the proxy.",
      ),
    );
  }
  return findings;
}

export function unanswered(url: string, { code, message }: NodeJS.ErrnoException): Finding {
  if (code === "CERT_HAS_EXPIRED") return problem("certificate", "ended", renewal);
  return problem(
    `address ${url}`,
    `no answer: ${code ?? message}`,
    `Is the service running, and does that address lead to it from here? A private certificate authority is named by NODE_EXTRA_CA_CERTS.`,
  );
}

function reached(about: string, { status, headers }: Reply, isMisnamed: boolean): Finding {
  if (headers["x-request-id"] === undefined) {
    return problem(
      about,
      `something else answers (${status}, ${String(headers.server ?? "no server header")})`,
      "Let the proxy pass every path of this name on to the service.",
    );
  }
  if (isMisnamed) {
    return problem(
      about,
      "the service does not answer under this name (421)",
      "Set --base-url to this address, and let the proxy pass the Host header on (nginx: proxy_set_header Host $host).",
    );
  }
  if (status === 200) return ok(about, "ready");
  return problem(
    about,
    `not ready (${status})`,
    "It starts, drains, has no room on its disk, or its database does not answer; /readyz of --admin-port says which.",
  );
}

/**
 * Sends a large body without a credential: the service refuses it for that, a proxy for its size.
 */
async function largeBody(url: string): Promise<Finding> {
  const about = "bodies through the proxy";
  const { status, headers } = await ask(url, "/api/v2/events", largeBodyBytes).catch(
    (): Omit<Reply, "valid"> => ({ status: 0, headers: {} }),
  );
  const isOurs = headers["x-request-id"] !== undefined;
  if (isOurs && status !== 413) return ok(about, "8 MiB pass");
  return problem(
    about,
    isOurs
      ? "--max-body-bytes is below 8 MiB"
      : `8 MiB are refused in front of the service (${status || "connection cut"})`,
    'Parts of pushes are 8 MiB. nginx: client_max_body_size 0; operating.md, "Behind a proxy".',
  );
}

function clock({ headers }: Reply): Finding {
  const skewMs = Date.parse(headers.date ?? "") - Date.now();
  const found = `${Math.round(skewMs / 1_000)} s from this machine's`;
  // A Date header has whole seconds.
  return !(Math.abs(skewMs) > skewMsMax)
    ? ok("clock of the service", found)
    : problem("clock of the service", found, "Keep both by a time service.");
}

function transport(url: string, { valid }: Reply): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return lasting(valid, Date.now());
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
    return ok("encryption", "none, on this machine alone");
  return problem(
    "encryption",
    "none: passwords, keys and tokens can be read on the way",
    "Put a proxy with TLS in front, and set --base-url to its https address.",
  );
}

/**
 * Judges the remaining validity. Certificates are renewed automatically with a third left, of 90
 * days or of a proxy's own 12 hours.
 */
export function lasting({ fromMs, toMs }: Reply["valid"], nowMs: number): Finding {
  const leftMs = toMs - nowMs;
  if (Number.isNaN(leftMs))
    return advise("certificate", "it could not be read", "Check by hand when it expires.");
  const found = leftMs > 0 ? `good for ${inWords(leftMs)}` : `ended ${inWords(-leftMs)} ago`;
  if (leftMs >= Math.min(14 * dayMs, (toMs - fromMs) / 6)) return ok("certificate", found);
  return problem("certificate", found, renewal);
}

function inWords(ms: number): string {
  if (ms < hourMs) return "less than an hour";
  if (ms >= 2 * dayMs) return `${Math.floor(ms / dayMs)} days`;
  const hours = Math.floor(ms / hourMs);
  return hours === 1 ? "1 hour" : `${hours} hours`;
}

function isProxied({ headers }: Reply): boolean {
  return headers.server !== undefined || headers.via !== undefined;
}

function ask(url: string, path: string, bodyBytes = 0): Promise<Reply> {
  const target = new URL(url + path);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const request = (target.protocol === "https:" ? secureRequest : plainRequest)(target, {
    method: bodyBytes === 0 ? "GET" : "POST",
    headers:
      bodyBytes === 0 ? {} : { "content-type": "application/json", "content-length": bodyBytes },
    timeout: timeoutMs,
    agent: false,
  });
  request.on("timeout", () =>
    request.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)),
  );
  request.on("error", reject);
  request.on("response", (response) => {
    const socket = response.socket as Partial<TLSSocket>;
    const { valid_from: from = "", valid_to: to = "" } = socket.getPeerCertificate?.() ?? {};
    const valid = { fromMs: Date.parse(from), toMs: Date.parse(to) };
    resolve({ status: response.statusCode ?? 0, headers: response.headers, valid });
    response.resume();
    // A server that refuses a body need not read it.
    if (bodyBytes > 0) request.destroy();
  });
  request.end(bodyBytes === 0 ? undefined : Buffer.alloc(bodyBytes, " "));
  return promise;
}
