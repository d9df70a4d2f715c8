import { errors } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { html } from "./html.ts";
import type { Page } from "./page.ts";

/** Returns the page for a request that failed as a whole. */
export function errorPage(status: number, sentence: string, requestId: string): Page {
  return {
    title: titleOf(status),
    body: html`<p role="alert">${sentence}</p>
      <p class="below">Request <code>${requestId}</code></p>`,
  };
}

function titleOf(status: number): string {
  if (status === 404) return "Page not found";
  if (status === 403) return "This is not allowed";
  if (status === 429) return "Too many tries";
  return status >= 500 ? "The service cannot answer now" : "This did not work";
}

/**
 * Returns the failure to show above a page's form, for the person to correct. Other errors are
 * thrown on, to a page.
 */
export function formFailure(error: unknown): { status: number; sentence: string } {
  if (!(error instanceof ServiceError)) throw error;
  const { status } = errors[error.code];
  if (status >= 500 || status === 429) throw error;
  return { status, sentence: error.message };
}
