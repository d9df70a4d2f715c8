import type { OverviewBody, OverviewReply } from "@lossless/client";
import { useCallback } from "preact/hooks";
import type { Service } from "../../signed-in.ts";
import { readInParts } from "./parts.ts";
import { useReply } from "./reply.ts";

export interface OverviewState {
  overview?: OverviewReply;
  /** Whether it answers the request; else it is the previous one's, until the reply arrives. */
  isCurrent: boolean;
  problem?: string;
}

/** Follows the overview of a chart. */
export function useOverview(
  service: Service,
  request: OverviewBody | undefined,
  revision: string,
): OverviewState {
  const read = useCallback(
    (asked: OverviewBody, signal: AbortSignal) =>
      readInParts((body) => service.client.views.overview(body, signal), asked),
    [service],
  );
  const { reply, isCurrent, problem } = useReply(read, request, revision);
  return {
    isCurrent,
    ...(reply && { overview: reply }),
    ...(problem !== undefined && { problem }),
  };
}
