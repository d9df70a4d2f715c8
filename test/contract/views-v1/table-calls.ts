import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { FieldsBody, FieldsReply, TableBody, TableReply } from "@lossless/protocol";
import { type HttpReply, ok } from "../../http.ts";
import { observed, type OrganizationCaller } from "../callers.ts";
import type { System } from "../topic.ts";

export function post(
  system: System,
  view: "experiments" | "fields" | "difference",
  credential: string,
  body: unknown,
): Promise<HttpReply> {
  return observed(system, { path: `/api/views/v1/${view}`, credential, body });
}

export function postTable(
  system: System,
  { credential }: OrganizationCaller,
  body: unknown,
): Promise<HttpReply> {
  return post(system, "experiments", credential, body);
}

export async function fields(
  system: System,
  { credential }: OrganizationCaller,
  body: FieldsBody,
): Promise<FieldsReply> {
  return ok<FieldsReply>(await post(system, "fields", credential, body));
}

export async function table(
  system: System,
  caller: OrganizationCaller,
  body: Partial<TableBody>,
): Promise<TableReply> {
  const reply = await postTable(system, caller, { limit: 1_000, ...body });
  assert.equal(reply.status, 200, `${JSON.stringify(body)}: ${reply.text.slice(0, 500)}`);
  return JSON.parse(reply.text) as TableReply;
}

/** Waits until metrics and metas of all that was acknowledged are in the table. */
export async function untilSummarized(system: System, caller: OrganizationCaller): Promise<void> {
  await system.told();
  while ((await table(system, caller, { limit: 0 })).behind > 0) await setTimeout(50);
}
