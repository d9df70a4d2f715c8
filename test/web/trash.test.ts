import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { OrganizationCaller } from "../contract/callers.ts";
import { withoutGone } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";
import { pushVersions } from "./pushed-artifacts.ts";

pagesSuite("deleting on the pages", (pages) => {
  const { organizations, service } = pages;

  async function recorded(slug: string): Promise<string> {
    const target = { baseUrl: service.baseUrl, observe: () => undefined };
    const experiment = await new OrganizationCaller(target, organizations.acme.key).open(slug);
    await experiment.send(experiment.metric());
    return experiment.experimentId;
  }
  const confirm = (page: Page) =>
    page.getByRole("dialog").getByRole("button", { name: "Move to trash" }).click();

  test("from an experiment's page to the trash, and back by its button", async () => {
    const id = await recorded("from-its-page");
    const { page, seen } = await pages.open(`/experiments/${id}?tab=charts`);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "move to trash…" }).click();
    await page.getByRole("dialog").getByText("Move from-its-page to the trash?").waitFor();
    await confirm(page);
    await page.waitForURL(`${service.baseUrl}/experiments`);
    assert.deepEqual((await pages.client.experiments([id])).missingExperimentIds, [id]);
    await page.goto(`${service.baseUrl}/organization/trash`);
    await page.getByRole("button", { name: "Restore from-its-page" }).click();
    await page.getByText("The trash is empty.").waitFor();
    assert.equal((await pages.client.experiment({ experimentId: id })).slug, "from-its-page");
    assert.deepEqual(withoutGone(seen), []);
  });

  test("a series from the menu of its chart, and other pages follow", async () => {
    const id = await recorded("with-series");
    const { page, seen } = await pages.open(`/experiments/${id}?tab=charts`);
    const beside = await pages.open(`/experiments/${id}?tab=charts`);
    const compared = await pages.open(`/compare?e=${id}`);
    const others = [beside.page, compared.page];
    const isThere = (one: Page) => one.locator("figure[data-series=loss]");
    for (const one of others) await isThere(one).waitFor();
    await page.getByLabel("Menu of loss").click();
    await page.getByRole("button", { name: "move the series to the trash…" }).click();
    await page.getByRole("dialog").getByText("Move loss to the trash?").waitFor();
    await confirm(page);
    await page.getByText("No points are recorded yet.").waitFor();
    for (const one of others) await isThere(one).waitFor({ state: "detached" });
    await page.goto(`${service.baseUrl}/organization/trash`);
    await page.getByRole("button", { name: "Restore loss of with-series" }).click();
    await page.getByText("The trash is empty.").waitFor();
    assert.equal((await pages.client.revisions([id])).experiments[0]?.series.length, 1);
    for (const one of others) await isThere(one).getByText("1 point", { exact: true }).waitFor();
    for (const one of [seen, beside.seen, compared.seen]) assert.deepEqual(withoutGone(one), []);
  });

  test("what is ticked in the table goes together, and an admin purges it", async () => {
    const ids = [await recorded("ticked-1"), await recorded("ticked-2")];
    await recorded("left");
    const { page, seen } = await pages.open(`/experiments?sel=${ids.join(",")}`);
    await page.getByRole("button", { name: "move to trash…" }).click();
    await page.getByRole("dialog").getByText("Move 2 experiments to the trash?").waitFor();
    await confirm(page);
    await page.getByText("2 experiments were moved to the trash.").waitFor();
    await page.getByRole("button", { name: "undo" }).click();
    await page.getByText("2 experiments were restored.").waitFor();
    for (const name of ["ticked-1", "ticked-2"])
      await page.getByLabel(`tick ${name}`, { exact: true }).click();
    await page.getByRole("button", { name: "move to trash…" }).click();
    await confirm(page);
    await page.getByText("2 experiments were moved to the trash.").waitFor();
    await page.getByRole("row", { name: /left/ }).waitFor();
    await page
      .getByRole("row", { name: /ticked-/ })
      .first()
      .waitFor({ state: "detached" });
    await page.goto(`${service.baseUrl}/organization/trash`);
    await page.getByRole("button", { name: "Purge ticked-1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Purge" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Restore ticked-1" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Restore ticked-2" }).waitFor();
    assert.deepEqual(withoutGone(seen), []);
  });

  test("an owner deletes the organization by its name, and restores it from what is left", async () => {
    const { page, seen } = await pages.open("/organization/trash");
    const { name } = organizations.acme;
    await page.getByRole("button", { name: "Delete the organization…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Type the organization’s name to confirm").fill(name);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText(`${name} was deleted. You can restore it until`).waitFor();
    await assert.rejects(pages.client.trash.settings(), /is deleted/);
    await page.getByRole("button", { name: `Restore ${name}` }).click();
    await page.getByText(`${name} was deleted`).waitFor({ state: "detached" });
    await pages.client.trash.settings();
    assert.deepEqual(withoutGone(seen), []);
  });

  test("a version, then all of an artifact; the trash gives all of it back at once", async () => {
    const versions = ["1", "2", "3"].map((name) => ({ name, files: { a: name } }));
    await pushVersions(pages.client, "bin/model", versions);
    const { page, seen } = await pages.open("/artifact?name=bin%2Fmodel&version=2");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "move to trash…" }).click();
    await dialog.getByText("Move version 2 of bin/model to the trash?").waitFor();
    await dialog.getByText("The version (1 file, 1 B) disappears from every list").waitFor();
    await dialog.getByText("for 30 days. After that it is gone.").waitFor();
    await confirm(page);
    await page.getByText("Version 2 was moved to the trash.").waitFor();
    await page.getByRole("heading", { name: "3", exact: true }).waitFor();
    assert.equal(
      await page.getByRole("navigation", { name: "Versions" }).getByRole("link").count(),
      2,
    );
    await page.getByRole("button", { name: "move all to trash…" }).click();
    await dialog
      .getByText("The artifact and its 2 versions (2 B) disappear from every list")
      .waitFor();
    await confirm(page);
    await page.getByText("2 versions were moved to the trash.").waitFor();
    await page.getByText("This artifact has no versions").waitFor();
    await page.goto(`${service.baseUrl}/artifacts`);
    await page.getByRole("heading", { name: "Push your first artifact" }).waitFor();
    await page.goto(`${service.baseUrl}/organization/trash`);
    for (const name of ["1", "2", "3"])
      await page.getByLabel(`Tick bin/model ${name}`, { exact: true }).check();
    await page.getByRole("button", { name: "Restore the 3 ticked" }).click();
    await page.getByText("3 items were restored.").waitFor();
    const { versionsTotal, latest } = await pages.client.views.artifact("bin/model");
    assert.deepEqual([versionsTotal, latest], [3, "3"]);
    assert.deepEqual(withoutGone(seen), []);
  });

  test("a folder with what is in it, and its experiments come back to where they stood", async () => {
    const folderId = await pages.client.folders.ensure(["sweeps", "old"]);
    const id = await recorded("in-a-folder");
    await pages.client.moveExperiment({ experimentId: id }, folderId);
    const { page, seen } = await pages.open("/experiments");
    await page.getByRole("treeitem", { name: "sweeps" }).click();
    await page.getByRole("button", { name: "remove", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Move the folder sweeps to the trash?" });
    await dialog.getByText("The folder contains 1 experiment and 1 folder.").waitFor();
    await confirm(page);
    const said = "The folder sweeps was removed with 1 folder below it, and 1 experiment was moved";
    await page.getByText(said).waitFor();
    await page.getByRole("treeitem", { name: "sweeps" }).waitFor({ state: "detached" });
    await page.goto(`${service.baseUrl}/organization/trash`);
    await page.getByRole("button", { name: "Restore in-a-folder" }).click();
    await page.getByText("in-a-folder was restored.").waitFor();
    const again = await pages.client.experiment({ experimentId: id });
    assert.equal(again.folderId, await pages.client.folders.ensure(["sweeps", "old"]));
    assert.deepEqual(withoutGone(seen), []);
  });

  test("a rule is tried before it is set, and is changed and removed", async () => {
    const versions = ["1", "2", "3"].map((name) => ({ name, files: { a: name } }));
    await pushVersions(pages.client, "ruled/model", versions);
    const { page, seen } = await pages.open("/organization/rules");
    const dialog = page.getByRole("dialog");
    const closed = async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    await page.getByText("No rules: nothing moves to the trash automatically.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("last ones");
    await page.getByRole("button", { name: "Try the rule" }).click();
    await page
      .getByText("Enter how many days ago the experiments ended that the rule moves to the trash.")
      .waitFor();
    await page.locator("select[name=kind]").selectOption("versions");
    const kept = page.getByLabel(/^Keep the last/);
    await kept.fill("1");
    await page.getByRole("button", { name: "Try the rule" }).click();
    await dialog.getByText("The rule would move 2 items now.").waitFor();
    await dialog.getByRole("link", { name: "ruled/model 1" }).waitFor();
    await dialog.getByText("not among the last 1").first().waitFor();
    await closed();
    await kept.fill("3");
    await page.getByRole("button", { name: "Set the rule" }).click();
    await page.getByText("The rule last ones was set").waitFor();
    await page.getByText("versions of all artifacts, except the last 3 of each").waitFor();
    await page.getByRole("button", { name: "Change last ones" }).click();
    await page.getByLabel(/^Artifact/).fill("ruled");
    await page.getByRole("button", { name: "Change the rule" }).click();
    await page.getByText("versions of ruled, except the last 3 of each").waitFor();
    await page.getByRole("button", { name: "Try last ones" }).click();
    await dialog.getByText("The rule would move nothing now.").waitFor();
    await closed();
    await page.getByRole("button", { name: "Remove last ones" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("No rules: nothing moves to the trash automatically.").waitFor();
    assert.deepEqual(withoutGone(seen), []);
  });

  test("a rule keeps its folder, whatever other folder has the same path", async () => {
    const { folders } = pages.client;
    const below = (await folders.ensure(["a", "b"]))!;
    const beside = (await folders.ensure(["a/b"]))!;
    const { retention } = await pages.clientOf("ada");
    const statuses = ["done" as const];
    const rule = { kind: "experiments" as const, folderId: below, olderThanDays: 30, statuses };
    await retention.create({ name: "of b", rule });
    const { page, seen } = await pages.open("/organization/rules");
    const change = async (days: string) => {
      await page.getByLabel(/^Older than, in days/).fill(days);
      await page.getByRole("button", { name: "Change the rule" }).click();
      await page.getByText(`older than ${days} days`).waitFor();
      return (await retention.list()).map((one) => "folderId" in one.rule && one.rule.folderId);
    };
    await page.getByRole("button", { name: "Change of b" }).click();
    assert.deepEqual(await change("40"), [below]);
    await page.getByRole("button", { name: "Change of b" }).click();
    await page.getByRole("button", { name: "In the folder: a/b" }).click();
    const dialog = page.getByRole("dialog", { name: "Choose the folder of the rule" });
    await dialog.getByLabel("Search folders").fill("a/b");
    // Enter chooses and does not set the rule; shallow folders stand first.
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await change("50"), [beside]);
    assert.deepEqual(withoutGone(seen), []);
  });

  test("for how long it is kept is an admin's to say", async () => {
    const { page } = await pages.open("/organization/trash");
    await page.getByLabel(/^Days to keep/).fill("7");
    // The button is disabled while it is being set, too: only the answer says that it was.
    const answered = page.waitForResponse((reply) => reply.request().method() === "PUT");
    await page.getByRole("button", { name: "Set" }).click();
    assert.equal((await answered).status(), 200);
    assert.deepEqual(await pages.client.trash.settings(), { days: 7 });
    await page.getByRole("button", { name: "Set", disabled: true }).waitFor();
  });
});
