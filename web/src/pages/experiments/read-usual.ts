import type { LosslessClient } from "@lossless/client";
import type { AskFields } from "../../query/use-completions.ts";
import { askedFields, columnsOf } from "./columns.ts";
import { type Found, foundBody } from "./differing-keys.ts";
import { type Offered, offeredFields, offeredShown } from "./offered-columns.ts";
import { firstKeysSearch, offeredKeys, usualColumns, withOffered } from "./usual-columns.ts";

/** The columns where none are chosen. */
export interface Usual {
  /** Fields that are always shown. */
  columns: readonly string[];
  /** Further ones, of which the rows decide. */
  offered: Offered;
}

/** Rows that decide about keys: those of the first reply. */
export const decidingRows = 100;

/** Reads names at once; without a reply there are fewer columns. */
export async function readUsual(ask: AskFields, stopped: AbortSignal): Promise<Usual> {
  const read = (body: Parameters<AskFields>[0]) => ask(body, stopped).catch(() => undefined);
  const [losses, first, others] = await Promise.all([
    read({ text: "loss" }),
    read({ text: firstKeysSearch }),
    // Keys that clients write by themselves begin with an underscore.
    read({ text: "/^meta\\.[^_]/" }),
  ]);
  return {
    columns: usualColumns(losses?.fields ?? []),
    offered: { keys: offeredKeys([first, others].flatMap((keys) => keys?.fields ?? [])) },
  };
}

/** The columns that the table has at first, where nobody chose any, for other tables. */
export async function readUsualColumns(
  { views }: Pick<LosslessClient, "views">,
  found: Found,
): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const { columns, offered } = await readUsual((body) => views.fields(body, signal), signal);
  const fields = askedFields(columnsOf(withOffered(columns, offeredFields(offered))));
  const body = { ...foundBody(found), columns: fields, limit: decidingRows };
  const reply = await views.experiments(body, signal).catch(() => undefined);
  const rows = reply?.rows ?? [];
  return withOffered(columns, offeredShown(offered, { rows, first: rows, fields }));
}
