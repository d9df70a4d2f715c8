import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Seen } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";
import { pushVersions, step } from "./pushed-artifacts.ts";

pagesSuite("the pages of models, and aliases", (pages) => {
  let client: LosslessClient;

  before(() => {
    ({ client } = pages);
  });

  const isClean = (seen: Seen) => assert.deepEqual(seen.problems, []);

  test("aliases are chips on an artifact's versions, and are set, moved and removed there", async () => {
    const files = { a: "b" };
    const versions = [1, 2, 3].map((number) => ({ name: step(number), files }));
    await pushVersions(client, "aliased/net", versions);
    await client.artifacts.setAlias("aliased/net", "best", step(1));
    const { page, seen } = await pages.open("/artifact?name=aliased%2Fnet&version=@best");
    await page.getByRole("heading", { name: step(1) }).waitFor();
    await page.getByRole("link", { name: step(2) }).click();
    await page.getByRole("heading", { name: step(2) }).waitFor();
    await page.getByRole("button", { name: "alias…" }).click();
    await page.getByLabel("Alias", { exact: true }).fill("best");
    await page.getByText(`@best points to version ${step(1)} now.`).waitFor();
    await page.getByRole("button", { name: "Move", exact: true }).click();
    const chip = page.locator(".artifact-version > header .aliases").getByText("@best");
    await chip.waitFor();
    assert.equal((await client.artifacts.readVersion("aliased/net", "@best")).version, step(2));
    // Somebody else moves it while the dialog is open: nothing is moved from there.
    await page.getByRole("button", { name: "alias…" }).click();
    await page.getByLabel("Alias", { exact: true }).fill("kept");
    await page.getByText("@kept is new").waitFor();
    await client.artifacts.setAlias("aliased/net", "kept", step(3));
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await page.getByText(/The alias kept points to version 0+3/).waitFor();
    await page.getByRole("button", { name: "remove" }).click();
    await chip.waitFor({ state: "detached" });
    const left = await client.artifacts.aliases("aliased/net");
    assert.deepEqual(
      left.map(({ alias, version }) => [alias, version]),
      [["kept", step(3)]],
    );
    await client.trash.versions("aliased/net", [step(3)]);
    await page.getByText(/points to 0+3, which is in the trash/).waitFor();
    assert.deepEqual(
      seen.problems.filter((text) => !text.includes("409")),
      [],
    );
  });

  test("models are listed, and their aliases moved, with where each version is from", async () => {
    const opened = await client.record({ slug: "models/run" });
    await opened.finish();
    const meta = { experiment: "models/run", step: 7 };
    await pushVersions(client, "models/net", [
      { name: step(1), files: { a: "1" }, meta },
      { name: step(2), files: { a: "2" }, meta },
    ]);
    for (const number of [1, 2])
      await client.models.link("classifier", { artifact: "models/net", version: step(number) });
    await client.models.setAlias("classifier", "production", 1);
    const { page, seen } = await pages.open("/artifacts");
    await page.getByRole("link", { name: "registered models" }).click();
    await page.getByText("@production → 1").waitFor();
    await page.getByRole("link", { name: "classifier" }).click();
    await page.getByRole("link", { name: `models/net ${step(2)}` }).waitFor();
    await page.getByRole("link", { name: "models/run" }).first().waitFor();
    await page.getByRole("button", { name: "alias…" }).first().click();
    await page.getByLabel("Alias", { exact: true }).fill("production");
    await page.getByText("@production points to version 1 now.").waitFor();
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await page.getByText("moved from version 1 to 2").waitFor();
    assert.equal((await client.models.version("classifier", "@production")).version, 2);
    await page.getByRole("button", { name: "describe…" }).click();
    await page.getByLabel("Description", { exact: true }).fill("Sorts pictures.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Sorts pictures.").waitFor();
    isClean(seen);
  });
});
