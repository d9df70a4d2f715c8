import assert from "node:assert/strict";
import type { LosslessClient } from "@lossless/client";
import { call, type JsonObject, parseObject } from "../http.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import type { Pages } from "./pages-suite.ts";
import { pushVersions, step } from "./pushed-artifacts.ts";

/**
 * Gives everything that has a name, or a text, each of these as one, as far as the service takes
 * it; what it refuses it refuses in words. Gives the pages of single things that have them.
 */
export async function nameEverything(
  pages: Pages,
  texts: readonly string[],
): Promise<Record<string, RegExp>> {
  const { client, mlflow } = pages;
  const ask = await askAsOwner(pages);
  const taken = new Map<string, number>();
  const made: Record<string, RegExp> = {};
  for (const text of texts) {
    const short = Array.from(text).slice(0, 40).join("");
    const tag = { key: "t", value: text };
    const ways: Record<string, () => Promise<unknown>> = {
      key: () => ask("POST", "/api/v1/api-keys", { name: short }),
      token: () => ask("POST", "/api/sign-on/v1/tokens", { name: short, scope: "read", days: 1 }),
      invitation: () =>
        ask("POST", "/api/v1/invitations", { email: `${short}@acme.test`, role: "member" }),
      connection: () => ask("POST", "/api/v1/connections", { cloud: "aws", name: short }),
      rule: () => ask("POST", "/api/trash/v1/rules", { name: short, rule: ruleOf(text) }),
      view: () =>
        ask("POST", "/api/views/v1/saved", {
          name: short,
          scope: "shared",
          address: "/experiments",
        }),
      report: async () => {
        const blocks = blocksOf(short);
        const body = { name: short, scope: "shared", blocks };
        const { id } = await ask("POST", "/api/views/v1/reports", body);
        made[`/reports/${String(id)}`] = /not sampled/;
      },
      folder: () => client.folders.create(`${short}-2`),
      trashed: () => moveToTrash(client, `${short}-2`),
      artifact: async () => {
        await pushVersions(client, `named/${short}`, [
          {
            name: step(1),
            files: {
              "a.md": text,
              "b.csv": `${text},${text}\n1,2\n`,
              "c.json": JSON.stringify({ [text]: text }),
            },
            meta: { [text]: text },
          },
        ]);
        const name = encodeURIComponent(`named/${short}`);
        for (const file of ["a.md", "b.csv", "c.json"])
          made[`/artifact?name=${name}&file=${file}`] = /a\.md/;
      },
      file: () =>
        pushVersions(client, "named", [
          { name: step(texts.indexOf(text) + 1), files: { [short]: text } },
        ]),
      note: () => client.artifacts.writeNote("runs/model", `note-${texts.indexOf(text)}.md`, text),
      run: async () => {
        const run = await mlflow.run("0", { run_name: short });
        await mlflow.post("runs/log-batch", {
          run_id: run,
          params: [{ key: "p", value: text }],
          tags: [tag],
        });
        const dataset = { name: short, digest: "d", source_type: "local", source: text };
        await mlflow.post("runs/log-inputs", { run_id: run, datasets: [{ dataset, tags: [] }] });
        await new RunFiles(mlflow, run).put("read.md", text);
        made[`/experiments/${run}`] = /read\.md|params|charts/i;
      },
      model: () => mlflow.model("0", { name: short }),
    };
    for (const [kind, make] of Object.entries(ways)) {
      taken.set(kind, taken.get(kind) ?? 0);
      try {
        await make();
        taken.set(kind, (taken.get(kind) ?? 0) + 1);
      } catch (error) {
        // Refused, and not broken.
        assert.doesNotMatch(String(error), /internal|INTERNAL_ERROR|\b5\d\d\b/, `${kind}: ${text}`);
      }
    }
  }
  for (const [kind, count] of taken) assert.ok(count > 0, kind);
  return made;
}

type Ask = (method: string, path: string, body: unknown) => Promise<JsonObject>;

/** Requests of an owner. */
async function askAsOwner({ service, people }: Pages): Promise<Ask> {
  const signedIn = await call(service.baseUrl, { path: "/api/v1/sessions", body: people.ada });
  const credential = String(parseObject(signedIn.text).token);
  return async (method, path, body) => {
    const { status, text } = await call(service.baseUrl, { method, path, body, credential });
    if (status >= 300) throw new Error(`${status} ${text}`);
    return parseObject(text);
  };
}

function ruleOf(text: string): JsonObject {
  const query = `slug ~ ${JSON.stringify(text)}`;
  const common = { folderId: null, olderThanDays: 3_650, statuses: ["done"] };
  return { kind: "experiments", ...common, query };
}

function blocksOf(text: string): JsonObject[] {
  const drawn = { title: text, view: "" };
  return [
    { kind: "text", markdown: `# ${text}\n\n${text}\n\n[${text}](${text})\n\n- ${text}` },
    { kind: "chart", query: "", seriesName: "train/loss", ...drawn },
    { kind: "table", query: "", columns: `meta.${JSON.stringify(text)}`, sort: "slug", limit: 3 },
  ];
}

async function moveToTrash(client: LosslessClient, slug: string): Promise<void> {
  const { experimentId } = await client.openExperiment({ slug, description: slug });
  await client.trash.experiments([experimentId]);
}
