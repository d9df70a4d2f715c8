import type { CurrentSession, GuestVisit } from "@lossless/protocol";
import { render } from "preact";
import { followInside, routeOf } from "../app.tsx";
import { placed } from "../base-path.ts";
import { PageLocation } from "../location.ts";
import { OpenedPage } from "../opened-page.tsx";
import type { PageProps } from "../page.ts";
import { PageTurn } from "../page-turn.tsx";
import { serviceOf } from "../signed-in.ts";
import { homeOf, isOfVisit } from "./visit.ts";

const init = { credentials: "same-origin", cache: "no-store" } as const;

/**
 * Draws the pages for somebody who is not signed in: what their guest link shows, or, at
 * `/guest#SECRET`, the opening of one. False: they are no guest.
 */
export async function openGuestPages(root: Element, path: string): Promise<boolean> {
  if (path === "/guest") return (await openLink(root), true);
  const reply = await fetch(placed("/api/guests/v1/visit"), init);
  if (!reply.ok) return false;
  const visit = (await reply.json()) as GuestVisit;
  const service = serviceOf(sessionOf(visit), visit);
  const location = new PageLocation();
  render(<GuestPages {...{ service, location, visit }} />, root);
  return true;
}

/**
 * Opens a link. The secret is taken out of the address at once, and goes to the service in a body,
 * for a cookie that no script reads.
 */
async function openLink(root: Element): Promise<void> {
  document.title = "Guest · Lossless";
  const secret = window.location.hash.slice(1);
  window.history.replaceState(null, "", placed("/guest"));
  const session = await fetch(placed("/api/v1/sessions"), init);
  if (session.ok) return render(<SignedIn />, root);
  const reply = await fetch(placed("/api/guests/v1/visit"), {
    ...init,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  if (!reply.ok) return render(<Useless status={reply.status} />, root);
  window.location.replace(placed(homeOf((await reply.json()) as GuestVisit)));
}

/** A guest, as the pages know people: one who reads and belongs to nothing. */
function sessionOf({ csrf, expires, organization }: GuestVisit): CurrentSession {
  const nobody = { id: "", email: "" };
  const shown = { id: "", name: organization ?? "" };
  return { csrf, expires, person: nobody, organization: shown, role: "viewer", organizations: [] };
}

/** The frame of all pages of a guest. */
function GuestPages({ service, location, visit }: PageProps & { visit: GuestVisit }) {
  const route = isOfVisit(visit, location.path) ? routeOf(location.path) : undefined;
  return (
    <div onClick={(event) => followInside(event, location)}>
      <PageTurn path={location.path} />
      <GuestHeader visit={visit} />
      {route === undefined ? (
        <NotShared visit={visit} />
      ) : (
        <OpenedPage page={route.page} id={route.id} service={service} location={location} />
      )}
    </div>
  );
}

function GuestHeader({ visit }: { visit: GuestVisit }) {
  const ends = new Date(visit.expires).toLocaleDateString(undefined, { dateStyle: "medium" });
  return (
    <header class="bar">
      <a class="brand" href={homeOf(visit)}>
        Lossless
      </a>
      <span class="who of-guest">
        {visit.organization !== null && <bdi>{visit.organization}</bdi>}
        <span class="count">guest until {ends} · read only</span>
      </span>
    </header>
  );
}

function NotShared({ visit }: { visit: GuestVisit }) {
  return (
    <main class="failure">
      <h1>This page is not shared with you</h1>
      <p>
        <a href={homeOf(visit)}>Show what is shared</a>
      </p>
    </main>
  );
}

function SignedIn() {
  return (
    <main class="failure">
      <h1>You are signed in</h1>
      <p>
        A guest link is for people without an account. To see what its guests see, open it in a
        browser window without your sign-in.
      </p>
      <p>
        <a href="/experiments">Show your experiments</a>
      </p>
    </main>
  );
}

function Useless({ status }: { status: number }) {
  if (status === 429 || status >= 500)
    return (
      <main class="failure">
        <h1>The service is busy</h1>
        <p>Open the link again in a minute.</p>
      </main>
    );
  return (
    <main class="failure">
      <h1>This link does not work</h1>
      <p>
        It has ended, was revoked, or is incomplete. Ask the person who sent it for another one.
      </p>
    </main>
  );
}
