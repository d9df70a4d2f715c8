import { randomUUID } from "node:crypto";
import { ArtifactCaller } from "../contract/artifact-caller.ts";
import { event, targetOf } from "../contract/callers.ts";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { userOf, groupOf } from "../contract/every-operation/of-acme.ts";
import { call, type JsonObject, parseObject } from "../http.ts";
import type { Acme } from "./acme.ts";
import type { Scene } from "./scene.ts";

type Fill = (scene: Scene, acme: Acme) => Promise<void>;

/**
 * Fills an organization with many rows that one kind of read passes over. Fills can be combined.
 */
export const fills = {
  async audited(scene, { owner }) {
    await times(scene.amount(40, 3_000), async () => {
      const made = await ask(scene, "POST", "/api/v1/api-keys", owner, { name: name() });
      await ask(scene, "DELETE", `/api/v1/api-keys?id=${idIn(made)}`, owner);
    });
  },

  async artifacts(scene) {
    const artifacts = new ArtifactCaller(targetOf(scene.service), scene.key);
    await times(scene.amount(60, 3_000), async () => {
      await artifacts.open(`${"a".repeat(200)}/${"ab/".repeat(30)}${randomUUID()}`);
    });
    const { things } = await scene.acme();
    const many = `${things.word}/many`;
    const latest = await artifacts.request("versions/read", { artifact: many, version: "latest" });
    const before = latest.status === 200 ? Number(parseObject(latest.text)["version"]) : 0;
    const { epoch } = await artifacts.open(many, before === 0 ? "new" : "latest");
    const files = { "model.bin": Buffer.from("x") };
    for (let at = 0; at < scene.amount(10, 300); at++) {
      const version = String(before + at + 1).padStart(12, "0");
      await artifacts.write(many, version, epoch, files);
    }
  },

  async kept(scene, { owner, things }) {
    const count = scene.amount(20, 90);
    const blocks = [1, 2, 3].map(() => ({ kind: "text", markdown: "x".repeat(30_000) }));
    const address = `/experiments?q=${"x".repeat(8_000)}`;
    await times(count, async () => {
      const saved = { name: name(), scope: "own" };
      await ask(scene, "POST", "/api/views/v1/saved", owner, { ...saved, address });
      await ask(scene, "POST", "/api/views/v1/reports", owner, { ...saved, blocks });
      await ask(scene, "POST", "/api/v1/api-keys", owner, { name: name() });
      await ask(scene, "POST", "/api/v1/invitations", owner, {
        email: `${name()}@acme.test`,
        role: "member",
      });
    });
    const layout = { pinned: Array.from({ length: 200 }, () => "x".repeat(100)) };
    const path = `/api/views/v1/workspace/versions?id=${things.workspace}`;
    const [newest] = (await ask(scene, "GET", path, owner)).versions as JsonObject[];
    for (let revision = Number(newest.revision); revision < count; revision++) {
      const body = { scope: "shared", folderId: things.folder, revision, layout };
      await ask(scene, "PUT", "/api/views/v1/workspace", owner, body);
    }
  },

  async trashed(scene, { owner }) {
    await fills.experiments(scene);
    for (let at = 0; at < scene.amount(2, 40); at++) {
      const ids = await opened(scene, 50, {});
      await ask(scene, "POST", "/api/trash/v1/experiments", owner, { experimentIds: ids });
    }
  },

  async provided(scene, { scim }) {
    const members: JsonObject[] = [];
    await times(scene.amount(40, 1_000), async () => {
      members.push({
        value: idIn(await ask(scene, "POST", "/scim/v2/Users", scim, userOf(name()))),
      });
    });
    await ask(scene, "POST", "/scim/v2/Groups", scim, { ...groupOf(name()), members });
  },

  async experiments(scene) {
    const wide = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`key${at}`, `${at} ${randomUUID()}`]),
    );
    for (let at = 0; at < scene.amount(2, 40); at++) await opened(scene, 50, { wide });
  },

  async points(scene) {
    await scene.recorded(scene.amount(20_000, 250_000), [1, 0]);
  },

  async annotations(scene, { things }) {
    const count = scene.amount(50, 2_000);
    for (let sent = 0; sent < count; sent += 50) {
      const events = Array.from({ length: 50 }, () =>
        event("experiment.annotate", {
          experimentId: things.experiment,
          annotation: "x".repeat(1_000),
          meta: {},
        }),
      );
      await scene.send(things.experiment, things.experimentToken, events);
    }
  },

  async logged(scene, { things }) {
    const edges = Array.from({ length: 65 }, (_, at) => at / 3);
    const histogram = { bins: edges, values: edges.slice(1) };
    const { experiment: experimentId, experimentToken } = things;
    for (let step = 0; step < scene.amount(50, 3_000); step++) {
      const media = (kind: string, name: string) => {
        const file = { path: name, bytes: 1, artifact: "x", version: "1" };
        return { kind: "media", _media: { kind, name, step, histogram, ...file } };
      };
      const metas = [
        ...[0, 1, 2].map((at) => media("image", `filled ${at}`)),
        media("histogram", "filled"),
        { kind: "text", metricName: "filled", step },
        media("table", name()),
      ];
      const events = metas.map((meta) => {
        const annotation = `${step} ${"x".repeat(500)}`;
        return event("experiment.annotate", { experimentId, annotation, meta });
      });
      await scene.send(experimentId, experimentToken, events);
    }
  },

  async console(scene, { things: { experiment, experimentToken } }) {
    const path = `/api/console/v1/experiments/${experiment}/lines`;
    const lines = Array.from({ length: 5_000 }, (_, at) => {
      return { timestampMs: at, stream: "stdout", text: `${at} ${"x".repeat(100)}` };
    });
    for (let at = 0; at < scene.amount(2, 100); at++) {
      const source = { id: name() };
      await ask(scene, "POST", path, experimentToken, { source, first: 0, lines });
    }
  },

  async attempts(scene, { things: { experiment, experimentToken } }) {
    const path = `/api/attempts/v1/experiments/${experiment}/report`;
    const variables = Array.from({ length: 32 }, (_, at) => ({
      name: `V${at}`,
      value: "x".repeat(500),
    }));
    let at = 0;
    await times(scene.amount(50, 2_000), async () => {
      at++;
      const process = { id: name(), rank: at, variables };
      const body = { attempt: `a${at % 20}`, process, beganAgoMs: at, beatAgoMs: 0 };
      await ask(scene, "POST", path, experimentToken, body);
    });
  },

  async runs(scene, { things }) {
    const mlflow = mlflowOf(scene);
    await times(scene.amount(30, 1_000), async () => {
      const run = await mlflow.run(things.mlflowExperiment, { run_name: name() });
      await mlflow.post("runs/log-batch", {
        run_id: run,
        metrics: [{ key: "wide", value: Math.random(), timestamp: 1, step: 1 }],
        params: pairs("a".repeat(5_000)),
        tags: pairs("b".repeat(5_000)),
      });
    });
    for (let from = 0; from < scene.amount(5_000, 100_000); from += 1_000) {
      const metrics = Array.from({ length: 1_000 }, (_, at) => {
        return { key: things.word, value: Math.random(), timestamp: from + at, step: from + at };
      });
      await mlflow.post("runs/log-batch", { run_id: things.run, metrics });
    }
  },

  async models(scene, { things }) {
    const params = [{ key: "wide", value: "a".repeat(400) }];
    const mlflow = mlflowOf(scene);
    await times(scene.amount(40, 2_000), async () => {
      await mlflow.model(things.mlflowExperiment, { name: name(), params });
    });
  },

  async files(scene, { things: { mlflowExperiment, run } }) {
    const files = new RunFiles(mlflowOf(scene), run, `${mlflowExperiment}/${run}/artifacts`);
    await times(scene.amount(20, 1_000), async () => {
      await files.put(`folder-${name()}/${name()}`, "x");
    });
  },
} satisfies Record<string, Fill>;

