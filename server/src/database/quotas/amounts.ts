/** Stored amounts of an organization that count for quotas. */
export interface Amounts {
  bytes: number;
  experiments: number;
  /** Metadata partitions of all its experiments. */
  partitions: number;
  /** Uploads that are neither committed nor abandoned. */
  uploads: number;
}

export type Kind = keyof Amounts;

export const kinds = ["bytes", "experiments", "partitions", "uploads"] as const;

/** Maxima of an organization's amounts; null where there is no maximum. */
export type Maxima = { [Each in Kind]: number | null };

export const nothing: Readonly<Amounts> = { bytes: 0, experiments: 0, partitions: 0, uploads: 0 };

/**
 * Bytes counted for a row besides its texts: about those of the row, its keys and its part of the
 * indexes. Recounting (recount.ts) and the migration that began the count have the same number in
 * SQL.
 */
export const rowBytes = 128;
/** A file of an upload: its name, its key and the store's id of it, in the upload's rows. */
export const fileRowBytes = 256;
/** Bytes counted for a point that is not sealed. Sealed ones count as their segments' bytes. */
export const logPointBytes = 44;

/** Returns UTF-8 bytes, as both databases store text. */
export function textBytes(...texts: (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0);
}

export function partitionBytes(key: string): number {
  // Name and meta stand in columns of their own, without the line feed between them.
  return rowBytes + Buffer.byteLength(key) - 1;
}

/** A row of `file` or `file_upload`, with the bytes where they are on the operator's disk. */
export function fileBytes({ bytes, isBuiltIn }: { bytes: number; isBuiltIn: boolean }): number {
  return fileRowBytes + (isBuiltIn ? bytes : 0);
}

/**
 * Returns the bytes of all rows of an upload and its version, and of its files where they are on
 * the operator's disk.
 */
export function uploadBytes(upload: {
  metaText: string;
  files: readonly { size: number }[];
  isBuiltIn: boolean;
}): number {
  const { metaText, files, isBuiltIn } = upload;
  const content = isBuiltIn ? files.reduce((sum, { size }) => sum + size, 0) : 0;
  return 2 * (rowBytes + textBytes(metaText)) + fileRowBytes * files.length + content;
}
