import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import type { Browser, Page } from "playwright-core";
import { organizations, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { newPage, type Seen, signIn } from "./new-page.ts";

suite("numbers of experiments against each other, in a browser", () => {
  let service: Service;
  let browser: Browser;
  const ids: string[] = [];

  before(async () => {
    service = await Service.start({ people: true });
    browser = await startChromium();
    const client = new LosslessClient({
      baseUrl: service.baseUrl,
      apiKey: organizations.acme.key,
    });
    for (let number = 0; number < 6; number++) {
      const meta = { ...(number !== 4 && { lr: number / 10 }), opt: ["adamw", "muon"][number % 2] };
      const recorder = await client.record({ slug: `run-${number}`, meta });
      ids.push(recorder.experimentId);
      recorder.record("loss", 6 - number, 1);
      await recorder.finish();
    }
    while ((await client.views.experiments({ limit: 0 })).behind > 0) await setTimeout(50);
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  async function open(address: string): Promise<{ page: Page; seen: Seen }> {
    const { page, seen } = await newPage(browser);
    await page.goto(service.baseUrl + address);
    await signIn(page);
    return { page, seen };
  }
  const marks = (page: Page) => page.locator(".relations .experiment-mark");
  const compared = (page: Page, count: number) =>
    page.getByRole("heading", { name: `${count} experiment`, level: 1 }).waitFor();
  const axes = "axes=meta.lr,meta.opt,metric.loss.min";

  test("dragging over an axis writes a test into the query, and a click takes it away", async () => {
    const { page, seen } = await open("/compare?q=slug ~ run-*&sort=slug");
    await page.getByRole("button", { name: "parallel coordinates" }).click();
    await page.getByText("lr: 1 have none (run-4)").waitFor();
    assert.equal(await marks(page).count(), 6);
    const hold = page.locator(".relations .hold").nth(1);
    await hold.scrollIntoViewIfNeeded();
    const box = (await hold.boundingBox())!;
    const x = box.x + box.width / 2;
    await page.mouse.move(x, box.y + box.height * 0.4);
    await page.mouse.down();
    await page.mouse.move(x, box.y + box.height * 0.75);
    await page.mouse.up();
    await page.waitForURL(/q=slug.*meta\.lr\+%3E%3D\+0\.\d+\+and\+meta\.lr\+%3C%3D\+0\.\d+/);
    await compared(page, 2);
    // Who is outside is there, so that the part can be made larger again.
    assert.equal(await page.locator(".relations .experiment-mark.outside").count(), 4);
    await hold.click();
    await compared(page, 6);
    await page.waitForURL((url) => url.searchParams.get("q") === "slug ~ run-*");
    assert.deepEqual(seen.problems, []);
  });

  test("fields do what dragging does; ids become a query, and ids again", async () => {
    const { page } = await open(`/compare?e=${ids.join()}&plot=parallel&${axes}`);
    await page.getByText("axes and their parts").click();
    await page.getByRole("textbox", { name: "lr from" }).fill("0.2");
    await page.keyboard.press("Enter");
    await compared(page, 3);
    await page.getByRole("checkbox", { name: "adamw" }).uncheck();
    await compared(page, 2);
    assert.match(new URL(page.url()).searchParams.get("q")!, /^id in \(.*meta\.opt in \(muon\)$/);
    await page.getByRole("button", { name: "all of opt" }).click();
    await page.getByRole("button", { name: "all of lr" }).click();
    await compared(page, 6);
    assert.equal(new URL(page.url()).searchParams.get("e"), ids.join());
  });

  test("hover and focus tell name and values, arrows go on, Enter opens", async () => {
    const { page } = await open(`/compare?e=${ids.join()}&plot=scatter&${axes}&px=meta.lr`);
    await marks(page).first().waitFor();
    assert.equal(await marks(page).count(), 5);
    await marks(page).nth(1).hover();
    await page.getByText("run-1: lr 0.1, loss.min 5").waitFor();
    await page.mouse.move(0, 0);
    await marks(page).first().focus();
    await page.keyboard.press("End");
    await page.getByText("run-5: lr 0.5, loss.min 1").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "run-5", level: 1 }).waitFor();
  });

  test("a rectangle over points is a test of both axes", async () => {
    const { page } = await open(`/compare?q=slug ~ run-*&plot=scatter&${axes}&px=meta.lr`);
    const ground = page.locator(".relations .ground");
    await marks(page).first().waitFor();
    await ground.scrollIntoViewIfNeeded();
    const box = (await ground.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.1, box.y + box.height * 0.1);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.mouse.up();
    await compared(page, 2);
    const query = new URL(page.url()).searchParams.get("q")!;
    assert.match(query, /meta\.lr >= .*meta\.lr <= .*metric\.loss\.min >= .*metric\.loss\.min <= /);
  });
});
