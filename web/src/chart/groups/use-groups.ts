import type { GroupsBody, GroupsReply } from "@lossless/client";
import { useCallback } from "preact/hooks";
import type { Service } from "../../signed-in.ts";
import { type ReplyState, useReply } from "../overview/reply.ts";

/** Follows groups over all that a page finds; those by other keys are not kept. */
export function useGroups(
  service: Service,
  request: GroupsBody | undefined,
  revision: string,
): Omit<ReplyState<GroupsBody, GroupsReply>, "request"> {
  const read = useCallback(
    (asked: GroupsBody, signal: AbortSignal) => service.client.views.groups(asked, signal),
    [service],
  );
  const { request: answered, reply, ...state } = useReply(read, request, revision);
  const isSame = request !== undefined && keysOf(answered) === keysOf(request);
  return { ...state, ...(reply && isSame && { reply }) };
}

function keysOf(request: GroupsBody | undefined): string {
  return JSON.stringify([request?.by, request?.byPartition]);
}
