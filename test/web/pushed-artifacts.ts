import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { LosslessClient } from "@lossless/client";
import { openArtifact, type PreparedFile } from "@lossless/client/files";
import { organizations, type Service } from "../service.ts";
import { pngFile } from "./png-file.ts";

export type Contents = Record<string, string | Buffer>;

export function clientOf({ baseUrl }: Service): LosslessClient {
  return new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
}

/** Pushes versions as our client does, each name with its files. */
export async function pushVersions(
  client: LosslessClient,
  artifact: string,
  versions: readonly { name: string; files: Contents; meta?: Record<string, unknown> }[],
): Promise<void> {
  const writer = await openArtifact(client, artifact, {
    place: { cloud: "aws", region: "eu-central-1", source: "gpu-node-7" },
  });
  for (const { name, files, meta = {} } of versions) {
    const prepared = Object.entries(files).map(([file, content]) => fileOf(file, content));
    await writer.write(name, prepared, { meta });
  }
}

function fileOf(name: string, given: string | Buffer): PreparedFile {
  const bytes = Buffer.from(given);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    name,
    size: bytes.length,
    sha256,
    crc32: crc32(bytes),
    content: { kind: "bytes", bytes },
  };
}

/** A picture of stripes, as programs write it. */
export function pngOf(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows.set(
        [(x * 5) & 255, (y * 7) & 255, x % 32 < 16 ? 200 : 40],
        y * (1 + width * 3) + 1 + x * 3,
      );
  return pngFile({ width, height, kind: 2, rows });
}

export const step = (number: number) => String(number).padStart(12, "0");

/** As an organization has them after some months: many artifacts, versions and files. */
export async function pushMany(client: LosslessClient, files = 2_000): Promise<void> {
  const slug = "nanogpt/muon-12";
  const run = await client.record({ slug, meta: { optimizer: "muon", lr: 0.0036 } });
  for (let at = 0; at < 6_000; at += 10) run.record("val/loss", 3 + 4 / (1 + at / 200), at);
  await run.flush();
  const weights = randomBytes(40_000);
  const plot = pngOf(480, 320);
  const checkpoint = (at: number, more: Contents = {}) => ({
    name: step(at),
    meta: {
      experiment: slug,
      step: at,
      val: { loss: 3.28 + 1 / at, perplexity: 26.6 },
      optimizer: { name: "muon", betas: [0.9, 0.95] },
    },
    files: {
      "model.safetensors": weights,
      "config.json": JSON.stringify({ d_model: 768, heads: 12, rope: { base: 10000.0 }, step: at }),
      "eval/scores.csv": `task,accuracy\nhellaswag,0.${at}\narc,0.31\n`,
      "eval/plot.png": plot,
      "README.md": "# nanogpt d12\n\nA checkpoint.\n",
      ...more,
    },
  });
  const steps = Array.from({ length: 120 }, (_, at) => 50 * (at + 1));
  await pushVersions(
    client,
    "nanogpt/muon-12/checkpoints",
    steps.map((at) => checkpoint(at, at === 6_000 ? { "optimizer.pt": weights } : {})),
  );
  const shards = Object.fromEntries(
    Array.from({ length: files }, (_, at) => [
      `shards/part-${Math.floor(at / 100)}/tokens-${at}.bin`,
      at % 200 === 0 ? `tokens ${at}` : "",
    ]),
  );
  await pushVersions(client, "datasets/fineweb-10B", [
    { name: "v1", files: { ...shards, "README.md": "Tokens." }, meta: { tokens: 10_000_000_000 } },
  ]);
  for (const team of ["nanogpt", "vision"])
    for (let at = 0; at < 14; at++)
      await pushVersions(client, `${team}/sweep-${at}/model`, [
        checkpoint(100 + at),
        checkpoint(900 + at),
      ]);
  await pushVersions(client, "tokenizer", [checkpoint(1)]);
  await client.artifacts.writeNote("nanogpt/muon-12/checkpoints", "eval.json", '{"loss": 3.28}');
  const place = { cloud: "aws", region: "eu-central-1", source: "gpu-node-9" };
  const { epoch } = await client.artifacts.open("nanogpt/muon-12/checkpoints", {
    mode: "latest",
    place,
  });
  await client.artifacts.begin("nanogpt/muon-12/checkpoints", step(6_050), {
    epoch,
    place,
    files: [{ name: "model.safetensors", size: 1_240_000_000 }],
    meta: { experiment: slug, step: 6_050 },
  });
  await run.finish();
}
