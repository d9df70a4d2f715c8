/**
 * Parses YAML as MLflow writes its meta.yaml: a mapping of scalars, and one of mappings within it.
 * Texts may be plain or quoted, and go over several lines. Throws an Error for anything else.
 */
export function plainYaml(text: string): Record<string, unknown> {
  const lines = text.split(/\r?\n/);
  const found: Record<string, unknown> = {};
  let at = 0;
  let inner: Record<string, unknown> | undefined;
  while (at < lines.length) {
    const line = lines[at++];
    if (line.trim() === "" || line === "---" || line.trimStart().startsWith("#")) continue;
    const parts = /^( *)('(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^:]+?):(?: +(.*))?$/.exec(line);
    if (parts === null) throw new Error(`line ${at} is not understood`);
    const indent = parts[1].length;
    // Values go on in lines that are indented further, and have no key in quotes.
    let value = parts[3] ?? "";
    let blanks = 0;
    while (at < lines.length && isOpen(value, lines[at], indent)) {
      const next = lines[at++].trim();
      if (next === "") blanks++;
      else {
        value = folded(value, blanks, next);
        blanks = 0;
      }
    }
    const name = String(scalar(parts[2]));
    const target = indent > 0 ? inner : found;
    if (target === undefined) throw new Error(`line ${at} is indented`);
    if (value === "" && indent === 0 && /^ +\S/.test(lines[at] ?? "")) {
      inner = {};
      found[name] = inner;
    } else target[name] = scalar(value);
  }
  return found;
}

/** Joins two lines: by a space, by the line breaks that blank lines between them stand for. */
function folded(value: string, blanks: number, next: string): string {
  const isJoined = value.startsWith('"') && /(?:^|[^\\])(?:\\\\)*\\$/.test(value);
  if (isJoined) return value.slice(0, -1) + next;
  return value + (blanks > 0 ? "\n".repeat(blanks) : " ") + next;
}

/** Whether a value goes on in the next line. */
function isOpen(value: string, next: string, indent: number): boolean {
  if (value.startsWith("'")) return !/^'(?:[^']|'')*'$/.test(value);
  if (value.startsWith('"')) return !/^"(?:[^"\\]|\\[^])*"$/.test(value);
  if (value === "" || value === "{}" || value === "[]") return false;
  return next.startsWith(" ".repeat(indent + 1));
}

function scalar(text: string): unknown {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (text.startsWith('"')) return unescaped(text.slice(1, -1));
  if (text === "" || text === "null" || text === "~") return null;
  if (text === "true" || text === "false") return text === "true";
  if (text === "{}") return {};
  if (text === "[]") return [];
  if (/^[&*!|>%@`]/.test(text)) throw new Error(`${text} is not understood`);
  // Integers may have 64 bits: they stay texts beyond a double.
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  return text;
}

const escapes: Readonly<Record<string, string>> = {
  0: "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([^]))/g,
    (_, two?: string, four?: string, eight?: string, one?: string) => {
      const digits = two ?? four ?? eight;
      if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
      return escapes[one!] ?? one!;
    },
  );
}
