import { setTimeout } from "node:timers/promises";
import type { TrashEntry, TrashListReply, TrashReply } from "@lossless/protocol";
import { type HttpReply, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { observed, type Target } from "../callers.ts";

/** Asks the trash. Without a body it reads. */
export function askTrash(
  target: Target,
  place: string,
  { body, credential = organizations.acme.key, method }: TrashRequest = {},
): Promise<HttpReply> {
  const path = `/api/trash/v1/${place}`;
  return observed(target, { path, credential, ...(body !== undefined && { body }), ...method });
}

interface TrashRequest {
  body?: unknown;
  credential?: string;
  method?: { method: string };
}

export async function entriesOf(reply: Promise<HttpReply>): Promise<TrashEntry[]> {
  return ok<TrashReply>(await reply).entries;
}

export function trashed(target: Target, ...experimentIds: string[]): Promise<TrashEntry[]> {
  return entriesOf(askTrash(target, "experiments", { body: { experimentIds } }));
}

/** Everything in the trash, page by page. */
export async function trashList(target: Target, credential?: string): Promise<TrashEntry[]> {
  const entries: TrashEntry[] = [];
  for (let place = "entries"; ;) {
    const reply = await askTrash(target, place, credential ? { credential } : {});
    const page = ok<TrashListReply>(reply);
    entries.push(...page.entries);
    if (page.next === null) return entries;
    place = `entries?before=${page.next}`;
  }
}

/** Waits until none of them is in the trash any more. */
export async function untilGone(target: Target, ids: readonly string[]): Promise<void> {
  for (;;) {
    const left = await trashList(target);
    if (!left.some(({ id }) => ids.includes(id))) return;
    await setTimeout(50);
  }
}
