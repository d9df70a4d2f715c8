import { limits, type ConsoleSpan } from "./wire.ts";

export interface PrintedLine {
  text: string;
  /** Colours and styles. */
  spans: ConsoleSpan[];
}

/**
 * Makes lines of what a program prints, as a terminal would show them at their end: a carriage
 * return begins a line anew, colours are spans, other control characters are left out, and a line
 * that is too long is several.
 */
export function printedLines(text: string): PrintedLine[] {
  return text
    .toWellFormed()
    .replace(/\r?\n$/, "")
    .split("\n")
    .flatMap((line) => inParts(withoutSequences(lastState(line))));
}

function lastState(line: string): string {
  if (!line.includes("\r")) return line;
  return (line.split("\r").findLast((state) => state !== "") ?? "").replace(/ +$/, "");
}

const [escape, bell] = [String.fromCharCode(0x1b), String.fromCharCode(0x07)];
/** Colours and styles, other control sequences, links and titles, and lone escapes. */
const sequence = new RegExp(
  String.raw`${escape}(?:\[([0-9;:]*)m|\[[0-9;:?<=>!]*[ -/]*[@-~]|[\]PX^_].*?(?:${bell}|${escape}\\|$)|.?)`,
  "g",
);
const controls = /(?!\t)\p{Cc}/gu;
const styleCharactersMax = 64;

function withoutSequences(line: string): PrintedLine {
  const spans: ConsoleSpan[] = [];
  let text = "";
  let style = "";
  let start = 0;
  let at = 0;
  const closeSpan = (): void => {
    if (style !== "" && text.length > start && spans.length < limits.consoleSpansMax)
      spans.push({ start, end: text.length, style });
  };
  for (const found of line.matchAll(sequence)) {
    text += line.slice(at, found.index).replace(controls, "");
    at = found.index + found[0].length;
    const added = found[1];
    if (added === undefined) continue;
    closeSpan();
    start = text.length;
    const isReset = added === "" || added === "0";
    style = isReset ? "" : style === "" ? added : `${style};${added}`;
    style = style.slice(-styleCharactersMax).replace(/^;+/, "");
  }
  text += line.slice(at).replace(controls, "");
  closeSpan();
  return { text, spans };
}

/** A line that is too long comes in parts, without its colours. */
function inParts(line: PrintedLine): PrintedLine[] {
  const longest = limits.consoleLineCharactersMax;
  if (line.text.length <= longest) return [line];
  const parts: PrintedLine[] = [];
  for (let at = 0; at < line.text.length;) {
    let end = Math.min(at + longest, line.text.length);
    // Not between the halves of a character.
    if (end < line.text.length && /[\udc00-\udfff]/.test(line.text[end])) end--;
    parts.push({ text: line.text.slice(at, end), spans: [] });
    at = end;
  }
  return parts;
}
