import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { pushVersions, step } from "./pushed-artifacts.ts";
import { counted } from "./recorded-runs.ts";
import { until } from "./until.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const diff = [
  "diff --git a/train.py b/train.py",
  "--- a/train.py",
  "+++ b/train.py",
  "@@ -1 +1,2 @@",
  "-lr = 0.1",
  "+lr = 0.01 # <b>less</b>",
  "+seed = 1",
  "",
].join("\n");

/** A meta as our client captures it, with a config. */
const meta = {
  lr: 0.01,
  optimizer: { name: "adamw", betas: [0.9, 0.95] },
  _name: "the whole",
  _tags: ["baseline", 'a "quoted" one'],
  _group: "sweep-7",
  _source: {
    remote: "git@github.com:acme/vision.git",
    commit,
    branch: "main",
    isDirty: true,
    script: "train.py",
    command: "python train.py --lr 0.01",
    diff: {
      artifact: "told/source",
      version: step(1),
      path: "changes.diff",
      bytes: diff.length,
      sha256: "",
    },
  },
  _environment: {
    host: "node7",
    user: "ada",
    os: "Linux 6.8",
    python: "3.12.3",
    gpus: ["NVIDIA H100"],
    gpuCount: 8,
    slurm: { jobId: "4711" },
    packages: { numpy: "2.3.1", torch: "2.9.0" },
  },
};

