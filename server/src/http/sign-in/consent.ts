import { html, type Html } from "./html.ts";
import { csrfField, personLine } from "./person-line.ts";
import type { SignedInPerson } from "./signed-in.ts";

export interface Consent {
  person: SignedInPerson;
  organizations: string;
  /** What is told of the program that asks, by its title. */
  facts: Readonly<Record<string, Html | string>>;
  /** When to allow it. */
  caution: Html;
  /** Where the answer goes, and what goes with it. */
  address: string;
  hidden?: Html;
}

/** What a person is shown before a command line may act for them, and the two answers. */
export function consentBody(intro: string, consent: Consent): Html {
  const { person, organizations, facts, caution, address, hidden } = consent;
  const rows = {
    Program: html`<code>lossless</code>`,
    ...facts,
    "Acts as": person.email,
    In: organizations,
    "May do": "what you may, until it signs out",
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
