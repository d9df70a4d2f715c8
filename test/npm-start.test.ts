import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { call } from "./http.ts";
import { checkoutRoot } from "./service.ts";

test("npm start serves with the flags it is given, prints a key, and SIGTERM to npm ends the service", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lossless-start-"));
  const flags = ["--data", join(directory, "data"), "--port", "0"];
  const npm = spawn("npm", ["start", "--silent", "--", ...flags], {
    cwd: checkoutRoot,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let output = "";
    npm.stdout.setEncoding("utf8");
    while (!output.includes("Lossless is ready at ")) {
      const [text] = (await once(npm.stdout, "data")) as [string];
      output += text;
    }
    const baseUrl = /^Lossless is ready at (http:\S+)$/m.exec(output)![1];
    const credential = /ak_\w+/.exec(output)![0];
    const reply = await call(baseUrl, { path: "/api/v2/auth/status", credential });
    assert.equal(reply.status, 200);
    npm.kill("SIGTERM");
    const [code] = (await once(npm, "exit")) as [number | null];
    assert.equal(code, 0);
    await assert.rejects(call(baseUrl, { path: "/healthz" }), { code: "ECONNREFUSED" });
  } finally {
    npm.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
});
