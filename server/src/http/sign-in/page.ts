import type { FastifyReply } from "fastify";
import { type BasePath, belowBase } from "../base-path.ts";
import { html, type Html } from "./html.ts";
import { style, styleSource } from "./style.ts";

export interface Page {
  title: string;
  body: Html;
}

/** A loss curve that reaches its floor. */
const mark = html`<svg width="28" height="28" viewBox="0 0 28 28" fill="none" aria-hidden="true">
  <rect x="1" y="1" width="26" height="26" rx="7" stroke="currentColor" stroke-width="2" />
  <path d="M6 7c2 9 6 13 16 13" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
  <circle cx="22" cy="20" r="2.2" fill="currentColor" />
</svg>`;

/**
 * Returns a whole page, in the common layout. Its links and forms name our addresses; the quotation
 * mark before an address is never part of a value, which is escaped.
 */
export function pageText({ title, body }: Page, base: BasePath): string {
  // The style is inserted afterwards, not as a value: it would be escaped, and is a constant.
  const [head = "", tail = ""] = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Lossless</title>
        <style></style>
      </head>
      <body>
        <main>
          <p class="brand">${mark} Lossless</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.text.split("</style>");
  const placed = tail.replaceAll(/(?<= (?:href|action)=")\/[^"]*/g, (address) =>
    belowBase(base, address),
  );
  return `${head}${style}</style>${placed}`;
}

/**
 * Returns headers by which nothing runs, nothing is loaded and no page frames this one. Browsers
 * apply `form-action` also to redirects after a form, so a page whose form leads to another address
 * names that.
 *
 * The referrer policy sends the address of a page nowhere, as `no-referrer` does, because links
 * carry tokens; unlike it, it leaves the Origin header in forms, by which we know them.
 */
export function pageHeaders(formTargets: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "x-frame-options": "DENY",
    "referrer-policy": "strict-origin",
  };
}

export function sendPage(
  reply: FastifyReply,
  page: Page,
  { status = 200, formTargets = [] }: { status?: number; formTargets?: readonly string[] } = {},
): void {
  void reply
    .code(status)
    .headers(pageHeaders(formTargets))
    .send(pageText(page, reply.server.basePath));
}

/**
 * Redirects with 303: the browser continues with GET, whatever the method was, at our address or a
 * whole one.
 */
export function sendOn(reply: FastifyReply, address: string): void {
  void reply
    .code(303)
    .headers({ ...pageHeaders([]), location: belowBase(reply.server.basePath, address) })
    .send("");
}

/** Returns the alert at the top of a form. Screen readers say it at once. */
export function alert(sentence: string | undefined): Html | undefined {
  return sentence === undefined ? undefined : html`<p class="alert" role="alert">${sentence}</p>`;
}
