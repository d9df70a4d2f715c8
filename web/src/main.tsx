import { render } from "preact";
import { App, NoSuchPage, routeOf } from "./app.tsx";
import { followPrinted, PageLocation } from "./location.ts";
import { applyLook, storedLook } from "./look.ts";
import { leaveToSignIn, openService } from "./signed-in.ts";
import { placeLinks, unplaced } from "./base-path.ts";

const root = document.querySelector("#app")!;

placeLinks();
applyLook(storedLook());
followPrinted();

const path = unplaced(window.location.pathname);

// The script of the page comes with the session. The page says so if it could not be loaded.
const page = routeOf(path)?.page;
if (typeof page === "object") page.load().catch(() => undefined);

try {
  const service = path === "/guest" ? undefined : await openService();
  if (service !== undefined) render(<App service={service} location={new PageLocation()} />, root);
  else if (!(await (await import("./guests/guest-pages.tsx")).openGuestPages(root, path))) {
    // After a sign-in nothing would be there either.
    if (routeOf(path) === undefined) render(<NoSuchPage />, root);
    else leaveToSignIn();
  }
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  render(
    <main class="failure">
      <h1>The service does not answer</h1>
      <p>{message}</p>
      <p>
        <a href={window.location.href}>Try again</a>
      </p>
    </main>,
    root,
  );
}
