import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Json, JsonObject } from "../http.ts";
import { organizations, Service } from "../service.ts";
import { type Exchange, Relay } from "./relay.ts";

/** Recorded requests, one a line, which `test/contract/mlflow/exchanges.test.ts` repeats. */
const directory = join(import.meta.dirname, "../contract/mlflow/exchanges");

/** Longer contents of files are kept as their size. */
const textMax = 300;

/**
 * Has real clients work through `recorded_script.py`, and writes down what they asked and what they
 * were answered, without what differs from one time to another: ids, tokens of pages, times.
 */
export async function recordExchanges(pythons: { python: string; older: string }): Promise<void> {
  mkdirSync(directory, { recursive: true });
  await using service = await Service.start();
  const recordings = [
    ["tracking", pythons.python],
    ["files", pythons.python],
    ["models", pythons.python],
    ["older", pythons.older],
  ];
  for (const [name, python] of recordings) {
    const exchanges: Exchange[] = [];
    {
      await using relay = await Relay.recording(service.baseUrl, (one) => exchanges.push(one));
      await work(python, name, relay.baseUrl);
    }
    const lines = written(exchanges);
    writeFileSync(join(directory, `${name}.ndjson`), `${lines.join("\n")}\n`);
    console.log(`${name}: ${lines.length} requests`);
  }
}

async function work(python: string, name: string, baseUrl: string): Promise<void> {
  // Clients send the name of the script as a tag, and what git says of its folder.
  const folder = mkdtempSync(join(tmpdir(), "lossless-mlflow-"));
  const script = "recorded_script.py";
  copyFileSync(join(import.meta.dirname, script), join(folder, script));
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: "1",
    LOGNAME: "ada",
    USER: "ada",
    MLFLOW_TRACKING_URI: baseUrl,
    MLFLOW_TRACKING_TOKEN: organizations.acme.key,
    MLFLOW_HTTP_REQUEST_MAX_RETRIES: "0",
  };
  try {
    await promisify(execFile)(python, [script, name], { cwd: folder, env });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function written(exchanges: readonly Exchange[]): string[] {
  const names = new Names();
  for (const exchange of exchanges)
    if (isMessage(exchange)) names.learn(JSON.parse(exchange.reply.toString()) as Json);
  return exchanges.map((exchange) => {
    const { method, path, headers, status } = exchange;
    const type = isFile(path) ? headers["content-type"] : undefined;
    const encoding = headers["transfer-encoding"];
    return JSON.stringify({
      method,
      path: names.given(path),
      ...(type === undefined ? {} : { type }),
      ...(encoding === undefined ? {} : { encoding }),
      ...contentOf("body", exchange.body, !isFile(path), names),
      status,
      ...contentOf("reply", exchange.reply, isMessage(exchange), names),
    });
  });
}

/** Bytes are sent to and come from the addresses of files, whatever their type says. */
const isFile = (path: string) => path.includes("/mlflow-artifacts/artifacts/");

function isMessage({ method, path, status, replyHeaders }: Exchange): boolean {
  if (method === "GET" && isFile(path) && status < 300) return false;
  return replyHeaders["content-type"]?.startsWith("application/json") ?? false;
}

/** A message, a short text, or how many bytes there were. */
function contentOf(
  word: "body" | "reply",
  content: Buffer,
  isJson: boolean,
  names: Names,
): JsonObject {
  if (content.length === 0) return {};
  const text = content.toString("utf8");
  if (isJson) return { [word]: timeless(JSON.parse(names.given(text)) as Json) };
  const isShort = content.length <= textMax && Buffer.from(text).equals(content);
  return isShort ? { [`${word}Text`]: names.given(text) } : { [`${word}Bytes`]: content.length };
}

/** Times from September 2020 to May 2033, in milliseconds, are `{time}`. */
function timeless(value: Json): Json {
  if (typeof value === "number") return /^1[6-9]\d{11}$/.test(`${value}`) ? "{time}" : value;
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, timeless(own)]));
}

/** Names that the service has chosen, by the order in which clients learnt them. */
class Names {
  readonly #named = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  learn(value: Json): void {
    if (typeof value !== "object" || value === null) return;
    for (const [key, own] of Object.entries(value)) {
      const kind = kinds.get(key);
      const isNew = typeof own === "string" && own !== "0" && !this.#named.has(own);
      if (kind !== undefined && isNew) {
        const count = (this.#counts.get(kind) ?? 0) + 1;
        this.#counts.set(kind, count);
        this.#named.set(own, `{${kind}${count}}`);
      }
      this.learn(own);
    }
  }

  /** The text with these names. */
  given(text: string): string {
    let result = text;
    for (const [own, name] of this.#named) result = result.replaceAll(own, name);
    return result;
  }
}

const kinds = new Map([
  ["experiment_id", "experiment"],
  ["run_id", "run"],
  ["model_id", "model"],
  ["next_page_token", "token"],
]);
