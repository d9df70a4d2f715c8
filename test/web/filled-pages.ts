import type { LosslessClient, ReportBlock } from "@lossless/client";
import type { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import type { HttpRequest } from "../http.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { numbered, Printer } from "./printed-lines.ts";
import { pngOf, pushVersions, step } from "./pushed-artifacts.ts";

/** Something on every page; the ids of two experiments and of a report. */
export interface Filled {
  running: string;
  failed: string;
  report: string;
}

/** The address that the command line opens in a browser to sign in: a signed-in person is asked. */
export const consentPath = `/oauth/authorize?${new URLSearchParams({
  response_type: "code",
  client_id: "lossless-cli",
  redirect_uri: "http://127.0.0.1:4321/callback",
  code_challenge: "0".repeat(43),
  code_challenge_method: "S256",
  state: "some",
}).toString()}`;

/** A person keeps a view and a report; everything else a program writes. */
export async function fillPages(
  client: LosslessClient,
  person: LosslessClient,
  caller: MlflowCaller,
): Promise<Filled> {
  const experiments = await record(client, caller);
  await writeBeside(caller, experiments.running);
  await pushArtifacts(client);
  return { ...experiments, report: await save(person, experiments.running) };
}

async function record(
  client: LosslessClient,
  caller: MlflowCaller,
): Promise<Record<"running" | "failed", string>> {
  const meta = { optimizer: { name: "adamw", betas: [0.9, 0.95] }, seed: 1337 };
  const ask = (request: HttpRequest) => caller.request(request);
  const printer = await Printer.open(client, ask, "running-one");
  for (const rank of [0, 1])
    await printer
      .beside({ id: `p${rank}`, rank })
      .print([...numbered(0, 200), { text: "careful", stream: "warning" }], " 12%");
  const running = await client.record({ slug: "running-one", description: "a text", meta });
  for (let step = 0; step < 500; step++) {
    running.record("train/loss", Math.cos(step / 30), step);
    for (const rank of ["0", "1", "2"])
      running.record("train/grad", Math.sin(step / 9), step, { meta: { rank } });
  }
  running.record("system/gpu", 1, 1);
  await running.annotate("warm", { from: "a person" });
  await running.flush();
  const failed = await client.record({ slug: "failed-one" });
  failed.record("loss", 1, 1);
  await failed.finish({ error: "out of memory", errorMeta: { code: 137 } });
  const deleted = await client.openExperiment({ slug: "deleted-one", description: "" });
  await client.trash.experiments([deleted.experimentId]);
  return { running: running.experimentId, failed: failed.experimentId };
}

/** Writes data of MLflow's clients to an experiment of ours. */
async function writeBeside(caller: MlflowCaller, runId: string): Promise<void> {
  const pair = (key: string, value: string) => ({ key, value });
  await caller.post("runs/log-batch", {
    run_id: runId,
    params: [pair("depth", "12"), pair("layers", "wide ".repeat(100))],
    tags: [pair("team", "vision"), pair("mlflow.parentRunId", runId)],
  });
  const dataset = { name: "iris", digest: "ab12", source_type: "local", source: "{}" };
  const tags = [pair("mlflow.data.context", "training")];
  await caller.post("runs/log-inputs", { run_id: runId, datasets: [{ dataset, tags }] });
  const models = [{ model_id: await caller.model("0", { name: "classifier" }), step: 7 }];
  await caller.post("runs/outputs", { run_id: runId, models });
  await new RunFiles(caller, runId).put("notes/read.me", "as it is");
}

/** A view and a report that everybody sees; gives the report. */
async function save(person: LosslessClient, experimentId: string): Promise<string> {
  const scope = "shared";
  await person.savedViews.create({ name: "Saved", scope, address: "/experiments?q=running" });
  const markdown =
    "## Why\n\n- [x] *done*\n\n> said\n\n|a|b|\n|-|-:|\n|1|[2](/go)|\n\n```\ncode\n```\n";
  const drawn = { title: "", view: "" };
  const blocks: ReportBlock[] = [
    { kind: "text", markdown },
    { kind: "chart", query: "", seriesName: "loss", ...drawn },
    { kind: "chart", experimentIds: [experimentId], seriesName: "train/loss", ...drawn },
    { kind: "table", query: "", columns: "status", sort: "slug", limit: 1 },
  ];
  return (await person.reports.create({ name: "A report", scope, blocks })).id;
}

async function pushArtifacts(client: LosslessClient): Promise<void> {
  const meta = { experiment: "running-one", step: 100, val: { loss: 3.2 } };
  const files = {
    "config.json": '{"lr": 0.1}',
    "scores.csv": "task,accuracy\narc,0.5\n",
    "plot.png": pngOf(48, 32),
    "net/a": "a",
  };
  await pushVersions(client, "runs/model", [
    { name: step(1), files: { "config.json": "{}", old: "old" } },
    { name: step(2), files, meta },
  ]);
  await client.artifacts.writeNote("runs/model", "eval.json", "{}");
  await client.artifacts.setAlias("runs/model", "best", step(2));
  for (const version of [step(1), step(2)])
    await client.models.link("segmenter", { artifact: "runs/model", version, description: "d" });
  const { experimentId } = await client.experiment({ experimentSlug: "running-one" });
  await client.lineage.recordUse({ experimentId, artifact: "runs/model", version: step(1) });
  await client.models.setAlias("segmenter", "production", 2);
  await client.models.describe("segmenter", "Finds cells.");
  const place = { cloud: "here", region: "there", source: "node" };
  const { epoch } = await client.artifacts.open("runs/model", { mode: "latest", place });
  const body = { epoch, place, files: [{ name: "a", size: 1 }], meta: {} };
  await client.artifacts.begin("runs/model", step(3), body);
}

/** The address of every page, with words that are there once it is whole. */
export function wholePages({ running, failed, report }: Filled): Record<string, RegExp> {
  const both = `/compare?e=${running},${failed}`;
  const artifact = "/artifact?name=runs%2Fmodel";
  const drawn = /train\/loss/;
  return {
    [`/experiments/${running}?tab=charts`]: drawn,
    [`/experiments/${running}`]: /^step \d/,
    [`/experiments/${running}?tab=console&line=400&find=line`]: /400 lines/,
    [`/experiments/${running}?tab=console&side=1&times=since`]: /rank 1/,
    [`/experiments/${running}?tab=meta`]: /adamw/,
    [`/experiments/${running}?tab=artifacts`]: /runs\/model/,
    [`/experiments/${running}?tab=annotations`]: /warm/,
    [`/experiments/${failed}?tab=charts`]: /out of memory/,
    "/experiments": /running-one/,
    [both]: drawn,
    [`${both}&plot=scatter&axes=points,status`]: drawn,
    "/compare": /Nothing to compare/,
    "/artifacts": /runs/,
    [`${artifact}&file=config.json`]: /"lr"/,
    [`${artifact}&with=000000000001`]: /Compared with/,
    "/lineage?artifact=runs%2Fmodel&version=000000000001": /Used for, 1 step after/,
    "/models": /segmenter/,
    "/model?name=segmenter": /History of aliases/,
    "/reports": /A report/,
    [`/reports/${report}`]: drawn,
    [`/reports/${report}?edit=1`]: drawn,
    "/organization/people": /Invite/,
    "/organization/keys": /Create a key/,
    "/organization/tokens": /Create a token/,
    "/organization/guests": /Members may make guest links/,
    "/organization/sign-on": /Issuer/,
    "/organization/locations": /built-in/i,
    "/organization/locations?add=s3": /Bucket/,
    "/organization/connections": /Connections/,
    "/organization/connections?connect=new": /Google Cloud/,
    "/organization/usage": /Usage/,
    "/organization/audit": /Audit/,
    "/organization/trash": /Restore/,
    "/organization/rules": /Set the rule/,
    "/account": /this session/,
  };
}
