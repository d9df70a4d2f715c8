import { pageEndpoints, type webEndpoints } from "@lossless/protocol";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { takenEncodings } from "../replies/compressed.ts";
import { decodedPath } from "../replies/error-form.ts";
import type { Route } from "../route.ts";
import type { WebFiles } from "./web-files.ts";

/**
 * The application may run its own script and style and call its own service, and nothing else: text
 * that a member wrote into a name or an annotation can neither run nor load anything.
 */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    // Pages that runs have logged, with a policy of their own: views/file-frame.ts.
    "frame-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin",
};

/** Every page of the application is the same document; its script reads the address. */
const page: Route = async ({ replies: { web }, state }, _request, reply) => {
  if (web.shell === undefined) {
    throw new ServiceError(
      "unavailable",
      "The pages were not built with this service; `npm start` builds them, and so does `npm run build`.",
    );
  }
  if (state.status === "ok") state.served().storage.expectReads();
  void reply.headers(headers).send(web.shell);
};

/**
 * Returns the reply to a browser at an unknown address: the application, which says so. Undefined
 * for programs and for addresses of an interface, which are answered as usual.
 */
export function missingPage({ method, headers: asked, raw }: FastifyRequest, web: WebFiles) {
  const isShown = method === "GET" && /\btext\/html\b/.test(asked.accept ?? "");
  const isInterface = /^\/(?:api|ajax-api|oauth|objects|scim|assets)(?:\/|$)/;
  if (!isShown || web.shell === undefined || isInterface.test(decodedPath(raw.url ?? ""))) return;
  return { headers: { ...headers, vary: "accept" }, body: web.shell };
}

/**
 * `GET /assets/{name}`: the name is that of its content, so browsers may keep it for ever; but pip
 * needs the name of a wheel to be that of its version.
 */
const webAsset: Route = async ({ replies: { web } }, request, reply) => {
  const { name } = request.params as { name: string };
  const file = web.asset(name);
  if (file === undefined) throw new ServiceError("not_found", "There is no such file.");
  const takesGzip = takenEncodings(request.headers["accept-encoding"]).has("gzip");
  const isNamedByContent = !name.endsWith(".whl");
  void reply
    .header("content-type", file.type)
    .header("cache-control", isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache")
    .header("vary", "accept-encoding");
  if (takesGzip) void reply.header("content-encoding", "gzip");
  void reply.send(takesGzip ? file.gzip() : file.bytes);
};

export const pages = {
  ...Object.fromEntries(Object.keys(pageEndpoints).map((name) => [name, page])),
  webAsset,
} as Readonly<Record<keyof typeof webEndpoints, Route>>;
