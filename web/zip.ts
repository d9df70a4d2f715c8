import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string;
  content: Buffer;
}

/** As 1980 began, the oldest date that an archive can have: equal content is equal bytes. */
const date = 0x21;
const utf8Names = 0x0800;
const deflated = 8;
/** Made on Unix, by version 2.0 of the format. */
const madeBy = 0x0314;
const regularFile = (0o100644 << 16) >>> 0;

/** A ZIP archive of small files, below 4 GiB in all. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content } of entries) {
    const stored = deflateRawSync(content, { level: 9 });
    const path = Buffer.from(name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(utf8Names, 2);
    about.writeUInt16LE(deflated, 4);
    about.writeUInt16LE(date, 8);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(stored.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([signature(0x04034b50), about, path, stored]);
    const head = Buffer.alloc(2);
    head.writeUInt16LE(madeBy, 0);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(regularFile, 6);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([signature(0x02014b50), head, about, tail, path]));
    parts.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, listed, signature(0x06054b50), end]);
}

function signature(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}
