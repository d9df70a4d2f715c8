import { reviveError } from "./carried-error.ts";
import type { FromBackground, ToBackground } from "./messages.ts";
import type { Outcome, Write } from "./storage.ts";

/** Writes that the background thread asks the writer thread for, through the main thread. */
export class WriterCalls {
  private readonly tell: (message: FromBackground) => void;
  private readonly waiting = new Map<number, PromiseWithResolvers<Outcome>>();
  private nextId = 1;

  constructor(tell: (message: FromBackground) => void) {
    this.tell = tell;
  }

  /** Rejects when the write failed, or when it is not known whether it did. */
  async write(name: string, input: unknown): Promise<never> {
    const answer = Promise.withResolvers<Outcome>();
    const id = this.nextId++;
    this.waiting.set(id, answer);
    this.tell({ type: "write", id, write: { kind: "call", name, input } as Write });
    const outcome = await answer.promise;
    if (outcome.kind === "value") return outcome.value as never;
    const { kind } = outcome;
    throw new Error(kind === "error" ? outcome.message : `BUG: outcome of ${name} is ${kind}`);
  }

  answer({ id, outcome }: ToBackground & { type: "written" }): void {
    const answer = this.waiting.get(id);
    this.waiting.delete(id);
    if (outcome.kind === "failed") answer?.reject(reviveError(outcome.error));
    else answer?.resolve(outcome);
  }

  /** What waits will not be answered any more: the main thread has stopped taking writes. */
  stop(): void {
    for (const { reject } of this.waiting.values()) reject(new Error("The service is stopping."));
    this.waiting.clear();
  }
}
