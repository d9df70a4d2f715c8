import { OpenedPage } from "./opened-page.tsx";
import type { PageLocation } from "./location.ts";
import type { PageProps } from "./page.ts";
import { idIn } from "./path.ts";
import { routes, sections } from "./routes.tsx";

/** The frame of all pages, and which page an address is. */
export function App({ service, location }: PageProps) {
  const { person, organization } = service.session;
  const route = routeOf(location.path);
  return (
    <div onClick={(event) => followInside(event, location)}>
      <header class="bar">
        <a class="brand" href="/experiments">
          <Mark /> Lossless
        </a>
        <nav aria-label="Pages">
          {Object.entries(sections).map(([name, path]) => (
            <a key={name} href={path} aria-current={route?.section === name ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span class="who">
          {organization?.name} · <a href="/sign-in">{person.email}</a>
        </span>
      </header>
      {organization === null ? (
        <main class="failure">
          <h1>No organization</h1>
          <p>You belong to no organization now. Ask one of its owners for an invitation.</p>
        </main>
      ) : route === undefined ? (
        <main class="failure">
          <h1>There is no such page</h1>
          <p>
            <a href="/experiments">All experiments</a>
          </p>
        </main>
      ) : (
        <OpenedPage page={route.page} id={route.id} service={service} location={location} />
      )}
    </div>
  );
}

function routeOf(path: string) {
  for (const route of routes) {
    const id = idIn(route.path, path);
    if (id !== undefined) return { ...route, id };
  }
  return undefined;
}

/** Links between our pages load nothing. With a key held they do what the browser does. */
function followInside(event: MouseEvent, location: PageLocation): void {
  const held = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.button !== 0 || held || event.defaultPrevented) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.target !== "" || link.origin !== window.location.origin) return;
  if (routeOf(link.pathname) === undefined) return;
  event.preventDefault();
  location.open(link.pathname + link.search);
}

/** A loss curve that reaches its floor. */
function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 28 28" fill="none" aria-hidden="true">
      <rect x="1" y="1" width="26" height="26" rx="7" stroke="currentColor" stroke-width="2" />
      <path
        d="M6 7c2 9 6 13 16 13"
        stroke="currentColor"
        stroke-width="2.5"
        stroke-linecap="round"
      />
      <circle cx="22" cy="20" r="2.2" fill="currentColor" />
    </svg>
  );
}
