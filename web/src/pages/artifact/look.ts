import { csvRows } from "./csv.ts";
import { indentedJson } from "./indented-json.ts";
import { pictureOf, type Picture } from "./picture.ts";

/** The preview of a file, determined by its bytes; the name only decides how a text is laid out. */
export type Look =
  | ({ kind: "picture" } & Picture)
  | { kind: "text"; text: string }
  | { kind: "json"; text: string }
  | { kind: "rows"; rows: string[][]; isCut: boolean; text: string }
  | { kind: "bytes"; text: string };

/** Bytes of a text that are shown, from the beginning. */
export const shownBytesMax = 262_144;
/** Bytes of a file shown as a dump, where they are no text. */
const dumpedBytesMax = 512;

const rowsMax = 500;
const columnsMax = 50;

/**
 * Chooses the preview. `bytes` are the first bytes of the file, or all of them. They are never
 * executed.
 */
export function lookAt(name: string, bytes: Uint8Array, isWhole: boolean): Look {
  const picture = pictureOf(bytes);
  if (picture !== undefined) return { kind: "picture", ...picture };
  const text = textOf(bytes, isWhole);
  if (text === undefined) return { kind: "bytes", text: dump(bytes.subarray(0, dumpedBytesMax)) };
  const ending = /\.(\w+)$/.exec(name)?.[1].toLowerCase();
  if (ending === "json" && isWhole) {
    const indented = indentedJson(text);
    if (indented !== undefined) return { kind: "json", text: indented };
  }
  if (ending === "csv" || ending === "tsv") {
    const { rows, isCut } = csvRows(text, ending === "csv" ? "," : "\t", {
      rowsMax,
      columnsMax,
      isWhole,
    });
    if (rows.length > 0) return { kind: "rows", rows, isCut, text };
  }
  return { kind: "text", text };
}

/** Decodes UTF-8; undefined for other bytes, and for characters that no text has. */
function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    // With `stream`, a character cut at the end is no error.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Sixteen bytes a line, as numbers and as letters. */
function dump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const line = [...bytes.subarray(at, at + 16)];
    const numbers = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = line.map((byte) =>
      byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·",
    );
    lines.push(`${at.toString(16).padStart(6, "0")}  ${numbers.padEnd(47)}  ${letters.join("")}`);
  }
  return lines.join("\n");
}
