import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

pagesSuite("numbers of experiments against each other, in a browser", (pages) => {
  const ids: string[] = [];

  before(async () => {
    const { client } = pages;
    for (let number = 0; number < 6; number++) {
      const meta = { ...(number !== 4 && { lr: number / 10 }), opt: ["adamw", "muon"][number % 2] };
      const recorder = await client.record({ slug: `run-${number}`, meta });
      ids.push(recorder.experimentId);
      recorder.record("loss", 6 - number, 1);
      await recorder.finish();
    }
    await counted(client);
  });

  const open = (address: string) => pages.open(address);
  const drawn = (page: Page, experiments: number, outside = 0) =>
    page
      .locator(`.relations [data-experiments="${experiments}"][data-outside="${outside}"]`)
      .waitFor();
  const compared = (page: Page, count: number) =>
    page.getByRole("heading", { name: `${count} experiment`, level: 1 }).waitFor();
  const axes = "axes=meta.lr,meta.opt,metric.loss.min";

  test("dragging over an axis writes a test into the query, and a click takes it away", async () => {
    const { page, seen } = await open("/compare?q=slug ~ run-*&sort=slug");
    const parts = page.getByRole("navigation", { name: "Parts of the comparison" });
    await parts.getByRole("button", { name: "Relations" }).click();
    await page.getByText("lr: 1 experiment without a value (run-4)").waitFor();
    await drawn(page, 6);
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
    await drawn(page, 6, 4);
    await hold.click();
    await compared(page, 6);
    await page.waitForURL((url) => url.searchParams.get("q") === "slug ~ run-*");
    assert.deepEqual(seen.problems, []);
  });

  test("times and lengths have fields, too, whose words are those of the axis", async () => {
    const all = "/compare?q=slug ~ run-*&sort=slug";
    const { page } = await open(`${all}&plot=parallel&axes=created,duration,metric.loss.min`);
    await page.getByText("ranges of the axes").click();
    const [from, to] = ["created from", "duration to"].map((name) =>
      page.getByRole("textbox", { name }),
    );
    await from.fill("2000-03-01 12:30");
    await page.keyboard.press("Enter");
    await page.waitForURL(/created\+%3E%3D\+2000-0(2-29|3-0[12])T/);
    await to.fill("90");
    await page.keyboard.press("Enter");
    assert.equal(await to.getAttribute("aria-invalid"), "true");
    await to.fill("90m");
    await page.keyboard.press("Enter");
    await page.waitForURL(/duration\+%3C%3D\+5400s/);
    assert.equal(await from.inputValue(), "2000-03-01 12:30:00");
    assert.equal(await to.inputValue(), "90m");
    await page.getByRole("button", { name: "all of created" }).click();
    await page.waitForURL((url) => !url.search.includes("created+"));
    await compared(page, 6);
  });

  test("fields do what dragging does; ids become a query, and ids again", async () => {
    const { page } = await open(`/compare?e=${ids.join()}&plot=parallel&${axes}`);
    await page.getByText("ranges of the axes").click();
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

  /** Moves the pointer over a scatter plot until the told text matches. */
  const hover = async (page: Page, said: RegExp) => {
    const ground = page.locator(".relations .ground");
    await ground.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await ground.boundingBox())!;
    const told = page.locator(".relations .told");
    // The points lie on the diagonal, and those at the ends on the corners.
    for (let share = 0; share <= 1; share += 1 / 64) {
      await page.mouse.move(x + share * width, y + share * height);
      if (said.test(await told.innerText())) return;
    }
    assert.fail(`Nothing on the way says ${said}`);
  };

  test("hover and focus tell name and values, arrows go on, Enter opens", async () => {
    const { page } = await open(`/compare?e=${ids.join()}&plot=scatter&${axes}&px=meta.lr`);
    await drawn(page, 5);
    await hover(page, /^run-1: lr 0\.1, loss\.min 5$/);
    await page.mouse.move(0, 0);
    await page.locator(".relations .experiment-mark").focus();
    await page.keyboard.press("End");
    await page.getByText(/^run-\d: lr/).waitFor();
    for (let steps = 0; steps < 6; steps++) {
      if ((await page.locator(".relations .told").innerText()).startsWith("run-5:")) break;
      await page.keyboard.press("ArrowUp");
    }
    await page.getByText("run-5: lr 0.5, loss.min 1").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "run-5", level: 1 }).waitFor();
  });

  test("a click on a point opens it, and colours, axes and their scales are in the address", async () => {
    const { page, seen } = await open(`/compare?e=${ids.join()}&plot=scatter&${axes}&px=meta.lr`);
    await drawn(page, 5);
    await page.locator(".colour-legend").getByText("adamw").waitFor();
    await page
      .getByRole("combobox", { name: "colour", exact: true })
      .selectOption("metric.loss.min");
    await page.locator(".colour-legend").getByText("(best)").waitFor();
    await page.waitForURL(/colour=metric\.loss\.min/);
    await page.getByText("ranges of the axes").click();
    await page.getByRole("button", { name: "log loss.min" }).click();
    await page.waitForURL(/logs=metric\.loss\.min/);
    await page.getByRole("button", { name: "log loss.min", pressed: true }).click();
    await page.waitForURL(/linears=metric\.loss\.min/);
    await hover(page, /^run-2:/);
    await page.mouse.down();
    await page.mouse.up();
    await page.getByRole("heading", { name: "run-2", level: 1 }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("another button, and a click that takes nothing away, leave the history alone", async () => {
    const { page } = await open("/compare?q=slug ~ run-*&sort=&plot=parallel");
    await drawn(page, 6);
    const before = await page.evaluate("[history.length, location.href]");
    for (const plot of ["parallel", "scatter"]) {
      const ground = page.locator(".relations :is(.hold, .ground)").first();
      await ground.scrollIntoViewIfNeeded();
      const { x, y, width, height } = (await ground.boundingBox())!;
      const at = (share: number) => [x + width / 2, y + height * share] as const;
      for (const button of ["left", "right", "middle"] as const) {
        await page.mouse.move(...at(0.02));
        await page.mouse.down({ button });
        if (button !== "left") await page.mouse.move(...at(0.6));
        await page.mouse.up({ button });
      }
      if (plot === "scatter") break;
      assert.deepEqual(await page.evaluate("[history.length, location.href]"), before);
      await page.getByRole("button", { name: "scatter" }).click();
      await page.locator(".relations .ground").waitFor();
    }
    const [steps] = before as [number, string];
    assert.equal(await page.evaluate("history.length"), steps + 1);
    assert.equal(new URL(page.url()).searchParams.get("q"), "slug ~ run-*");
  });

  test("a rectangle over points is a test of both axes", async () => {
    const { page } = await open(`/compare?q=slug ~ run-*&plot=scatter&${axes}&px=meta.lr`);
    const ground = page.locator(".relations .ground");
    await drawn(page, 5);
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
