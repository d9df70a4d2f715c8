import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

interface Answer {
  id?: number;
  method?: string;
  params?: { level: string; text: string | null };
  result?: unknown;
  error?: string;
  message?: string;
}

/** No page is so slow that a test should fail for it. */
const patienceMs = 120_000;

/**
 * The Firefox of this machine, or the one that LOSSLESS_TEST_FIREFOX names, with one page. It is
 * asked by WebDriver BiDi as it is: playwright wants a newer one than Linux distributions have.
 */
export class Firefox {
  /** Errors of scripts, and what the policy of the page refused. */
  readonly problems: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;
  #context = "";

  static async start(): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), "lossless-firefox-"));
    const program = process.env.LOSSLESS_TEST_FIREFOX ?? "firefox-esr";
    const flags = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"];
    const child = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"] });
    await once(child, "spawn").catch((error: Error) => {
      const what = "apt install firefox-esr, or LOSSLESS_TEST_FIREFOX names one";
      throw new Error(`${what}: ${error.message}`);
    });
    const socket = new WebSocket(`${await addressOf(child)}/session`);
    await once(socket, "open");
    const firefox = new Firefox(child, profile, socket);
    await firefox.#ask("session.new", { capabilities: {} });
    await firefox.#ask("session.subscribe", { events: ["log.entryAdded"] });
    const { contexts } = (await firefox.#ask("browsingContext.getTree", {})) as {
      contexts: { context: string }[];
    };
    firefox.#context = contexts[0].context;
    return firefox;
  }

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) =>
      this.#take(JSON.parse(String(data)) as Answer),
    );
  }

  async goto(url: string): Promise<void> {
    await this.#ask("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  async size(width: number, height: number): Promise<void> {
    const viewport = { width, height };
    await this.#ask("browsingContext.setViewport", { context: this.#context, viewport });
  }

  /** The value of a program's last expression: a number, a text, true or false, or nothing. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const target = { context: this.#context };
    const asked = { expression, target, awaitPromise: true };
    const answer = (await this.#ask("script.evaluate", asked)) as {
      type: string;
      result: { value?: Value };
      exceptionDetails?: { text: string };
    };
    if (answer.type !== "success") throw new Error(answer.exceptionDetails?.text);
    return answer.result.value as Value;
  }

  /** Until the expression is true, on whatever page is there by then. */
  async until(expression: string): Promise<void> {
    const endMs = performance.now() + patienceMs;
    while (!(await this.evaluate<boolean>(`!!(${expression})`).catch(() => false))) {
      if (performance.now() > endMs) throw new Error(`It never was: ${expression}`);
      await sleep(100);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    if (this.#process.exitCode === null) {
      this.#process.kill();
      await once(this.#process, "exit");
    }
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#asked;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  #take({ id, method, params, result, error, message }: Answer): void {
    if (method === "log.entryAdded" && params?.level === "error")
      this.problems.push(params.text ?? "");
    if (id === undefined) return;
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(`${error}: ${message}`));
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  child.once("error", (error) => {
    throw new Error("Install firefox-esr, or name a Firefox in LOSSLESS_TEST_FIREFOX.", {
      cause: error,
    });
  });
  for await (const line of createInterface({ input: child.stderr! })) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("Firefox ended before it listened.");
}
