import { LosslessClient } from "@lossless/client";
import type { CurrentSession } from "@lossless/protocol";
import { type ReadonlySignal, signal } from "@preact/signals";
import { Changes } from "./changes.ts";

/** The service as the person who is signed in sees it. */
export interface Service {
  readonly client: LosslessClient;
  readonly session: CurrentSession;
  readonly changes: Changes;
  /** The session, once it acts for another organization than these pages. */
  readonly moved: ReadonlySignal<CurrentSession | undefined>;
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
  const moved = signal<CurrentSession | undefined>(undefined);
  const client = new LosslessClient({
    baseUrl: window.location.origin,
    credential: async () => session.csrf,
    compression: "never",
    retry: { retryForMs: 15_000 },
    onNotice: () => undefined,
    fetch: async (input, request) => {
      const reply = await fetch(input, withCookie(request, session));
      if (reply.status === 401 || reply.status === 403) moved.value = await movedSince(session);
      return reply;
    },
  });
  const changes = new Changes((body, signal) => client.views.changes(body, signal), document);
  return { client, session, changes, moved };
}

/**
 * A page whose session has ended begins anew: with another session, or at the sign-in. Otherwise
 * the session, if it acts for another organization now.
 */
async function movedSince(before: CurrentSession): Promise<CurrentSession | undefined> {
  const reply = await fetch("/api/v1/sessions", { credentials: "same-origin", cache: "no-store" });
  const session = reply.ok ? ((await reply.json()) as CurrentSession) : undefined;
  if (session === undefined ? reply.status === 401 : session.csrf !== before.csrf)
    window.location.reload();
  return session?.organization?.id === before.organization?.id ? undefined : session;
}

/** The organization is named, so that no answer is another's once a tab has chosen that. */
function withCookie(
  request: RequestInit = {},
  { csrf, organization }: CurrentSession,
): RequestInit {
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  headers.set("x-csrf-token", csrf);
  if (organization !== null) headers.set("x-svc-organization", organization.id);
  return { ...request, headers, credentials: "same-origin" };
}

/** Where to sign in, and to come back from there. */
export function signInAddress(): string {
  const next = window.location.pathname + window.location.search;
  return `/sign-in?${new URLSearchParams({ next }).toString()}`;
}
