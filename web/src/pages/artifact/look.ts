import { csvRows } from "./csv.ts";
import { indentedJson } from "./indented-json.ts";
import { pictureOf, type Picture } from "./picture.ts";

/** What can be shown of a file, by its bytes: its name only says how a text is laid out. */
export type Look =
  | ({ kind: "picture" } & Picture)
  | { kind: "text"; text: string }
  | { kind: "json"; text: string }
  | { kind: "rows"; rows: string[][]; isCut: boolean; text: string }
  | { kind: "bytes"; text: string };

/** Bytes of a text that are shown: the first ones. */
export const shownBytesMax = 262_144;
/** Bytes of which a look is made, where no text can be made of them. */
const dumpedBytesMax = 512;

const rowsMax = 500;
const columnsMax = 50;

/** `bytes` are the first ones of the file, or all of them. Nothing in them is ever run. */
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

/** Undefined where it is no UTF-8, or has characters that no text has. */
function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    // With `stream`, a character that is cut at the end is no fault.
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
