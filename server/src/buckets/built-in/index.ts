import { crc32 } from "node:zlib";
import { DamagedObject, type StoredPartFile } from "./part.ts";

/** Names the part files of an object. It is written once, at completion, and never changes. */
export interface ObjectIndex {
  key: string;
  /** Names the directory with the parts, and is the object's ETag. */
  storeUpload: string;
  sizeBytes: number;
  parts: (StoredPartFile & { number: number })[];
}

const format = 1;

/** Returns one line of readable JSON, and its CRC32 in a second line. */
export function encodeIndex({ key, storeUpload, sizeBytes, parts }: ObjectIndex): Buffer {
  const rows = parts.map((part) => [part.number, part.etag, part.sizeBytes]);
  const line = `${JSON.stringify({ format, key, upload: storeUpload, sizeBytes, parts: rows })}\n`;
  return Buffer.from(`${line}${checksum(line)}\n`);
}

/** Reads an index. Throws DamagedObject when the file is not the one written for this key. */
export function decodeIndex(text: string, key: string): ObjectIndex {
  const end = text.indexOf("\n") + 1;
  const line = text.slice(0, end);
  if (line === "" || text.slice(end) !== `${checksum(line)}\n`) {
    throw new DamagedObject(`the index of ${key} does not match its checksum`);
  }
  const value = JSON.parse(line) as {
    format: number;
    key: string;
    upload: string;
    sizeBytes: number;
    parts: [number, string, number][];
  };
  if (value.format !== format) {
    throw new DamagedObject(`the index of ${key} has the format ${value.format}`);
  }
  if (value.key !== key) throw new DamagedObject(`the index of ${key} is that of ${value.key}`);
  const parts = value.parts.map(([number, etag, sizeBytes]) => ({ number, etag, sizeBytes }));
  return { key, storeUpload: value.upload, sizeBytes: value.sizeBytes, parts };
}

function checksum(line: string): string {
  return crc32(line).toString(16).padStart(8, "0");
}
