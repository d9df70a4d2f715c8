import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator, Page, Route } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";

const lines = 40;
const steps = 200;

/** The value of a line: they lie apart in one order on the left, and in the other on the right. */
const valueAt = (rank: number, step: number) => (rank - lines / 2) * (1 - step / (steps / 2));

pagesSuite("what the cursor of a chart tells", (pages) => {
  let run: string;

  before(async () => {
    const recorder = await pages.client.record({ slug: "pointed", meta: {} });
    for (let step = 0; step <= steps; step++)
      for (let rank = 0; rank < lines; rank++)
        recorder.record("many", valueAt(rank, step), step, { meta: { rank: String(rank) } });
    for (const step of [0, 100, 200])
      for (const subset of ["a", "b"])
        recorder.record("sparse", subset === "a" ? step : -step, step, { meta: { subset } });
    for (let step = 0; step <= steps; step += 50) recorder.record("alone", step / 8, step);
    await recorder.finish();
    run = recorder.experimentId;
  });

  const open = async (options: Parameters<typeof pages.open>[1] = {}, more = "") => {
    const { page, seen } = await pages.open(`/experiments/${run}?tab=charts${more}`, {
      viewport: { width: 1_440, height: 1_200 },
      ...options,
    });
    await page
      .locator(".chart canvas")
      .nth(more.includes("m=") ? 0 : 2)
      .waitFor();
    return { page, seen };
  };
  const chartOf = (page: Page, name: string) => page.locator(`figure[data-series='${name}']`);
  const overOf = async (chart: Locator) => {
    const over = chart.locator(".u-over");
    await over.scrollIntoViewIfNeeded();
    return (await over.boundingBox())!;
  };
  const point = async (chart: Locator, share: number, height = 0.5) => {
    const over = await overOf(chart);
    const [x, y] = [over.x + share * over.width, over.y + height * over.height];
    await chart.page().mouse.move(x - 1, y);
    await chart.page().mouse.move(x, y);
    return { over, x, y };
  };
  const rowsOf = async (list: Locator) => {
    const values = await list.locator("li > .value").allTextContents();
    const names = await list.locator("li .unseen").allTextContents();
    return names.map((name, at) => ({ name, value: values[at] }));
  };

  test("a key lists all lines at the cursor, sorted, and the list filters as one types", async () => {
    const { page, seen } = await open();
    const many = chartOf(page, "many");
    await point(many, 0.25, 0.2);
    await many.locator(".readings .at", { hasText: /^step \d\d$/ }).waitFor();
    await page.keyboard.press("v");
    const list = page.getByRole("region", { name: "Values of many" });
    await list.getByText(`${lines} values.`, { exact: false }).waitFor();
    const rows = await rowsOf(list);
    const numbers = rows.map(({ value }) => Number(value));
    assert.equal(rows.length, lines);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => other - one),
    );
    assert.equal(rows[0].name, `rank=${lines - 1}`);
    // The line under the pointer is raised in the list as it is in the plot, and on the screen.
    const raised = list.locator("li.raised");
    const name = await raised.locator(".unseen").innerText();
    assert.equal(await many.locator(".readings .raised .unseen").textContent(), name);
    await page.keyboard.type("RANK=1");
    await list.getByText(`11 of ${lines} values`, { exact: false }).waitFor();
    await list.getByRole("button", { name: "largest first" }).click();
    const [least] = await rowsOf(list);
    assert.equal(least.name, "rank=1");
    await list.getByLabel("Filter lines").focus();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.className"), "plot");
    assert.deepEqual(seen.problems, []);
  });

  test("what is typed before the list is loaded reaches its filter, and not the page", async () => {
    const { page, seen } = await open();
    await chartOf(page, "many").locator(".plot").focus();
    const held: Route[] = [];
    let isHeld = true;
    await page.route("**/*.js", (route) => (isHeld ? void held.push(route) : route.continue()));
    await page.keyboard.type("vRANX");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("K=1");
    // The list takes the keys when it comes, and has the later ones.
    isHeld = false;
    await Promise.all(held.map((route) => route.continue()));
    const list = page.getByRole("region", { name: "Values of many" });
    await list.getByText(`11 of ${lines} values`, { exact: false }).waitFor();
    await page.keyboard.type("2");
    assert.equal(await list.getByLabel("Filter lines").inputValue(), "RANK=12");
    assert.ok(held.length > 0, "the list was loaded after the keys");
    assert.deepEqual(seen.problems, []);
  });

  test("the place stays while the pointer goes into the list, and a click or the arrows move it", async () => {
    const { page } = await open();
    const many = chartOf(page, "many");
    await point(many, 0.25, 0.5);
    await many.locator(".readings .at", { hasText: /^step \d\d$/ }).waitFor();
    await page.keyboard.press("v");
    const list = page.getByRole("region", { name: "Values of many" });
    const place = list.locator("strong");
    const before = await place.innerText();
    assert.match(before, /^step (49|50|51)$/);
    const row = list.locator("li", { hasText: "rank=7" }).first();
    await row.scrollIntoViewIfNeeded();
    await row.hover();
    // A row under the pointer raises its line in the plot.
    await many.locator(".readings .raised", { hasText: "rank=7" }).waitFor();
    assert.equal(await place.innerText(), before);
    await many.locator(".u-over > .dot").first().waitFor();
    assert.equal(await many.locator(".u-over > .dot").count(), 1);
    const { x, y } = await point(many, 0.75, 0.1);
    assert.equal(await place.innerText(), before, "a pointer that passes moves nothing");
    await page.mouse.click(x, y);
    await place.getByText(/^step (149|150|151)$/).waitFor();
    const [largest] = await rowsOf(list);
    assert.equal(largest.name, "rank=0", "the lines have changed their order");
    await list.getByLabel("Filter lines").focus();
    const here = Number((await place.innerText()).replace("step ", ""));
    await page.keyboard.press("ArrowRight");
    await place.getByText(`step ${here + 1}`, { exact: true }).waitFor();
    // Arrows go through the lines, too, and each is read out.
    await page.mouse.move(0, 0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await many.locator(".readings .raised", { hasText: "rank=1" }).waitFor();
    const said = page.locator("p[aria-live='polite']", { hasText: /^rank=1 \d/ });
    await said.waitFor({ state: "attached" });
    const other = chartOf(page, "alone").locator(".at");
    assert.match(await other.innerText(), /^(step 150|between steps 150 and 200)/);
  });

  test("many lines are listed away from the pointer, in the window, and nothing moves", async () => {
    for (const width of [1_440, 390]) {
      const { page } = await open({ viewport: { width, height: 1_200 } });
      const many = chartOf(page, "many");
      await overOf(many);
      const placesOf = () =>
        page.evaluate<number[]>(`[...document.querySelectorAll(".chart .plot, .chart .below")].map(
          (part) => Math.round(part.getBoundingClientRect().top + scrollY))`);
      const before = await placesOf();
      for (const share of [0.2, 0.8]) {
        const { over, x } = await point(many, share, 0.3);
        const near = many.locator(".near-values");
        await near.locator("li.raised").waitFor();
        const box = (await near.boundingBox())!;
        const isBeside = box.x > x || box.x + box.width < x;
        const isAround = box.y > over.y + over.height || box.y + box.height < over.y;
        assert.ok(width === 390 ? isAround : isBeside, `${width}, ${x}: ${JSON.stringify(box)}`);
        assert.ok(box.x >= 0 && box.x + box.width <= width);
        assert.ok(box.y >= 0 && box.y + box.height <= 1_200);
        const values = (await near.locator(".value").allInnerTexts()).map(Number);
        assert.ok(values.length > 3);
        assert.deepEqual(
          values,
          values.toSorted((one, other) => other - one),
        );
        assert.deepEqual(await placesOf(), before, String(width));
      }
      // Between the lines, where none is near, as much room is taken.
      await point(many, 0.02, 0.001);
      assert.deepEqual(await placesOf(), before, String(width));
      await page.context().close();
    }
  });

  test("long names are whole, or keep their ends on a phone, off the place of the pointer", async () => {
    const recorder = await pages.client.record({ slug: "long-names", meta: {} });
    const names = Array.from(
      { length: 10 },
      (_, at) => `v${at}-${"abcdefghij"[at].repeat(40)}-${at}`,
    );
    for (const [at, variant] of names.entries())
      for (const step of [0, 100]) recorder.record("long", at, step, { meta: { variant } });
    await recorder.finish();
    const path = `/experiments/${recorder.experimentId}?tab=charts`;
    for (const [width, letters] of [
      [1_440, 45],
      [390, 20],
    ]) {
      const { page } = await pages.open(path, { viewport: { width, height: 1_200 } });
      const long = chartOf(page, "long");
      await long.locator("canvas").waitFor();
      for (const share of [0.45, 0.55]) {
        const { x, y } = await point(long, share, 0.3);
        const near = long.locator(".near-values");
        await near.locator("li.raised").waitFor();
        const box = (await near.boundingBox())!;
        const isBeside = box.x > x || box.x + box.width < x;
        assert.ok(isBeside || box.y > y || box.y + box.height < y, `${width}, ${share}`);
        const shown = await near.locator(".name").allInnerTexts();
        assert.equal(new Set(shown).size, shown.length);
        for (const name of shown) assert.ok(name.length >= letters && /-\d$/.test(name), name);
        // The measured texts fit: nothing else cuts them.
        const over = await near
          .locator(".name")
          .evaluateAll((all) =>
            all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
          );
        assert.deepEqual(over, []);
      }
    }
  });

  test("a dot is on each point that is read", async () => {
    const { page } = await open();
    const sparse = chartOf(page, "sparse");
    const { over } = await point(sparse, 0.5, 0.5);
    const dots = sparse.locator(".u-over > .dot");
    await sparse.locator(".at", { hasText: "step 100" }).waitFor();
    await dots.nth(1).waitFor();
    const boxes = await Promise.all((await dots.all()).map((dot) => dot.boundingBox()));
    const places = boxes.map((box) => [box!.x + box!.width / 2, box!.y + box!.height / 2]);
    assert.equal(places.length, 2);
    const middle = over.y + over.height / 2;
    for (const [x] of places) assert.ok(Math.abs(x - over.x - over.width / 2) < 2, String(places));
    // 100 and -100 on an axis that is even around 0.
    const [[, one], [, other]] = places;
    assert.ok(Math.abs(one + other - 2 * middle) < 2 && one < middle, String(places));
    await page.mouse.move(0, 0);
    await dots.first().waitFor({ state: "detached" });
  });

  test("between two recorded steps it says so, with the values on either side", async () => {
    const { page } = await open();
    const alone = chartOf(page, "alone");
    await point(alone, 0.6, 0.5);
    await alone.locator(".at", { hasText: "between steps 100 and 150" }).waitFor();
    assert.match(await alone.locator(".readings").innerText(), /12\.5 → 18\.75/);
    await alone.locator(".u-over > .dot").nth(1).waitFor();
    assert.equal(await alone.locator(".u-over > .dot").count(), 2);
    const sparse = chartOf(page, "sparse");
    await sparse.locator(".at", { hasText: "between steps 100 and 200" }).waitFor();
    assert.match(await sparse.locator(".readings").innerText(), /100 → 200\b[^]*-100 → -200/);
    await point(sparse, 0.6, 0.5);
    await page.keyboard.press("v");
    const list = page.getByRole("region", { name: "Values of sparse" });
    await list.locator("strong", { hasText: "between steps 100 and 200" }).waitFor();
    assert.deepEqual(
      (await rowsOf(list)).map(({ value }) => value),
      ["100 → 200", "-100 → -200"],
    );
  });

  test("lines that ended before the cursor are not read as if they were there", async () => {
    const recorder = await pages.client.record({ slug: "ended", meta: {} });
    for (const [series, lines] of [
      ["twelve", 12],
      ["four", 4],
    ] as const)
      for (let at = 0; at < lines; at++)
        for (let step = 0; step <= (at < 2 ? 50 : 200); step += 10)
          recorder.record(series, at, step, { meta: { at: String(at) } });
    await recorder.finish();
    const { page } = await pages.open(`/experiments/${recorder.experimentId}?tab=charts`);
    const many = chartOf(page, "twelve");
    await many.locator("canvas").waitFor();
    // At the lower edge, where lines 0 and 1 would be if they went on.
    await point(many, 0.7, 0.98);
    const near = many.locator(".near-values");
    await near.getByText("2 end before here").waitFor();
    const { values, raised } = await near.evaluate((box) => ({
      values: [...box.querySelectorAll(".value")].map((one) => Number(one.textContent)),
      raised: box.querySelectorAll(".raised").length,
    }));
    assert.ok(
      values.every((value) => value >= 2),
      String(values),
    );
    assert.equal(raised, 0);
    assert.match(await many.locator(".readings .at").innerText(), /^step 140/);
    await page.keyboard.press("v");
    const list = page.getByRole("region", { name: "Values of twelve" });
    await list.getByText("12 values, 2 end before here.", { exact: false }).waitFor();
    const rows = (await rowsOf(list)).map(({ value }) => value);
    assert.deepEqual(rows.slice(-3), ["2", "last at step 50: 1", "last at step 50: 0"]);
    const few = chartOf(page, "four");
    await point(few, 0.7, 0.98);
    await few.locator(".at", { hasText: "step 140" }).waitFor();
    assert.match(await few.locator(".readings").innerText(), /last at step 50: 0\b[^]*\b3\b/);
    assert.equal(await few.locator(".u-over > .dot").count(), 2);
  });

  test("a group is between the steps that its members have", async () => {
    const { page } = await open({}, "&group=-subset&m=sparse");
    const sparse = chartOf(page, "sparse");
    await point(sparse, 0.7, 0.5);
    await sparse.locator(".at", { hasText: "between steps 100 and 200" }).waitFor();
    assert.match(await sparse.locator(".readings").innerText(), /0 → 0, N 2/);
  });

  test("on a phone a tap reads, and a button opens the list at the place of the tap", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await open(phone);
    const many = chartOf(page, "many");
    const over = await overOf(many);
    await page.touchscreen.tap(over.x + over.width * 0.25, over.y + over.height * 0.3);
    await many.locator(".near-values li").first().waitFor();
    const place = await many.locator(".readings .at").innerText();
    assert.match(place, /^step \d\d/);
    await many.getByRole("button", { name: "all values" }).tap();
    const list = page.getByRole("region", { name: "Values of many" });
    await list.locator("li").first().waitFor();
    assert.equal(await list.locator("strong").innerText(), place.split(",")[0]);
    const room = (await list.boundingBox())!;
    assert.ok(room.x >= 0 && room.x + room.width <= 390);
  });

  test("the list is accessible in all looks", async () => {
    const { page } = await open();
    const many = chartOf(page, "many");
    await point(many, 0.5, 0.2);
    await page.keyboard.press("v");
    await page.getByRole("region", { name: "Values of many" }).locator("li").first().waitFor();
    assert.deepEqual(await faultsInAllLooks(page), []);
  });
});
