import { endpoints } from "@lossless/protocol";
import { csrfTokenOf } from "../callers/csrf.ts";
import { html, type Html } from "./html.ts";
import type { SignedInPerson } from "./signed-in.ts";

/** The token that makes a form ours. */
export function csrfField({ secret }: SignedInPerson): Html {
  return html`<input type="hidden" name="csrf" value="${csrfTokenOf(secret)}" />`;
}

/** Below every page of somebody signed in: who, and the way out. `next`: where another goes on. */
export function personLine(person: SignedInPerson, next: string | undefined): Html {
  const field =
    next === undefined ? undefined : html`<input type="hidden" name="next" value="${next}" />`;
  return html`<div class="below">
    Signed in as ${person.email}.
    <form method="post" action="${endpoints.signOut.path}">
      ${csrfField(person)}${field}
      <button class="link">${next === undefined ? "Sign out" : "Not you? Sign out"}</button>
    </form>
  </div>`;
}
