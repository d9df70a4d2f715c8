import { useState } from "preact/hooks";
import type { Service } from "../signed-in.ts";

/** What an organization without experiments sees: how the first one gets here. */
export function FirstPoint({ service }: { service: Service }) {
  const [key, setKey] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const make = async () => {
    try {
      setKey((await service.client.organization.createApiKey("first recording")).secret);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const shown = key ?? "ak_…";
  return (
    <main class="first">
      <h1>Record a first experiment</h1>
      <p>
        Nothing is recorded here yet. With an API key a script records from any machine that reaches
        this address; this page turns into the table when its first experiment comes.
      </p>
      {key === undefined ? (
        <p>
          <button type="button" class="strong" onClick={() => void make()}>
            Make an API key
          </button>{" "}
          {problem !== undefined && <span role="alert">{problem}</span>}
        </p>
      ) : (
        <p>
          The key is in the commands below. It is shown only now; keep it where you keep secrets.
        </p>
      )}
      <h2>Python</h2>
      <pre tabIndex={0}>{pythonText(shown)}</pre>
      <h2>curl</h2>
      <pre tabIndex={0}>{curlText(shown)}</pre>
    </main>
  );
}

function pythonText(key: string): string {
  return `# pip install ./python, in a clone of Lossless
import os, random
os.environ["LOSSLESS_URL"] = "${window.location.origin}"
os.environ["LOSSLESS_API_KEY"] = "${key}"

import lossless

run = lossless.init("first-project", config={"lr": 0.05})
for step in range(3000):
    run.log({"train/loss": 3 / (1 + 0.01 * step) + random.random() / 10}, step=step)
run.finish()`;
}

function curlText(key: string): string {
  return `curl -sS ${window.location.origin}/api/v2/events -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" -d '{"messageId": "open-1",
  "event": "svc.v2.experiment.open", "data": {"slug": "first-curl", "description": "", "meta": {}}}'`;
}
