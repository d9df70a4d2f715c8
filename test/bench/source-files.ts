import { randomFillSync } from "node:crypto";
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { LocalFile } from "./raw-store.ts";

/** Random bytes. Large files are on the disk before any measurement: no write-back comes later. */
export function makeFile(path: string, bytes: number): void {
  const piece = Buffer.alloc(Math.min(bytes, 1_048_576));
  const file = openSync(path, "wx");
  for (let written = 0; written < bytes; written += piece.length) {
    writeSync(file, randomFillSync(piece));
  }
  if (bytes > piece.length) fsyncSync(file);
  closeSync(file);
}

/** A directory of other files under names of its own. */
export function linkFiles(directory: string, paths: readonly string[], bytes: number): LocalFile[] {
  mkdirSync(directory, { recursive: true });
  return paths.map((source, number) => {
    const name = `${number}.bin`;
    const path = join(directory, name);
    linkSync(source, path);
    return { name, path, bytes };
  });
}
