import { limits } from "@lossless/protocol";
import { html, type Html } from "./html.ts";

export function emailField(email: string, hasFocus: boolean): Html {
  return html`<label for="email">E-mail</label>
    <input
      id="email"
      name="email"
      type="email"
      value="${email}"
      autocomplete="username"
      required
      ${hasFocus ? html`autofocus` : undefined}
      maxlength="${limits.emailCharactersMax}"
    />`;
}
