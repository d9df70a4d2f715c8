import { OutcomeUnknownError } from "./errors.ts";
import type { TokenGrant } from "./experiment-session.ts";
import { isEqual } from "./json-equality.ts";
import { failedWith, succeeded } from "./replies.ts";
import type { OrganizationEvents } from "./organization-events.ts";
import type { RetryPolicy } from "./retry.ts";
import { settledWrite } from "./settled-write.ts";

/** Data of `experiment.open`: description and meta replace those of an existing slug. */
export interface Opening {
  /** 1 to 200 characters; identifies the experiment within the organization. */
  slug: string;
  /** At most 16,000 characters; may be empty (default). */
  description?: string;
  /** A JSON object, at most 64 KiB of compact JSON; `{}` by default. */
  meta?: Record<string, unknown>;
  /**
   * Target folder (extension `experiment.move`, same request); absent: the experiment stays in
   * place.
   */
  folderId?: string | null;
  /**
   * Extension: the `updatedAtMs` of the experiment as it was read, null where there was none. If
   * another client has made, opened or edited it since, `experiment_changed` is thrown, and nothing
   * is replaced or moved.
   */
  seenUpdatedAtMs?: number | null;
}

type GrantData = Omit<TokenGrant, "serverTimeMs" | "columnVersions">;

const openEvent = "svc.v2.experiment.open";

/**
 * `experiment.open`, with `experiment.move` in the same request when a folder is given. A lost
 * reply leaves a token that cannot be read back, so the slug is opened again; with the same
 * description and meta that changes nothing. The record is read first: if another client has opened
 * the slug with other content since, it is not overwritten, and OutcomeUnknownError is thrown.
 */
export async function openExperiment(
  events: OrganizationEvents,
  policy: RetryPolicy,
  opening: Opening,
  signal?: AbortSignal,
): Promise<TokenGrant> {
  const { slug, description = "", meta = {}, folderId } = opening;
  let { seenUpdatedAtMs } = opening;
  const startedAt = performance.now();
  return settledWrite<TokenGrant>({
    event: openEvent,
    policy,
    signal,
    attempt: async () => {
      const seen = seenUpdatedAtMs === undefined ? {} : { seenUpdatedAtMs };
      const open = { event: openEvent, data: { slug, description, meta, ...seen } } as const;
      const move = {
        event: "svc.v2.experiment.move",
        data: { experimentSlug: slug, folderId: folderId ?? null },
      } as const;
      const moves = folderId === undefined ? [] : [move];
      // A move in the request of an opening that is refused would be done.
      const isApart = seenUpdatedAtMs !== undefined && moves.length > 0;
      const request = isApart ? [open] : [open, ...moves];
      const { outcomes, ...service } = await events.attempt(request, signal);
      const opened = succeeded<GrantData>(outcomes[0]);
      seenUpdatedAtMs = undefined;
      const moved = isApart ? (await events.attempt(moves, signal)).outcomes : outcomes.slice(1);
      for (const outcome of moved) succeeded(outcome);
      return { ...opened, ...service };
    },
    settle: async () => {
      const query = { event: "svc.v2.query.experiment", data: { experimentSlug: slug } } as const;
      const { outcomes, serverTimeMs } = await events.attempt([query], signal);
      if (failedWith(outcomes[0], "experiment_not_found")) return undefined;
      const record = succeeded<Record<string, unknown>>(outcomes[0]);
      const isOurs = record["description"] === description && isEqual(record["meta"], meta);
      // The Date header has whole seconds.
      const startedAtMs = serverTimeMs + 1_000 - (performance.now() - startedAt);
      // The attempt whose reply was lost has changed what was seen before it.
      if (isOurs) seenUpdatedAtMs = undefined;
      const isSafe = isOurs || seenUpdatedAtMs !== undefined;
      if (!isSafe && Number(record["updatedAtMs"]) > startedAtMs) {
        const message = `${JSON.stringify(slug)} was opened with other content by somebody else`;
        throw new OutcomeUnknownError(openEvent, message, undefined);
      }
      return undefined;
    },
  });
}

/** `experiment.tokenRefresh`, one attempt: the session itself retries or reopens the slug. */
export async function refreshToken(
  events: OrganizationEvents,
  experimentId: string,
  experimentToken: string,
  signal?: AbortSignal,
): Promise<TokenGrant> {
  const event = "svc.v2.experiment.tokenRefresh";
  const request = [{ event, data: { experimentId, experimentToken } }] as const;
  const { outcomes, ...service } = await events.attempt(request, signal);
  return { ...succeeded<GrantData>(outcomes[0]), ...service };
}
