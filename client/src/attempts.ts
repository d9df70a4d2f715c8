import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { Attempt, ReadAttemptsReply } from "./wire.ts";

/** Attempts of a run: each start of its processes, whether they live, and how they ended. */
export class Attempts {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Reads the newest attempts, at most `limit`, in the order in which they began. */
  read(
    body: { experimentId: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<ReadAttemptsReply> {
    return this.#calls.json(endpoints.readAttempts, {
      body,
      repeatable: true,
      ...(signal && { signal }),
    });
  }
}

type Standing = Pick<Attempt, "state"> & { exitCode?: number; signal?: number };

/** How an attempt or a process is, in words: `running`, `ended by signal 9 (SIGKILL)`. */
export function attemptText({ state, exitCode, signal }: Standing): string {
  switch (state) {
    case "exited":
      return exitCode === undefined ? "ended by an error" : `ended (exit code ${exitCode})`;
    case "killed":
      return signal === undefined ? "ended by a signal" : `ended by ${signalText(signal)}`;
    case "gone":
      return "ended, how is not known";
    case "running":
    case "silent":
    case "finished":
    case "preempted":
      return state;
  }
}

/** Numbers of Linux; those of other systems differ from 7 and 10 on, but for KILL and TERM. */
const signalNames: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
};

function signalText(signal: number): string {
  const name = signalNames[signal];
  return name === undefined ? `signal ${signal}` : `signal ${signal} (${name})`;
}
