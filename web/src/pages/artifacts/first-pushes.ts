import { installText, type Program } from "../first-programs.ts";

/** Programs that push a first version, complete: they run when pasted into a terminal or a file. */
export function firstPushes(url: string, key: string): readonly Program[] {
  return [
    {
      name: "Command line",
      hint: "In a clone of Lossless, run npm ci once and type npx lossless instead of lossless.",
      text: `export LOSSLESS_URL=${url}
export LOSSLESS_API_KEY=${key}
mkdir -p checkpoint && echo weights > checkpoint/model.bin
lossless push checkpoint/ first-project/checkpoints --meta step=1000`,
    },
    {
      name: "Python",
      hint: `To install the package, run ${installText(url)}`,
      text: `import os
os.environ["LOSSLESS_URL"] = "${url}"
os.environ["LOSSLESS_API_KEY"] = "${key}"

import lossless

os.makedirs("checkpoint", exist_ok=True)
with open("checkpoint/model.bin", "wb") as file:
    file.write(b"weights")
lossless.save_artifact("checkpoint", "first-project/checkpoints", step=1000)`,
    },
    {
      name: "TypeScript",
      hint: "Save it as push.ts in a clone of Lossless, run npm ci once, then npx node push.ts.",
      text: `import { mkdir, writeFile } from "node:fs/promises";
import { LosslessClient } from "@lossless/client";
import { filesIn, openArtifact } from "@lossless/client/files";

const client = new LosslessClient({ baseUrl: "${url}", apiKey: "${key}" });
await mkdir("checkpoint", { recursive: true });
await writeFile("checkpoint/model.bin", "weights");
const { files } = await filesIn("checkpoint");
const writer = await openArtifact(client, "first-project/checkpoints");
console.log(await writer.write("000000001000", files, { meta: { step: 1000 } }));`,
    },
  ];
}
