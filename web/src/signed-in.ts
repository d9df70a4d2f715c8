import { ConnectionError, LosslessClient } from "@lossless/client";
import type { CurrentSession, GuestVisit } from "@lossless/protocol";
import { type ReadonlySignal, signal } from "@preact/signals";
import { Changes } from "./changes.ts";
import { unreached } from "./parts/words.ts";
import { leaveTo, placed, serviceUrl, unplaced } from "./base-path.ts";

/** The service for the signed-in person. */
export interface Service {
  readonly client: LosslessClient;
  readonly session: CurrentSession;
  readonly changes: Changes;
  /** Answers that pages showed, by a name: painted at once when somebody comes back to a page. */
  readonly shown: Map<string, unknown>;
  /** Set for a guest, whose link shows this. */
  readonly visit?: GuestVisit | undefined;
  /** The session, once it acts for another organization than these pages. */
  readonly moved: ReadonlySignal<CurrentSession | undefined>;
}

/**
 * Opens the service; undefined: nobody is signed in. The session is a cookie that no script can
 * read; requests also carry the session's CSRF token, which shows that they come from our pages.
 */
export async function openService(): Promise<Service | undefined> {
  const init = { credentials: "same-origin", cache: "no-store" } as const;
  const reply = await fetch(placed("/api/v1/sessions"), init);
  if (reply.status === 401) return undefined;
  if (!reply.ok) throw new Error(`The service answered with status ${reply.status}.`);
  return serviceOf((await reply.json()) as CurrentSession);
}

/** The service for a session; for a guest, who has none, with the visit. */
export function serviceOf(session: CurrentSession, visit?: GuestVisit): Service {
  const moved = signal<CurrentSession | undefined>(undefined);
  let { csrf } = session;
  let isTold = false;
  const client = new LosslessClient({
    baseUrl: serviceUrl(),
    credential: async () => csrf,
    compression: "never",
    retry: {
      retryForMs,
      observer: {
        mayRetry: ({ error, leftMs }) => {
          if (error instanceof ConnectionError && retryForMs - leftMs >= quietMs) {
            isTold = true;
            changes.problem.value = unreached;
          }
          return true;
        },
        succeeded: () => {
          if (!isTold) return;
          isTold = false;
          if (changes.problem.value === unreached) changes.problem.value = undefined;
          changes.again();
        },
      },
    },
    onNotice: () => undefined,
    fetch: async (input, request) => {
      const ask = () =>
        fetch(input, withCookie(request, { csrf, organization: session.organization }));
      // Meanwhile another request may have found the next session.
      const used = csrf;
      const reply = await ask();
      if (reply.status !== 401 && reply.status !== 403) return reply;
      if (visit !== undefined) {
        if (reply.status === 401) leaveTo("/guest");
        return reply;
      }
      const now = await presentSession();
      if (now === "unknown") return reply;
      if (now !== undefined && now.csrf !== used && isSame(now, session)) {
        // The same person has signed in again, in another tab.
        csrf = now.csrf;
        return ask();
      }
      if (now?.csrf !== used) return isWriting() ? signedOut() : (window.location.reload(), reply);
      moved.value = now.organization?.id === session.organization?.id ? undefined : now;
      return reply;
    },
  });
  const changes = new Changes((body, signal) => client.views.changes(body, signal), document);
  for (const name of ["online", "offline"]) window.addEventListener(name, () => changes.again());
  return { client, session, visit, changes, shown: new Map(), moved };
}

const retryForMs = 15_000;
/** Milliseconds in which failed requests are repeated before a problem is shown. */
const quietMs = 3_000;

/** Reads the session; undefined: nobody is signed in; `unknown`: the service did not answer. */
async function presentSession(): Promise<CurrentSession | undefined | "unknown"> {
  const reply = await fetch(placed("/api/v1/sessions"), {
    credentials: "same-origin",
    cache: "no-store",
  });
  if (reply.ok) return (await reply.json()) as CurrentSession;
  return reply.status === 401 ? undefined : "unknown";
}

function isSame(one: CurrentSession, other: CurrentSession): boolean {
  return (
    one.person.id === other.person.id &&
    one.organization?.id === other.organization?.id &&
    one.role === other.role
  );
}

/** Whether leaving the page would lose typed text. */
function isWriting(): boolean {
  const leaving = new Event("beforeunload", { cancelable: true });
  const fields = 'dialog[open] :is(textarea, input:not([type="checkbox"], [type="radio"]))';
  return document.querySelector(fields) !== null || !window.dispatchEvent(leaving);
}

function signedOut(): Response {
  const message =
    "You are signed out. Sign in again in another tab, then try again here. What you typed here is kept.";
  return Response.json({ error: "unauthorized", message }, { status: 401 });
}

/** Names the organization, so that no answer is about another one chosen in another tab. */
function withCookie(
  request: RequestInit = {},
  { csrf, organization }: Pick<CurrentSession, "csrf" | "organization">,
): RequestInit {
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  headers.set("x-csrf-token", csrf);
  if (organization?.id) headers.set("x-svc-organization", organization.id);
  return { ...request, headers, credentials: "same-origin" };
}

/** Signs in, and comes back from there. */
export function leaveToSignIn(): void {
  const next = unplaced(window.location.pathname) + window.location.search;
  window.location.replace(placed(`/sign-in?${new URLSearchParams({ next }).toString()}`));
}
