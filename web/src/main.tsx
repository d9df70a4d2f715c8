import { render } from "preact";
import { App } from "./app.tsx";
import { followPrinted, PageLocation } from "./location.ts";
import { applyLook, storedLook } from "./look.ts";
import { openService, signInAddress } from "./signed-in.ts";

const root = document.querySelector("#app")!;

applyLook(storedLook());
followPrinted();

try {
  const service = await openService();
  if (service === undefined) window.location.replace(signInAddress());
  else render(<App service={service} location={new PageLocation()} />, root);
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
