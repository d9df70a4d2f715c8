import assert from "node:assert/strict";
import type { OverviewBody, OverviewReply } from "@lossless/protocol";
import type { HttpReply } from "../../http.ts";
import { observed, type OrganizationCaller } from "../callers.ts";
import type { System } from "../topic.ts";

export function postOverview(
  system: System,
  { credential }: OrganizationCaller,
  body: unknown,
): Promise<HttpReply> {
  return observed(system, { path: "/api/views/v1/overview", credential, body });
}

export async function overview(
  system: System,
  caller: OrganizationCaller,
  body: OverviewBody,
): Promise<OverviewReply> {
  const reply = await postOverview(system, caller, body);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as OverviewReply;
}
