import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutRoot } from "./service.ts";

/** A wall clock that a test moves: that of the services and commands which are started with it. */
export class MovableClock {
  /** Options of a service. */
  readonly service: { nodeFlags: string[]; environment: { LOSSLESS_TEST_CLOCK: string } };
  /** Variables of a command. */
  readonly command: { NODE_OPTIONS: string; LOSSLESS_TEST_CLOCK: string };
  readonly #file: string;

  /** Its file is in the directory. */
  constructor(directory: string, aheadMs = 0) {
    this.#file = join(directory, "clock");
    const nodeFlags = ["--import", join(checkoutRoot, "test/shifted-clock.ts")];
    const environment = { LOSSLESS_TEST_CLOCK: this.#file };
    this.service = { nodeFlags, environment };
    this.command = { NODE_OPTIONS: nodeFlags.join(" "), ...environment };
    this.aheadMs = aheadMs;
  }

  get aheadMs(): number {
    return Number(readFileSync(this.#file, "utf8"));
  }

  set aheadMs(aheadMs: number) {
    writeFileSync(this.#file, String(aheadMs));
  }
}
