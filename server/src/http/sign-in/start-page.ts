import { endpoints, errors } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { Route } from "../route.ts";
import { html } from "./html.ts";
import { sendPage } from "./page.ts";
import type { Page } from "./page.ts";

/** `GET /`: where the `url` of a run leads a browser. A program that asks has a wrong address. */
export const startPage: Route = async (_context, { headers }, reply) => {
  void reply.header("vary", "accept");
  if (!/\btext\/html\b/i.test(headers.accept ?? "")) {
    throw new ServiceError("not_found", errors.not_found.sentence);
  }
  sendPage(reply, page);
};

const page: Page = {
  title: "A Lossless service",
  body: html`<p>
      Training runs record their measurements here. What is recorded is read with a command or from
      Python; there are no pages with plots yet.
    </p>
    <pre>
lossless login
lossless experiments list
lossless series points SLUG METRIC</pre>
    <pre>
import lossless
lossless.Reader().series(slug, metric).to_pandas()</pre>
    <p><a href="${endpoints.signInPage.path}">Sign in</a></p>
    <p class="soft">
      For programs: <a href="${endpoints.openapi.path}">the description of the interface</a>.
    </p>`,
};