const name = (): string => `filled-${randomUUID()}`;

function pairs(value: string): JsonObject[] {
  return Array.from({ length: 10 }, (_, at) => ({ key: `wide${at}`, value }));
}

function mlflowOf(scene: Scene): MlflowCaller {
  return new MlflowCaller(targetOf(scene.service), scene.key);
}

/** Some at once. */
async function times(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

async function opened(scene: Scene, count: number, meta: JsonObject): Promise<string[]> {
  const opens = Array.from({ length: count }, (_, at) =>
    event("experiment.open", { slug: `wide-${at}-${randomUUID()}`, description: "", meta }),
  );
  const { status, text } = await scene.post("/api/v2/events", opens);
  if (status !== 200) throw new Error(`nothing was filled: ${status} ${text.slice(0, 300)}`);
  const replies = JSON.parse(text) as { data: { experimentId: string } }[];
  return replies.map(({ data }) => data.experimentId);
}

async function ask(
  { service: { baseUrl } }: Scene,
  method: string,
  path: string,
  credential: string,
  body?: unknown,
): Promise<JsonObject> {
  const { status, text } = await call(baseUrl, { method, path, credential, body });
  if (status >= 300) throw new Error(`nothing was filled: ${path} ${status} ${text.slice(0, 300)}`);
  return text === "" ? {} : parseObject(text);
}

function idIn(made: JsonObject): string {
  const wrapped = Object.values(made) as (JsonObject | null)[];
  return String(made.id ?? wrapped.find((value) => typeof value?.id === "string")?.id);
}
