/** Programs that record a first curve, complete: they run when pasted into a terminal or a file. */
export interface Program {
  name: "Python" | "curl" | "TypeScript" | "Command line";
  /** Advice on running it, where that is not obvious. */
  hint: string;
  text: string;
}

/** Programs for each client. A run takes half a minute, so that people see the curve grow. */
export function firstPrograms(url: string, key: string): readonly Program[] {
  return [
    {
      name: "Python",
      hint: `To install the package, run ${installText(url)}`,
      text: pythonText(url, key),
    },
    { name: "curl", hint: "Paste it into any shell.", text: curlText(url, key) },
    {
      name: "TypeScript",
      hint: "Save it as first.ts in a clone of Lossless, run npm ci once, then npx node first.ts.",
      text: typescriptText(url, key),
    },
  ];
}

/** The service gives pip the client of its own version. */
export function installText(url: string): string {
  return `pip install ${url}/assets/${document.documentElement.dataset["wheel"] ?? ""}`;
}

function pythonText(url: string, key: string): string {
  return `import os, random, time
os.environ["LOSSLESS_URL"] = "${url}"
os.environ["LOSSLESS_API_KEY"] = "${key}"

import lossless

run = lossless.init("first-project", config={"lr": 0.05})
for step in range(600):
    run.log({"train/loss": 3 / (1 + 0.02 * step) + random.random() / 10}, step=step)
    time.sleep(0.05)
run.finish()`;
}

function curlText(url: string, key: string): string {
  return `URL=${url}
KEY=${key}
events() { curl -sS "$URL$1" -H "Authorization: Bearer $2" -H "Content-Type: application/json" -d "$3"; }
value() { printf %s "$opened" | sed -n 's/.*"'$1'":"\\([^"]*\\)".*/\\1/p'; }

opened=$(events /api/v2/events $KEY '{"messageId": "open-1", "event": "svc.v2.experiment.open",
  "data": {"slug": "first-curl", "description": "", "meta": {}}}')
ID=$(value experimentId)
TOKEN=$(value experimentToken)
for step in $(seq 0 59); do
  events /api/v2/experiments/$ID/events $TOKEN '{"messageId": "point-'$step'",
    "event": "svc.v2.experiment.metric", "data": {"experimentId": "'$ID'", "step": '$step',
    "timestampMs": '$(date +%s)'000, "metricName": "loss", "metricValue": '$((6000 / (step + 10)))',
    "meta": {}}}'; echo
  sleep 0.5
done`;
}

function typescriptText(url: string, key: string): string {
  return `import { LosslessClient } from "@lossless/client";
import { setTimeout } from "node:timers/promises";

const client = new LosslessClient({ baseUrl: "${url}", apiKey: "${key}" });
const recorder = await client.record({ slug: "first-typescript", meta: { lr: 0.05 } });
for (let step = 0; step < 600; step++) {
  recorder.record("train/loss", 3 / (1 + 0.02 * step) + Math.random() / 10, step);
  await setTimeout(50);
}
console.log(await recorder.finish());`;
}
