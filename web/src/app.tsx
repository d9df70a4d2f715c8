import { Header } from "./header.tsx";
import { NoOrganization, OtherOrganization } from "./no-organization.tsx";
import { OpenedPage } from "./opened-page.tsx";
import type { PageLocation } from "./location.ts";
import type { PageProps } from "./page.ts";
import { PageTurn } from "./page-turn.tsx";
import { idIn } from "./path.ts";
import { routes } from "./routes.tsx";
import { unplaced } from "./base-path.ts";

/** The frame of all pages, with the page of the address. */
export function App({ service, location }: PageProps) {
  const { organization } = service.session;
  const route = routeOf(location.path);
  return (
    <div onClick={(event) => followInside(event, location)}>
      <PageTurn path={location.path} />
      <Header service={service} section={route?.section} />
      {service.moved.value !== undefined ? (
        <OtherOrganization service={service} to={service.moved.value.organization?.name} />
      ) : organization === null && route?.section !== "Account" ? (
        <NoOrganization service={service} />
      ) : route === undefined ? (
        <NoSuchPage />
      ) : (
        <OpenedPage page={route.page} id={route.id} service={service} location={location} />
      )}
    </div>
  );
}

export function NoSuchPage() {
  return (
    <main class="failure">
      <h1>Page not found</h1>
      <p>The address may be mistyped, or belong to another version of Lossless.</p>
      <p>
        <a href="/experiments">Show all experiments</a>
      </p>
    </main>
  );
}

export function routeOf(path: string) {
  for (const route of routes) {
    const id = idIn(route.path, path);
    if (id !== undefined) return { ...route, id };
  }
  return undefined;
}

/**
 * Follows links between our pages without loading. With a modifier key the browser handles them.
 */
export function followInside(event: MouseEvent, location: PageLocation): void {
  const held = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.button !== 0 || held || event.defaultPrevented) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.target !== "" || link.origin !== window.location.origin) return;
  const path = unplaced(link.pathname);
  if (routeOf(path) === undefined) return;
  event.preventDefault();
  location.open(path + link.search);
}
