/**
 * Data of an event with its meta as JSON text. A checked meta stays text, from the body to the
 * database: a tree of 64 KiB costs every thread that it crosses more than the parser did.
 */
export type WithMetaText<Data> = Data extends { meta: unknown }
  ? Omit<Data, "meta"> & { meta: string }
  : Data;
