import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { call } from "../http.ts";
import { organizations } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { run } from "./command-line.ts";

let client: LosslessClient;

const service = suiteService({}, async ({ baseUrl }) => {
  client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  const folderId = await client.folders.ensure(["vision"]);
  const recorder = await client.record({ slug: "run/1", description: "first", folderId });
  for (let step = 0; step < 5; step++) {
    recorder.record("loss", 1 / (step + 1), step, {
      timestampMs: 1_000 + step,
      meta: { split: "train" },
    });
  }
  await recorder.annotate("halfway", { step: 2 });
  await recorder.finish();
});

suite("the command line", () => {
  test("a key that goes over plain http to another machine is told once, and one in odd quotes is refused", async () => {
    // Leads here, but only who is here knows that.
    const elsewhere = service.baseUrl.replace("127.0.0.1", "0.0.0.0");
    const { stderr } = await run(elsewhere, "whoami");
    assert.equal(
      stderr.match(/warning: keys go to http:\/\/0\.0\.0\.0:\d+ unencrypted/g)?.length,
      1,
    );
    const here = await run(service.baseUrl, "whoami");
    assert.deepEqual([here.code, here.stderr], [0, ""]);
    const quoted = await run(service.baseUrl, "whoami", "--api-key", "“ak_1”");
    assert.equal(quoted.code, 2);
    assert.match(quoted.stderr, /--api-key has characters that no key has/);
    const blank = await run(service.baseUrl, "whoami", "--api-key", " ");
    assert.deepEqual([blank.code, /--api-key is blank/.test(blank.stderr)], [2, true]);
  });

  test("runs finds experiments, as lines, CSV and JSON, and points into a query that is none", async () => {
    const query = "slug = run/1 and metric.loss{split=train}.min < 0.25";
    const words = [
      "runs",
      "--query",
      query,
      "--columns",
      "metric.loss.mean, folder",
      "--sort",
      "slug desc",
    ];
    let lines = await run(service.baseUrl, ...words);
    // The summaries follow the points.
    while (!lines.stdout.includes("run/1")) lines = await run(service.baseUrl, ...words);
    assert.match(lines.stdout, /^SLUG +STATUS +BEGAN +POINTS +metric.loss.mean +folder\n/);
    assert.match(lines.stdout, /\nrun\/1 +done +\S+ +5 +0\.45666\d+ +vision\n$/);
    const csv = await run(service.baseUrl, ...words, "--csv");
    assert.match(csv.stdout, /^slug,name,status,createdAtMs,points,metric.loss.mean,folder\n/);
    assert.match(csv.stdout, /\nrun\/1,,done,\d+,5,0\.45666\d+,vision\n$/);
    const json = await run(service.baseUrl, ...words, "--json");
    const { total, rows } = JSON.parse(json.stdout) as { total: number; rows: { slug: string }[] };
    assert.deepEqual([total, rows.map(({ slug }) => slug)], [1, ["run/1"]]);
    const none = await run(service.baseUrl, "runs", "--query", "slug = none");
    assert.equal(none.stdout, "No experiments.\n");
    const foreign = await run(service.baseUrl, "runs", "--query", "tags contains nowhere");
    assert.equal(foreign.stdout, "No experiments.\nDid you mean: tag ~ nowhere\n");
    const wrong = await run(service.baseUrl, "runs", "--query", "loss < 3");
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.stderr,
      /--query: At character 1: .* did you mean meta.loss\?\n {2}loss < 3\n {2}\^/,
    );
  });

  test("help and mistakes: exit codes 0 and 2, one sentence", async () => {
    for (const words of [
      ["--help"],
      ["import", "--help"],
      ["keys", "--help"],
      ["serve", "--help"],
      ["help", "import"],
      ["help", "series", "points"],
    ]) {
      const { code, stdout } = await run(service.baseUrl, ...words);
      assert.equal(code, 0, words.join(" "));
      assert.match(stdout, /^Usage: lossless /);
    }
    const mistakes = [
      ["nonsense"],
      ["series", "nonsense"],
      ["import"],
      ["import", "a.csv", "--nonsense"],
      ["export"],
      ["export", "--all", "--slug", "x"],
      ["experiments", "show"],
      ["experiments", "list", "--status", "sleeping"],
      ["import", "a/x.csv", "b/x.csv"],
      ["import", "x.csv", "--folder", ""],
      ["import", "x.csv", "--folder", "//"],
      ["export", "--slug", "x", "--stdout", "--gzip"],
      ["help", "nonsense"],
    ];
    for (const words of mistakes) {
      const { code, stdout, stderr } = await run(service.baseUrl, ...words);
      assert.equal(code, 2, `${words.join(" ")}: ${stderr}`);
      assert.equal(stdout, "");
      assert.match(stderr, /^lossless: [^\n]+\n$/);
    }
  });

  test("a slip in a command or an option is told what may have been meant", async () => {
    for (const [words, meant] of [
      [["expriments", "list"], "lossless experiments list"],
      [["pul"], "lossless pull"],
      [["experiments", "list", "--statsu", "done"], "--status"],
      [["series", "points", "run/1", "--x-axes", "step"], "--x-axis"],
    ] as const) {
      const { code, stderr } = await run(service.baseUrl, ...words);
      assert.equal(code, 2);
      assert.ok(stderr.includes(`; did you mean ${meant}`), stderr);
    }
    const ofPython = await run(service.baseUrl, "import", "tensorboard", "runs", "--follow");
    assert.match(ofPython.stderr, /: python -m lossless import tensorboard\n$/);
    for (const [place, hint] of [
      [
        "./mlruns",
        "there is no directory or file ./mlruns; an MLflow server is named by its http(s) address",
      ],
      [
        "sqlite:///a.db",
        "there is no directory or file a.db; an MLflow server is named by its http(s) address",
      ],
      ["mysql://h/a", "run: mlflow server --backend-store-uri mysql://h/a"],
    ]) {
      const { code, stderr } = await run(service.baseUrl, "import", "mlflow", place);
      assert.deepEqual([code, stderr.trimEnd().endsWith(hint)], [2, true], stderr);
    }
    const refused = await run(service.baseUrl, "serve", "--bogus", "--json");
    assert.equal(refused.code, 2);
    assert.equal(JSON.parse(refused.stderr).error, "not_started");
  });

  test("what went wrong is one sentence that says what to do", async () => {
    const gone = await run("http://127.0.0.1:9", "experiments", "list", "--json");
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /cannot reach .*is the service running there\?/);
    const wrongKey = await run(service.baseUrl, "experiments", "tree", "--api-key", "ak_wrong");
    assert.equal(wrongKey.code, 1);
    assert.match(wrongKey.stderr, /--api-key or LOSSLESS_API_KEY/);
    const unknown = await run(service.baseUrl, "series", "list", "nothing");
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, "lossless: there is no experiment nothing\n"],
    );
    for (const words of [
      ["experiments", "show"],
      ["series", "list"],
      ["series", "points"],
    ]) {
      const slip = await run(service.baseUrl, ...words, "rn/1");
      assert.equal(slip.stderr, "lossless: there is no experiment rn/1; did you mean run/1?\n");
    }
    const encrypted = service.baseUrl.replace("http:", "https:");
    const plain = await run(encrypted, "experiments", "list");
    assert.match(plain.stderr, /speaks http, not https\n$/);
    const noSeries = await run(service.baseUrl, "series", "points", "run/1", "nosuch");
    assert.equal(noSeries.code, 1);
    assert.match(noSeries.stderr, /^lossless: there is no series nosuch; it has .+\n$/);
    const noFile = await run(service.baseUrl, "import", "no.csv", "--folder", "never made");
    assert.deepEqual([noFile.code, noFile.stderr], [2, "lossless: there is no file no.csv\n"]);
  });

  test("experiments and series, for people and for scripts", async () => {
    const list = await run(service.baseUrl, "experiments", "list", "--folder", "vision");
    assert.match(list.stdout, /^SLUG +STATUS +UPDATED +FOLDER\nrun\/1 +done +\S+Z +vision\n$/);
    const tree = await run(service.baseUrl, "experiments", "tree");
    assert.equal(tree.stdout, "vision/\n  run/1  (done)\n");
    const shown = await run(service.baseUrl, "experiments", "show", "run/1");
    assert.match(
      shown.stdout,
      /description +first\n[\s\S]*series +1\nannotations +1\n {2}\S+ {2}halfway/,
    );
    const series = await run(service.baseUrl, "series", "list", "run/1", "--json");
    assert.deepEqual(JSON.parse(series.stdout), [
      { seriesName: "loss", metadata: { split: ["train"] } },
    ]);
    const points = await run(
      service.baseUrl,
      "series",
      "points",
      "run/1",
      "--filter",
      "split=train",
      "--json",
    );
    assert.deepEqual(JSON.parse(points.stdout.split("\n")[2]), {
      seriesName: "loss",
      metadata: { split: "train" },
      step: 2,
      timestampMs: 1_002,
      value: 1 / 3,
    });
    const none = await run(service.baseUrl, "series", "points", "run/1", "--filter", "split=val");
    assert.deepEqual([none.code, none.stdout], [0, ""]);
  });

  test("keys are made and revoked beside the running service", async () => {
    const data = ["--data", service.dataDirectory];
    const created = await run(
      service.baseUrl,
      "keys",
      "create",
      "--name",
      "ci",
      "--organization",
      "acme",
      ...data,
    );
    assert.equal(created.code, 0, created.stderr);
    const secret = created.stdout.trim();
    assert.match(secret, /^ak_[A-Za-z0-9_-]{37,}$/);
    const works = await run(service.baseUrl, "experiments", "tree", "--api-key", secret);
    assert.equal(works.code, 0, works.stderr);
    const list = await run(service.baseUrl, "keys", "list", "--json", ...data);
    const key = JSON.parse(list.stdout).find((each: { name: string }) => each.name === "ci");
    assert.equal(key.organization.name, "acme");
    assert.ok(!list.stdout.includes(secret));
    const revoked = await run(service.baseUrl, "keys", "revoke", key.keyId, ...data);
    assert.equal(revoked.code, 0, revoked.stderr);
    const ended = await run(service.baseUrl, "experiments", "tree", "--api-key", secret);
    assert.equal(ended.code, 1);
    const unknown = await run(service.baseUrl, "keys", "revoke", "nothing", ...data);
    assert.equal(unknown.code, 1);
    const stranger = await run(
      service.baseUrl,
      "keys",
      "create",
      "--name",
      "x",
      "--organization",
      "no",
      ...data,
    );
    assert.equal(stranger.code, 1);
    const fresh = ["keys", "create", "--name", "x", "--organization", "new", "--new-organization"];
    assert.equal((await run(service.baseUrl, ...fresh, ...data)).code, 0);
  });

  test("people join and come back by the operator's links; the audit log says so", async () => {
    const data = ["--data", service.dataDirectory];
    const ask = (...words: string[]) => run(service.baseUrl, ...words, ...data);
    const accept = async (link: string, email: string, password: string): Promise<number> => {
      assert.ok(link.startsWith(`${service.baseUrl}/join?token=in_`), link);
      const token = new URL(link).searchParams.get("token");
      const path = "/api/v1/invitations/accept";
      const body = { token, email, password };
      return (await call(service.baseUrl, { path, body })).status;
    };
    const invited = await ask(..."people invite --role owner --organization acme".split(" "));
    assert.equal(invited.code, 0, invited.stderr);
    const link = invited.stdout.trim();
    assert.equal(await accept(link, "cy@acme.test", "first password"), 201);
    assert.equal(await accept(link, "cy@acme.test", "first password"), 401);
    const reset = await ask("people", "reset-password", "CY@acme.test", "--json");
    const { link: back } = JSON.parse(reset.stdout) as { link: string };
    assert.equal(await accept(back, "cy@acme.test", "second password"), 201);
    const list = await ask("people", "list", "--organization", "acme", "--json");
    const [person] = JSON.parse(list.stdout) as { email: string; role: string }[];
    assert.deepEqual([person?.email, person?.role], ["cy@acme.test", "owner"]);
    const log = await ask("audit", "--json");
    const actions = (JSON.parse(log.stdout) as { action: string; actor: string }[]).map(
      ({ action, actor }) => `${action} by ${actor === "operator" ? actor : "others"}`,
    );
    for (const expected of [
      "invitation.created by operator",
      "passwordLink.created by operator",
      "invitation.accepted by others",
      "password.changed by others",
    ]) {
      assert.ok(actions.includes(expected), log.stdout);
    }
    const table = await ask("audit", "--organization", "acme", "--limit", "1");
    assert.equal(table.stdout.trim().split("\n").length, 2, table.stdout);
    for (const words of ["people reset-password no@acme.test", "audit --organization no"]) {
      assert.equal((await ask(...words.split(" "))).code, 1, words);
    }
    for (const words of ["people invite", "people invite --role king", "audit --limit 0"]) {
      assert.equal((await ask(...words.split(" "))).code, 2, words);
    }
  });

  test("verify finds the data sound beside the running service, and no data is a mistake", async () => {
    const sound = await run(service.baseUrl, "verify", "--data", service.dataDirectory, "--json");
    assert.equal(sound.code, 0, sound.stderr);
    const { experiments, points, problems } = JSON.parse(sound.stdout);
    assert.deepEqual([experiments, points, problems], [1, 5, []]);
    await using empty = await mkdtempDisposable(join(tmpdir(), "lossless-empty-"));
    for (const command of ["verify", "keys list"]) {
      const { code, stderr } = await run(
        service.baseUrl,
        ...command.split(" "),
        "--data",
        empty.path,
      );
      assert.equal(code, 2, stderr);
    }
  });

  test("what MLflow's clients wrote is shown, and their names beside slugs", async () => {
    const key = organizations.acme.key;
    const caller = new MlflowCaller({ baseUrl: service.baseUrl, observe: () => undefined }, key);
    const runId = await caller.run("0", { run_name: "bold-otter" });
    const params = [{ key: "lr", value: "0.1" }];
    await caller.post("runs/log-batch", { run_id: runId, params });
    const dataset = { name: "iris", digest: "ab12", source_type: "local", source: "{}" };
    const tags = [{ key: "mlflow.data.context", value: "training" }];
    await caller.post("runs/log-inputs", { run_id: runId, datasets: [{ dataset, tags }] });
    const modelId = await caller.model("0", { name: "net" });
    await caller.post("runs/outputs", { run_id: runId, models: [{ model_id: modelId, step: 1 }] });
    const shown = await run(service.baseUrl, "experiments", "show", runId);
    assert.match(shown.stdout, /\nname +bold-otter\n/);
    const page = `${service.baseUrl}/experiments/${runId}`;
    assert.match(shown.stdout, new RegExp(`^page +${RegExp.escape(page)}$`, "m"));
    assert.match(shown.stdout, /\nparam +lr = 0\.1\n/);
    assert.match(shown.stdout, /\ndata set +iris {2}ab12 {2}training\n/);
    assert.match(shown.stdout, /\nmodel +m-[0-9a-f]{32} {2}net {2}pending, output\n/);
    const attributes = await client.attributes({ experimentSlug: runId });
    const json = await run(service.baseUrl, "experiments", "show", runId, "--json");
    const answer = JSON.parse(json.stdout) as { page: string; attributes: unknown };
    assert.deepEqual([answer.page, answer.attributes], [page, attributes]);
    assert.deepEqual([attributes.name, attributes.params], ["bold-otter", params]);
    let list = await run(service.baseUrl, "experiments", "list");
    // Names follow the runs by some seconds.
    while (!list.stdout.includes("bold-otter"))
      list = await run(service.baseUrl, "experiments", "list");
    assert.match(list.stdout, /^SLUG +NAME +STATUS/);
    assert.match(list.stdout, new RegExp(`\\n${runId} +bold-otter +running`));
    const tree = await run(service.baseUrl, "experiments", "tree");
    assert.match(tree.stdout, new RegExp(`^${runId} {2}bold-otter {2}\\(running\\)$`, "m"));
    assert.match(tree.stdout, /^ {2}run\/1 {2}\(done\)$/m);
    assert.equal((await run(service.baseUrl, "delete", runId)).code, 0);
    const trash = await run(service.baseUrl, "trash", "list");
    assert.match(trash.stdout, /^NAME +CALLED +FOLDER/);
    assert.match(trash.stdout, new RegExp(`^${runId} +bold-otter `, "m"));
  });
});
