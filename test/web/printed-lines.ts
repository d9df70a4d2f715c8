import assert from "node:assert/strict";
import type { LosslessClient } from "@lossless/client";
import type { AppendConsoleBody } from "@lossless/protocol";
import type { HttpReply, HttpRequest } from "../http.ts";

/** Sends a request to the service. */
type Ask = (request: HttpRequest) => Promise<HttpReply>;
type Line = AppendConsoleBody["lines"][number];

/** A process of an experiment that prints into its console. */
export class Printer {
  readonly experimentId: string;
  readonly #ask: Ask;
  readonly #token: string;
  readonly #source: AppendConsoleBody["source"];
  #printed = 0;

  constructor(
    ask: Ask,
    { experimentId, experimentToken }: { experimentId: string; experimentToken: string },
    source: AppendConsoleBody["source"] = { id: "p0" },
  ) {
    this.#ask = ask;
    this.experimentId = experimentId;
    this.#token = experimentToken;
    this.#source = source;
  }

  static async open(client: LosslessClient, ask: Ask, slug: string): Promise<Printer> {
    return new Printer(ask, await client.openExperiment({ slug, description: "" }));
  }

  /** Another process of the same experiment. */
  beside(source: AppendConsoleBody["source"]): Printer {
    const { experimentId } = this;
    return new Printer(this.#ask, { experimentId, experimentToken: this.#token }, source);
  }

  /** Prints lines, a second apart from each other unless they have times. */
  async print(lines: readonly (string | Partial<Line>)[], open?: string): Promise<void> {
    const first = this.#printed;
    const body: AppendConsoleBody = {
      source: this.#source,
      first,
      lines: lines.map((line, at) => ({
        timestampMs: beganMs + 1_000 * (first + at),
        stream: "stdout",
        text: "",
        ...(typeof line === "string" ? { text: line } : line),
      })),
      ...(open !== undefined && { open: [{ stream: "stderr" as const, text: open }] }),
    };
    const path = `/api/console/v1/experiments/${this.experimentId}/lines`;
    const reply = await this.#ask({ path, credential: this.#token, body });
    assert.equal(reply.status, 200, reply.text);
    this.#printed += lines.length;
  }
}

/** When the first line was printed. */
export const beganMs = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Lines `line 7` and so on. */
export function numbered(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `line ${first + at}`);
}
