import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { withoutGone } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite("the page of a run that an MLflow client recorded", (pages) => {
  let caller: MlflowCaller;
  before(() => void (caller = pages.mlflow));

  test("its name, params, tags, data sets, files and models are there, and come as they are written", async () => {
    const parent = await caller.run("0", { run_name: "sweep" });
    const runId = await caller.run("0", { run_name: "bold-otter", user_id: "ada" });
    const pair = (key: string, value: string) => ({ key, value });
    await caller.post("runs/log-batch", {
      run_id: runId,
      params: [pair("lr", "1e-3"), pair("net.depth", "deep")],
      tags: [pair("team", "vision"), pair("mlflow.parentRunId", parent)],
      metrics: [
        { key: "loss", value: 0.5, timestamp: 1, step: 1 },
        { key: "loss", value: "NaN", timestamp: 2, step: 2 },
      ],
    });
    const dataset = { name: "iris", digest: "ab12", source_type: "local", source: '{"at": "/x"}' };
    const tags = [pair("mlflow.data.context", "training")];
    await caller.post("runs/log-inputs", { run_id: runId, datasets: [{ dataset, tags }] });
    const modelId = await caller.model("0", { name: "classifier", model_type: "cnn" });
    const models = [{ model_id: modelId, step: 7 }];
    await caller.post("runs/outputs", { run_id: runId, models });
    await new RunFiles(caller, runId).put("notes/read.me", "as it is");
    const modelFiles = new RunFiles(caller, modelId, `0/models/${modelId}/artifacts`);
    await modelFiles.put("MLmodel", "flavors: none");

    const { page, seen } = await pages.signedIn();
    let attributesRead = 0;
    page.on("request", (request) => {
      if (request.postData()?.includes("svc.v2.query.attributes")) attributesRead++;
    });
    await page.clock.install();
    // The link that MLflow's client prints when a run ends.
    await page.goto(`${pages.service.baseUrl}/#/experiments/0/runs/${runId}`);
    await page.waitForURL(`${pages.service.baseUrl}/experiments/${runId}`);
    await page.getByRole("heading", { name: `bold-otter ${runId}`, level: 1 }).waitFor();
    assert.equal(await page.title(), `bold-otter · ${runId} · Lossless`);
    await page.getByText("1 more value that cannot be drawn").waitFor();
    await page.getByText("by ada").waitFor();
    // Long enough to look again, where nothing is new.
    await page.clock.fastForward(6_000);
    await page.getByRole("button", { name: "meta", exact: true }).click();
    const params = page.getByRole("region", { name: "Params" });
    await params.getByText("1e-3").waitFor();
    const filter = params.getByRole("button", { name: "copy as filter" });
    assert.deepEqual(
      await Promise.all((await filter.all()).map((each) => each.getAttribute("title"))),
      ["meta.param.lr = 0.001", "meta.param.net.depth = deep"],
    );
    await page.getByRole("region", { name: "Tags" }).getByText("vision").waitFor();
    const datasets = page.getByRole("region", { name: "Data sets" });
    assert.match(
      await datasets.getByRole("row").nth(1).innerText(),
      /iris\s+ab12\s+training\s+local/,
    );
    assert.equal(await page.getByText("No meta.").count(), 0);
    await page.getByLabel("Search meta").fill("depth");
    await params.getByText("1e-3").waitFor({ state: "detached" });

    assert.equal(attributesRead, 1);

    // Data written while the page is open appears by itself.
    await page.getByLabel("Search meta").fill("");
    await caller.post("runs/log-parameter", { run_id: runId, key: "later", value: "yes" });
    await params.getByText("later").waitFor();

    await page.getByRole("button", { name: "artifacts" }).click();
    await page.getByRole("treeitem", { name: "read.me" }).click();
    await page.getByText("as it is").waitFor();
    await page.waitForURL(/file=notes%2Fread.me/);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download notes/read.me" }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), "read.me");
    const made = page.getByRole("region", { name: "Models created by the run" });
    await made.getByText("classifier").click();
    await made.getByText("step 7").waitFor();
    await made.getByRole("treeitem", { name: "MLmodel" }).click();
    await page.getByText("flavors: none").waitFor();
    await page.reload();
    await page.getByText("flavors: none").waitFor();

    await page.goto(`${pages.service.baseUrl}/experiments/${runId}`);
    await page.getByRole("link", { name: "its parent run" }).click();
    await page.getByRole("heading", { name: `sweep ${parent}`, level: 1 }).waitFor();

    assert.deepEqual(seen.problems, []);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "move to trash…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Move sweep to the trash?").waitFor();
    await dialog.getByRole("button", { name: "Move to trash" }).click();
    await page.waitForURL(`${pages.service.baseUrl}/experiments`);
    await page.goto(`${pages.service.baseUrl}/organization/trash`);
    await page.getByRole("button", { name: "Restore sweep" }).click();
    await page.getByText("sweep was restored.").waitFor();
    assert.deepEqual(withoutGone(seen), []);
    assert.deepEqual([...seen.origins], [new URL(pages.service.baseUrl).origin]);
  });

  test("files come page by page, each of which is read once", async () => {
    const runId = await caller.run("0", { run_name: "many-files" });
    const files = new RunFiles(caller, runId);
    for (const name of ["a", "b", "c"]) await files.put(name, name);
    const { page, seen } = await pages.signedIn();
    const after: (string | null)[] = [];
    await page.route("**/api/views/v1/run-files?*", (route) => {
      const url = new URL(route.request().url());
      after.push(url.searchParams.get("after"));
      url.searchParams.set("limit", "1");
      return route.continue({ url: url.href });
    });
    await page.goto(`${pages.service.baseUrl}/experiments/${runId}?tab=artifacts`);
    const more = page.getByRole("button", { name: "show more", exact: true });
    await page.getByText("Showing the first 1 file by path.").waitFor();
    await more.click();
    await page.getByText("Showing the first 2 files by path.").waitFor();
    await more.click();
    await more.waitFor({ state: "detached" });
    const shown = await page.getByRole("treeitem").allInnerTexts();
    assert.deepEqual(
      shown.map((text) => text[0]),
      ["a", "b", "c"],
    );
    assert.deepEqual([after.length, new Set(after).size], [3, 3]);
    assert.deepEqual(seen.problems, []);
  });

  test("an experiment recorded natively has its slug alone, and nothing of this", async () => {
    const recorder = await pages.client.record({ slug: "plain", meta: { lr: 0.1 } });
    await recorder.finish();
    const { page } = await pages.open(`/experiments/${recorder.experimentId}?tab=meta`);
    await page.getByRole("heading", { name: "plain", level: 1, exact: true }).waitFor();
    await page.getByText("0.1", { exact: true }).waitFor();
    assert.equal(await page.title(), "plain · Lossless");
    for (const name of ["Params", "Tags", "Data sets"])
      assert.equal(await page.getByRole("region", { name }).count(), 0);
    const { name, run, params } = await pages.client.attributes({ experimentSlug: "plain" });
    assert.deepEqual([name, run, params], ["plain", null, [{ key: "lr", value: "0.1" }]]);
  });
});