pagesSuite("the overview of a run", (pages) => {
  let told: string;
  let plain: string;

  before(async () => {
    const { client } = pages;
    await pushVersions(client, "told/source", [{ name: step(1), files: { "changes.diff": diff } }]);
    const description = "Less of **lr**.";
    const recorder = await client.record({ slug: "told", description, meta });
    for (let at = 0; at < 20; at++) {
      recorder.record("val/loss", (at - 12) ** 2, at);
      recorder.record("train/loss", 20 - at, at);
    }
    recorder.record("diverged", Number.NaN, 1);
    recorder.record("diverged", 3, 0);
    await recorder.finish();
    told = recorder.experimentId;
    await pushVersions(client, "told/model", [
      { name: step(10), files: { a: "weights" }, meta: { experiment: "told", step: 10 } },
      { name: step(20), files: { a: "weights" }, meta: { experiment: "told", step: 20 } },
    ]);
    const place = { cloud: "here", region: "there", source: "node" };
    const { epoch } = await client.artifacts.open("told/next", { mode: "new", place });
    const files = [{ name: "a", size: 1_000 }];
    await client.artifacts.begin("told/next", step(1), {
      epoch,
      place,
      files,
      meta: { experiment: "told" },
    });
    const nothing = await client.record({ slug: "plain" });
    await nothing.finish();
    plain = nothing.experimentId;
    await counted(client);
  });

  const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

  test("a run that tells everything shows it at its bare address", async () => {
    const { page, seen } = await pages.signedIn();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    await page.goto(`${pages.service.baseUrl}/experiments/${told}`);
    await part(page, "Notes").locator("strong", { hasText: "lr" }).waitFor();
    // It stands there once, and not in the head as well.
    assert.equal(await page.getByText("Less of").count(), 1);
    const facts = async (name: string) => (await part(page, name).locator("dl").innerText()).trim();
    assert.match(
      await facts("Run"),
      /^started by\s+ada\s+host\s+node7\s+command\s+python train\.py --lr 0\.01\s+copy\s+began[^]*took/,
    );
    assert.match(
      await facts("Source"),
      /^commit\s+0123456789ab\s+copy\s+branch\s+main\s+GitHub\s+acme\/vision\s+changes\s+files differed from the commit\s+script\s+train\.py$/,
    );
    assert.match(
      await facts("Machine"),
      /system\s+Linux 6\.8\s+GPU\s+8 × NVIDIA H100\s+Python\s+3\.12\.3/,
    );
    assert.match(await facts("SLURM"), /job id\s+4711/);
    const outside = part(page, "Source").getByRole("link", { name: "0123456789ab" });
    assert.equal(
      await outside.getAttribute("href"),
      `https://github.com/acme/vision/commit/${commit}`,
    );
    assert.match((await outside.getAttribute("rel"))!, /noopener noreferrer/);
    const artifacts = (await part(page, "Artifacts").innerText()).replaceAll(/\s+/g, " ");
    assert.match(
      artifacts,
      /show all told\/next uploading 0+1, 1\.0 kB, began just now told\/model 0+20, step 20, 7 B, just now, 1 older/,
    );
    // Only what is seen was asked for: no picture of a chart, no catalog, and the diff when opened.
    assert.deepEqual(
      asked.filter((url) => /\/api\/.*(overview|points|\/file)/.test(url)),
      [],
    );
    await part(page, "Source").locator("summary").click();
    const region = page.getByRole("region", { name: "Difference from the commit" });
    await region.locator(".added", { hasText: "lr = 0.01 # <b>less</b>" }).waitFor();
    assert.equal(await region.locator(".removed").innerText(), "-lr = 0.1\n");
    await page.getByText("1 file, 2 lines added, 1 removed").waitFor();
    assert.equal(asked.filter((url) => url.includes("/file?")).length, 1);
    await part(page, "Packages").getByText("Packages").click();
    await page.getByLabel("Search packages").fill("tor");
    assert.equal(await page.getByLabel("Packages by name").innerText(), "torch\n2.9.0");
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(pages.service.baseUrl).origin]);
  });

  test("the config has no reserved keys, is searched, and each value is a filter", async () => {
    const { page } = await pages.open(`/experiments/${told}`);
    const config = part(page, "Config");
    await config.getByText("adamw").waitFor();
    assert.equal(await config.getByText("_source").count(), 0);
    const filters = await config.getByRole("button", { name: /copy the filter/ }).all();
    assert.deepEqual(await Promise.all(filters.map((one) => one.getAttribute("title"))), [
      "meta.lr = 0.01",
      "meta.optimizer.name = adamw",
      "meta.optimizer.betas = 0.9 and meta.optimizer.betas = 0.95",
    ]);
    await page.goto(`${pages.service.baseUrl}/experiments/${told}?mq=adam`);
    await config.getByText("adamw").waitFor();
    assert.equal(await config.getByText("0.95").count(), 0);
    await config.getByLabel("Search the config").fill("nothing has this");
    await config.getByText("No key or value matches.").waitFor();
  });

  test("tags lead to the experiments that have them", async () => {
    const { page } = await pages.open(`/experiments/${told}`);
    const tags = page.getByRole("list", { name: "Tags" });
    await tags.waitFor();
    assert.deepEqual(await tags.getByRole("link").allInnerTexts(), [
      "baseline",
      'a "quoted" one',
      "group sweep-7",
    ]);
    for (const name of ['a "quoted" one', "group sweep-7"]) {
      await tags.getByRole("link", { name }).click();
      await page.getByText("1 found", { exact: true }).waitFor();
      await page.goBack();
    }
  });

  test("metrics have their last, smallest and largest values, sorted by a click, and lead to charts", async () => {
    const { page } = await pages.open(`/experiments/${told}`);
    const metrics = part(page, "Metrics");
    const lines = async () =>
      (await metrics.locator("tbody tr").allInnerTexts()).map((text) =>
        text.replaceAll(/\s+/g, " ").replace("/ ", "/"),
      );
    await metrics.getByText("val/loss").waitFor();
    const diverged = "diverged ▲NaN 3 step 0 3 step 0";
    const train = "train/loss 1 1 step 19 20 step 0";
    const val = "val/loss 49 0 step 12 144 step 0";
    assert.deepEqual(await lines(), [train, val, diverged]);
    await metrics.getByRole("button", { name: "last" }).click();
    await page.waitForURL(/sort=last/);
    assert.deepEqual(await lines(), [train, val, diverged]);
    await metrics.getByRole("button", { name: "last" }).click();
    await page.waitForURL(/sort=-last/);
    assert.deepEqual(await lines(), [val, train, diverged]);
    await metrics.getByRole("link", { name: "val/loss" }).click();
    const pinned = page.locator("details.section", { hasText: "pinned" });
    await pinned.locator("figure[data-series='val/loss'] canvas").waitFor();
    await page.goBack();
    await page.waitForURL(/sort=-last/);
    await metrics.waitFor();
  });

  test("charts are one key away, and links to them lead to them", async () => {
    const { page } = await pages.open(`/experiments/${told}`);
    const pressed = (name: string) =>
      page.getByRole("button", { name, exact: true, pressed: true }).waitFor();
    await pressed("overview");
    await page.keyboard.press("2");
    await pressed("charts");
    await page.waitForURL(/tab=charts/);
    // The code of charts has been loaded, and with it the list of their keys.
    await page.locator("figure canvas").first().waitFor();
    const keys = page.getByRole("dialog");
    await page.keyboard.press("?");
    await keys.getByText("1 to").waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    // A key that comes while the dialog goes is not the page's.
    await until(async () => {
      await page.keyboard.press("1");
      const overview = page.getByRole("button", { name: "overview", exact: true, pressed: true });
      assert.equal(await overview.count(), 1);
    });
    await page.keyboard.press("?");
    await keys.getByText("search metrics").waitFor();
    await page.keyboard.press("Escape");
    // As links were before there was an overview. Without its zoom it stays what it is.
    await page.goto(`${pages.service.baseUrl}/experiments/${told}?r=3~9`);
    await pressed("charts");
    await page.getByRole("button", { name: "reset zoom" }).click();
    await page.waitForURL((url) => !url.searchParams.has("r"));
    await pressed("charts");
    await page.goto(`${pages.service.baseUrl}/experiments`);
    await page.getByRole("link", { name: "the whole" }).click();
    await pressed("charts");
  });

  test("a run that tells nothing has no empty card", async () => {
    const { page, seen } = await pages.open(`/experiments/${plain}`);
    await part(page, "Run").getByText("took").waitFor();
    await page.getByRole("button", { name: "artifacts", exact: true }).waitFor();
    const shown = await page
      .locator(".overview section")
      .evaluateAll((sections) => sections.map((section) => section.getAttribute("aria-label")));
    assert.deepEqual(shown, ["Run"]);
    assert.deepEqual(seen.problems, []);
  });

  test("a description is edited here", async () => {
    const { client } = pages;
    const recorder = await client.record({ slug: "edited", description: "before" });
    await recorder.finish();
    const { page } = await pages.open(`/experiments/${recorder.experimentId}`);
    await part(page, "Notes").getByRole("button", { name: "edit…" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("a\n\n- list");
    await page.keyboard.press("Control+Enter");
    await part(page, "Notes")
      .getByRole("listitem", { name: "list" })
      .or(part(page, "Notes").locator("li"))
      .waitFor();
    const { description } = await client.experiment({ experimentId: recorder.experimentId });
    assert.equal(description, "a\n\n- list");
  });

  test("commit, source and user that MLflow's clients wrote are there", async () => {
    const { mlflow } = pages;
    const runId = await mlflow.run("0", { run_name: "from-mlflow", user_id: "grace" });
    const pair = (key: string, value: string) => ({ key, value });
    await mlflow.post("runs/log-batch", {
      run_id: runId,
      params: [pair("depth", "12")],
      tags: [
        pair("mlflow.source.git.commit", commit),
        pair("mlflow.source.git.repoURL", "https://gitlab.com/group/sub/repo.git"),
        pair("mlflow.source.name", "fit.py"),
        pair("mlflow.note.content", "of *mlflow*"),
        pair("team", "vision"),
      ],
    });
    const { page } = await pages.open(`/experiments/${runId}`);
    const href = await part(page, "Source")
      .getByRole("link", { name: "0123456789ab" })
      .getAttribute("href");
    assert.equal(href, `https://gitlab.com/group/sub/repo/-/commit/${commit}`);
    await part(page, "Run").getByText("grace").waitFor();
    await part(page, "Run").getByText("fit.py").waitFor();
    await part(page, "Notes").locator("em", { hasText: "mlflow" }).waitFor();
    await part(page, "Config").getByText("depth").waitFor();
    await page.getByRole("list", { name: "Tags" }).getByText("vision").waitFor();
  });

  test("ten thousand metrics are lines of which only those near the screen are laid out", async () => {
    const { client } = pages;
    const recorder = await client.record({ slug: "ten-thousand" });
    const names = Array.from({ length: 10_000 }, (_, at) => `layer/${String(at).padStart(5, "0")}`);
    for (const [at, name] of names.entries()) recorder.record(name, at, 1);
    await recorder.finish();
    await counted(client);
    const { page } = await pages.open(`/experiments/${recorder.experimentId}`);
    const metrics = part(page, "Metrics");
    await metrics.getByText("layer/00000").first().waitFor();
    assert.equal(await metrics.locator("h2 .count").innerText(), "10,000");
    const laidOut = () => metrics.locator("tbody th").count();
    assert.ok((await laidOut()) < 80, String(await laidOut()));
    await metrics.getByRole("button", { name: "max" }).click();
    await metrics.getByRole("button", { name: "max" }).click();
    await metrics.getByRole("link", { name: "layer/09999" }).waitFor();
    await metrics
      .locator(".metric-lines")
      .evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await metrics.getByRole("link", { name: "layer/00000" }).waitFor();
    assert.ok((await laidOut()) < 80, String(await laidOut()));
    await metrics.getByLabel("Search metrics").fill("layer/0777*");
    await metrics.getByRole("link", { name: "layer/07779" }).waitFor();
    assert.equal(await laidOut(), 10);
  });
});
