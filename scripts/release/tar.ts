/** Writes and reads tar archives (POSIX ustar), the same bytes for the same entries. */
import { complete, type Entry } from "./entries.ts";

const blockBytes = 512;
const kinds = { file: "0", link: "2", directory: "5" } as const;

/**
 * Writes an archive, with `prefix` before every path, `./` for instance. All times are `seconds`.
 * Throws when a path does not fit a ustar header (a name of 100 bytes, below folders of 155).
 */
export function tar(entries: readonly Entry[], seconds: number, prefix = ""): Buffer {
  const parts: Buffer[] = [];
  for (const entry of complete(entries)) {
    const content = entry.kind === "file" ? entry.content : Buffer.alloc(0);
    const slash = entry.kind === "directory" && entry.path !== "" ? "/" : "";
    const path = `${prefix}${entry.path}${slash}`;
    parts.push(header(entry, path, content.length, seconds), content);
    parts.push(Buffer.alloc(-content.length & (blockBytes - 1)));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

/** Reads the files and links of an archive made by npm or dpkg: ustar, with GNU or pax names. */
export function* readTar(archive: Buffer): Generator<Entry> {
  let longName: string | undefined;
  for (let at = 0; at + blockBytes <= archive.length && archive[at] !== 0;) {
    const block = archive.subarray(at, at + blockBytes);
    const size = Number.parseInt(textOf(block, 124, 12).trim() || "0", 8);
    const content = archive.subarray(at + blockBytes, at + blockBytes + size);
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    const type = String.fromCharCode(block[156]);
    if (type === "L") longName = textOf(content, 0, content.length);
    else if (type === "x") longName = /\d+ path=(.*)\n/.exec(content.toString())?.[1];
    else {
      const folder = textOf(block, 345, 155);
      const short = textOf(block, 0, 100);
      const path = (longName ?? (folder === "" ? short : `${folder}/${short}`)).replace(
        /^\.\//,
        "",
      );
      const mode = Number.parseInt(textOf(block, 100, 8), 8) & 0o777;
      longName = undefined;
      if (type === "0" || type === "\0") yield { kind: "file", path, mode, content };
      if (type === "2") yield { kind: "link", path, target: textOf(block, 157, 100) };
    }
  }
}

function header(entry: Entry, path: string, size: number, seconds: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const { name, folder } = split(path);
  const mode = entry.kind === "link" ? 0o777 : entry.mode;
  const owner = entry.owner ?? 0;
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(owner, 7), 108);
  block.write(octal(owner, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(seconds, 11), 136);
  block.write(" ".repeat(8), 148);
  block.write(kinds[entry.kind], 156);
  if (entry.kind === "link") {
    if (Buffer.byteLength(entry.target) > 100) throw new Error(`too long a link: ${entry.target}`);
    block.write(entry.target, 157);
  }
  block.write("ustar\x0000", 257);
  if (owner === 0) {
    block.write("root", 265);
    block.write("root", 297);
  }
  block.write(folder, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function split(path: string): { name: string; folder: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, folder: "" };
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const [folder, name] = [path.slice(0, at), path.slice(at + 1)];
    const fits = Buffer.byteLength(folder) <= 155 && Buffer.byteLength(name) <= 100;
    if (fits && name !== "") return { name, folder };
  }
  throw new Error(`too long a path for a ustar archive: ${path}`);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function textOf(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}
