import { endpoints } from "@lossless/protocol";
import { csrfTokenOf } from "../callers/csrf.ts";
import { html, type Html } from "./html.ts";
import type { SignedInPerson } from "./signed-in.ts";

/** Returns the field with the token by which a form is known to be ours. */
export function csrfField({ secret }: SignedInPerson): Html {
  return html`<input type="hidden" name="csrf" value="${csrfTokenOf(secret)}" />`;
}

/**
 * Returns the line below every page of a signed-in person: their name, and the link to sign out.
 * `next`: where another person continues.
 */
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
