import { LosslessClient } from "@lossless/client";
import type { CurrentSession } from "@lossless/protocol";
import { Changes } from "./changes.ts";

/** The service as the person who is signed in sees it. */
export interface Service {
  readonly client: LosslessClient;
  readonly session: CurrentSession;
  readonly changes: Changes;
}

/**
 * Undefined when nobody is signed in. The session is a cookie that no script can read; what it
 * sends besides, to show that the request is from a page of ours, is the token of that session.
 */
export async function openService(): Promise<Service | undefined> {
  const init = { credentials: "same-origin", cache: "no-store" } as const;
  const reply = await fetch("/api/v1/sessions", init);
  if (reply.status === 401) return undefined;
  if (!reply.ok) throw new Error(`The service answered ${reply.status}.`);
  const session = (await reply.json()) as CurrentSession;
  const client = new LosslessClient({
    baseUrl: window.location.origin,
    credential: async () => session.csrf,
    compression: "never",
    retry: { retryForMs: 15_000 },
    onNotice: () => undefined,
    fetch: async (input, request) => {
      const reply = await fetch(input, withCookie(request, session.csrf));
      if (reply.status === 401 || reply.status === 403) await reloadIfOver(session);
      return reply;
    },
  });
  const changes = new Changes((body, signal) => client.views.changes(body, signal), document);
  return { client, session, changes };
}

/** A page whose session has ended begins anew: with another session, or at the sign-in. */
async function reloadIfOver({ csrf }: CurrentSession): Promise<void> {
  const reply = await fetch("/api/v1/sessions", { credentials: "same-origin", cache: "no-store" });
  const isOver = reply.ok
    ? ((await reply.json()) as CurrentSession).csrf !== csrf
    : reply.status === 401;
  if (isOver) window.location.reload();
}

function withCookie(request: RequestInit = {}, csrf: string): RequestInit {
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  headers.set("x-csrf-token", csrf);
  return { ...request, headers, credentials: "same-origin" };
}

/** Where to sign in, and to come back from there. */
export function signInAddress(): string {
  const next = window.location.pathname + window.location.search;
  return `/sign-in?${new URLSearchParams({ next }).toString()}`;
}
