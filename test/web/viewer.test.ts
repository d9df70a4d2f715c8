import assert from "node:assert/strict";
import { before, test } from "node:test";
import { call, ok } from "../http.ts";
import { signIn } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite("the pages of a viewer", (pages) => {
  let experimentId: string;
  let report: string;
  const viewer = { email: "vi@acme.test", password: "a long password" };

  before(async () => {
    const experiment = await pages.client.openExperiment({ slug: "seen", meta: { lr: 0.1 } });
    ({ experimentId } = experiment);
    const client = await pages.clientOf("ada");
    ({ id: report } = await client.reports.create({
      name: "Weekly",
      scope: "shared",
      blocks: [{ kind: "text", markdown: "All is well." }],
    }));
    const { link } = await client.people.invite({ role: "viewer" });
    const token = new URL(link).searchParams.get("token");
    const path = "/api/v1/invitations/accept";
    ok(await call(pages.service.baseUrl, { path, body: { token, ...viewer } }), 201);
  });

  async function open(path: string) {
    const opened = await pages.newPage();
    await opened.page.goto(pages.service.baseUrl + path);
    await signIn(opened.page, viewer);
    return opened;
  }

  test("show what members see, without what changes it, and say so", async () => {
    const { page, seen } = await open(`/experiments/${experimentId}?tab=meta`);
    await page.getByRole("heading", { name: "seen" }).waitFor();
    await page.getByText("lr", { exact: true }).waitFor();
    await page.getByRole("banner").getByText("read only").waitFor();
    const main = page.getByRole("main");
    const writing = /annotate|describe|trash|\+ key|^edit|folder…/;
    assert.equal(await main.getByRole("button", { name: writing }).count(), 0);
    await page.goto(`${pages.service.baseUrl}/experiments`);
    await page.getByRole("link", { name: "seen" }).waitFor();
    const table = page.getByRole("main").getByRole("button");
    assert.equal(await table.filter({ hasText: /\+ folder|rename|remove/ }).count(), 0);
    await page.goto(`${pages.service.baseUrl}/reports/${report}?edit=1`);
    await page.getByText("All is well.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Edit|Delete…)$/ }).count(), 0);
    assert.deepEqual(seen.problems, []);
  });

  test("make tokens that read, and see what the organization has", async () => {
    const { page, seen } = await open("/organization/tokens");
    await page.getByText("It only reads, as you do.").waitFor();
    await page.getByLabel("Name of the new token").fill("board");
    await page.getByRole("button", { name: "Create a token" }).click();
    await page.getByText("cannot be shown again").waitFor();
    await page.getByRole("link", { name: "Trash", exact: true }).click();
    await page.getByText("The trash is empty.").waitFor();
    assert.deepEqual(seen.problems, []);
  });
});
