import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { finished, run, start } from "../cli/command-line.ts";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { agentOf } from "../contract/agents/agent.ts";
import { Browser } from "../contract/browser.ts";
import { OauthClient, pairOf } from "../contract/oauth-client.ts";
import { mainPython } from "../python/module-runner.ts";
import { checkoutRoot, organizations } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";

const { key } = organizations.acme;

for (const strips of [false, true])
  suite(`clients of a path that the proxy ${strips ? "takes off" : "passes on"}`, () => {
    const directory = suiteDirectory("path");
    const service = suiteService({ people: true, place: { path: "/lossless", strips } });
    async function succeeds(...words: string[]): Promise<string> {
      const { code, stdout, stderr } = await finished(start(service.baseUrl, words, {}, directory));
      assert.equal(code, 0, stderr);
      return stdout;
    }

    test("the command line pushes, pulls, imports and reads", async () => {
      writeFileSync(join(directory, "weights.bin"), Buffer.alloc(9_000_000, "lossless"));
      await succeeds("push", "weights.bin", "runs/cli", "--version", "1");
      await succeeds("pull", "runs/cli", "restored");
      const sent = readFileSync(join(directory, "weights.bin"));
      assert.ok(readFileSync(join(directory, "restored/weights.bin")).equals(sent));
      writeFileSync(join(directory, "run.csv"), "step,elapsed_ms,metric,value\n1,1,loss,0.5\n");
      await succeeds("import", "run.csv");
      assert.match(await succeeds("series", "points", "run", "loss"), /0\.5/);
      assert.equal((await run(`${service.baseUrl}/`, "runs")).code, 0, "with a slash at its end");
    });

    test("the TypeScript client records, waits and reads", async () => {
      const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: key });
      const recorder = await client.record({ slug: "ts", description: "" });
      recorder.record("loss", 0.25, 1);
      await recorder.finish();
      const { experimentId } = recorder;
      const seen = { experimentId, revision: 0 };
      const { experiments } = await client.views.changes({ experiments: [seen], waitMs: 20_000 });
      assert.equal(experiments.length, 1);
    });

    test("an agent asks, and its answers name pages below the path", async () => {
      await using agent = await agentOf(service, { credential: key, path: "/mcp/write" });
      const { page } = await agent.ask("find_experiments", {});
      assert.equal(page, `${service.baseUrl}/experiments?q=`);
    });

    test("MLflow's interface takes and gives files by its proxy", async () => {
      const caller = new MlflowCaller({ baseUrl: service.baseUrl, observe: () => {} }, key);
      const files = new RunFiles(caller, await caller.run("0"));
      await files.put("notes/a b.txt", "as it is");
      assert.equal(await files.text("notes/a b.txt"), "as it is");
    });

    test("the Python client records, links, keeps artifacts, and renews a sign-in", async () => {
      const python = mainPython();
      if (python === undefined) return;
      const target = { baseUrl: service.baseUrl, observe: () => undefined };
      const settings = join(directory, "settings");
      mkdirSync(join(settings, "lossless"), { recursive: true });
      const browser = new Browser(service);
      await browser.signIn("ada");
      const oauth = new OauthClient(target);
      const { refresh } = await pairOf(oauth.redeem(await oauth.code(browser)));
      const login = { url: service.baseUrl, accessToken: "ended", refreshToken: refresh };
      const organization = { id: "acme", name: "acme" };
      writeFileSync(
        join(settings, "lossless/login.json"),
        JSON.stringify({ ...login, expiresAtMs: 0, organization }),
      );
      const program = `
import lossless, pathlib
run = lossless.init("py", config={"lr": 0.1})
run.log({"loss": 0.125}, step=3)
run.finish()
print(run.url)
assert list(lossless.Reader().series(run.slug, "loss").value) == [0.125]
pathlib.Path("model.txt").write_text("weights")
lossless.save_artifact("model.txt", "runs/py")
assert lossless.load_artifact("runs/py", "back")
assert pathlib.Path("back/model.txt").read_text() == "weights"
`;
      const child = spawn(python.path, ["-W", "error", "-c", program], {
        cwd: directory,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          PYTHONPATH: join(checkoutRoot, "python/src"),
          LOSSLESS_URL: service.baseUrl,
          LOSSLESS_API_KEY: "",
          LOSSLESS_SPOOL: join(directory, "spool"),
          XDG_CONFIG_HOME: settings,
        },
      });
      const { code, stderr, stdout } = await finished(child);
      assert.equal(code, 0, stderr);
      assert.ok(stdout.startsWith(`${service.baseUrl}/go?slug=py`), stdout);
    });

    test("the doctor finds the service there", async () => {
      const words = ["doctor", "--data", service.dataDirectory, "--base-url", service.baseUrl];
      const { stdout, stderr } = await run(service.baseUrl, ...words);
      assert.match(stdout, new RegExp(`address ${service.baseUrl}: ready`), stdout + stderr);
    });
  });
