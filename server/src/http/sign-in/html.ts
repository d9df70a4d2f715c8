/** Text that is HTML already. Only `html` makes it, so that all other text in a page is escaped. */
export class Html {
  readonly text: string;
  private constructor(text: string) {
    this.text = text;
  }

  static of(strings: TemplateStringsArray, values: readonly Value[]): Html {
    let text = strings[0] ?? "";
    for (const [index, value] of values.entries()) text += inserted(value) + strings[index + 1];
    return new Html(text);
  }
}

type Value = string | number | Html | undefined | readonly Html[];

/**
 * Returns a piece of a page: html`<p title="${title}">${name}</p>`. Values are escaped for text and
 * for attributes in quotation marks, and belong nowhere else: not into tags, styles or addresses
 * whose scheme they could choose. Undefined prints nothing.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return Html.of(strings, values);
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function inserted(value: Value): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character]);
}
