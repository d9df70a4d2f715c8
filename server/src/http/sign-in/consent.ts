import { html, type Html } from "./html.ts";
import { csrfField, personLine } from "./person-line.ts";
import type { SignedInPerson } from "./signed-in.ts";

export interface Consent {
  person: SignedInPerson;
  organizations: string;
  /** Facts about the program that asks, by title. */
  facts: Readonly<Record<string, Html | string>>;
  /** Advice on when to allow it. */
  caution: Html;
  /** Address of the form, and the fields sent with the answer. */
  address: string;
  hidden?: Html;
}

/** Returns the page on which a person allows or refuses that a command line acts for them. */
export function consentBody(intro: string, consent: Consent): Html {
  const { person, organizations, facts, caution, address, hidden } = consent;
  const rows = {
    Program: html`<code>lossless</code>`,
    ...facts,
    "Acts as": person.email,
    In: organizations,
    Permissions: "the same as yours, until it signs out",
  };
  return html`<p>${intro}</p>
    <dl>
      ${Object.entries(rows).map(
        ([title, value]) =>
          html`<div>
            <dt>${title}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${caution}
    <form method="post" action="${address}">
      ${csrfField(person)} ${hidden}
      <div class="answers">
        <button name="answer" value="allow">Allow</button>
        <button class="plain" name="answer" value="deny">Deny</button>
      </div>
    </form>
    ${personLine(person, address)}`;
}
