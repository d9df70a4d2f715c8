import { html } from "./html.ts";
import type { Page } from "./page.ts";

/** A request for a page that failed as a whole. */
export function errorPage(status: number, sentence: string, requestId: string): Page {
  return {
    title: titleOf(status),
    body: html`<p role="alert">${sentence}</p>
      <p class="below">Request <code>${requestId}</code></p>`,
  };
}

function titleOf(status: number): string {
  if (status === 404) return "Nothing is here";
  if (status === 403) return "This is not allowed";
  if (status === 429) return "Too many tries";
  return status >= 500 ? "The service cannot answer now" : "This did not work";
}
