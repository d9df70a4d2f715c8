/**
 * RFC 8785: no white space, keys sorted by UTF-16 code units, strings and numbers as ECMAScript
 * writes them. Two metas name the same partition exactly when these texts are equal. The value is
 * parsed JSON with well-formed strings (checkText); its depth was bounded earlier.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).sort(byKey);
  const texts = members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${texts.join(",")}}`;
}

/** String comparison in JavaScript is by UTF-16 code units already. */
function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

/** Bytes of the text in UTF-8; a lone surrogate counts 3, as its replacement does. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 2;
    else if (isPair(text, index, unit)) {
      bytes += 2;
      index++;
    } else bytes += 2;
  }
  return bytes;
}

function isPair(text: string, index: number, unit: number): boolean {
  const next = text.charCodeAt(index + 1);
  return unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
}
