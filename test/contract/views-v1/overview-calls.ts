import type { OverviewBody, OverviewReply } from "@lossless/protocol";
import { type HttpReply, ok } from "../../http.ts";
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
  return ok<OverviewReply>(await postOverview(system, caller, body));
}
