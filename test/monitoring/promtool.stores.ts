/** The alerts as Prometheus reads them; promtool comes from Debian (test/stores/install.ts). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { suite, test } from "node:test";
import { Figures } from "../figures.ts";
import { checkoutRoot, Service } from "../service.ts";

const directory = join(checkoutRoot, "deploy/monitoring");

suite("promtool", () => {
  test("takes the alerts, and each fires where it should", () => {
    promtool(["check", "rules", "alerts.yml"]);
    promtool(["test", "rules", "alerts.test.yml"]);
  });

  test("finds no fault in the figures", async () => {
    const figures = await Figures.onFreePort();
    await using _service = await Service.start({ flags: figures.flags });
    promtool(["check", "metrics"], await figures.text());
    assert.throws(() => promtool(["check", "metrics"], "# TYPE a counter\na 1\n"), /_total/);
  });
});

function promtool(words: string[], input?: string): void {
  const { status, stdout, stderr } = spawnSync("promtool", words, {
    cwd: directory,
    encoding: "utf8",
    input: input ?? "",
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
}
