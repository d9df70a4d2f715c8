import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesSuite } from "./pages-suite.ts";
import { pushVersions, step } from "./pushed-artifacts.ts";

const runsWith = 40;

pagesSuite("lineage", (pages) => {
  test("many runs alike are one node, opened by a click and by the keyboard, with a list of the same", async () => {
    const { client } = pages;
    const prepare = await client.openExperiment({ slug: "made/prepare", description: "" });
    await pushVersions(client, "made/raw", [{ name: step(1), files: { a: "1" } }]);
    const meta = { experiment: "made/prepare" };
    await pushVersions(client, "made/clean", [{ name: step(1), files: { a: "1" }, meta }]);
    const use = (experimentId: string, artifact: string) =>
      client.lineage.recordUse({ experimentId, artifact, version: step(1) });
    await use(prepare.experimentId, "made/raw");
    const runs = await Promise.all(
      Array.from({ length: runsWith }, (_, at) =>
        client.openExperiment({ slug: `made/train-${at}`, description: "" }),
      ),
    );
    for (const { experimentId } of runs) await use(experimentId, "made/clean");
    await client.trash.versions("made/raw", [step(1)]);

    const { page, seen } = await pages.open(`/experiments/${prepare.experimentId}?tab=artifacts`);
    await page.getByText("in the trash").waitFor();
    await page.getByRole("link", { name: "lineage" }).click();
    const graph = page.locator(".lineage-graph");
    await graph.getByText("made/raw").waitFor();
    const nodes = () => graph.locator("[data-node]").count();
    // raw, prepare, clean, and the runs as one.
    assert.equal(await nodes(), 4);
    const many = page.getByRole("button", { name: "40 runs" });
    assert.equal(await many.count(), 2);
    await many.last().waitFor();
    // From the node in the middle along its links.
    await graph.getByRole("link", { name: "made/prepare" }).focus();
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await graph.getByRole("button", { name: "15 runs" }).waitFor();
    assert.equal(await nodes(), 3 + 25 + 1);
    const list = page.getByRole("region", { name: "Used for, 2 steps after" });
    assert.equal(await list.getByRole("listitem").count(), 26);
    await page.getByRole("button", { name: "fold again" }).click();
    await many.first().waitFor();

    await page.goto(`${pages.service.baseUrl}/artifact?name=made%2Fclean`);
    await page.getByText("and 35 more runs").waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("what a run used appears when it is recorded, and is not asked for at other changes", async () => {
    const { client } = pages;
    await pushVersions(client, "fed/set", [{ name: step(1), files: { a: "1" } }]);
    const { experimentId } = await client.openExperiment({ slug: "fed/train", description: "" });
    const { page } = await pages.signedIn();
    let asked = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/api/v1/lineage/run") asked++;
    });
    await page.goto(`${pages.service.baseUrl}/experiments/${experimentId}?tab=artifacts`);
    await page.getByText("No artifacts yet.").waitFor();
    /** An annotation of another kind, until the page has it. */
    const annotated = async (text: string) => {
      const read = page.waitForResponse(async (reply) => (await reply.text()).includes(text));
      await client.annotate({ experimentId, annotation: text });
      await read;
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    };
    await annotated("a first one");
    const before = asked;
    await annotated("a second one");
    await annotated("a third one");
    assert.equal(asked, before);
    await client.lineage.recordUse({ experimentId, artifact: "fed/set", version: step(1) });
    await page.getByRole("region", { name: "Used by the run" }).getByText("fed/set").waitFor();
    assert.equal(asked, before + 1);
  });
});
