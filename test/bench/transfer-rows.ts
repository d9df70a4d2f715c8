import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Child } from "./child.ts";
import { cpuSeconds, median } from "./measure.ts";
import type { LocalFile, RawStore } from "./raw-store.ts";
import type { TransferOrder, Transferred } from "./transfers.ts";

export interface TransferSubject {
  /** Stands before the name of every figure. */
  name: string;
  account: { baseUrl: string; apiKey: string };
  /** Where the CPU time of the service is counted. */
  processId: number;
  raw: RawStore;
  source: { directory: string; files: readonly LocalFile[] };
  /** For what is fetched, and removed again. */
  scratch: string;
  rounds: number;
}

/** Sums of a round. */
interface Measured extends Transferred {
  cpuSeconds: number;
  mebibytes: number;
}

type Kind = "raw put" | "push" | "raw get" | "pull" | "checked pull";

/**
 * Push and pull beside the raw store. A disk gives a burst to whoever comes first and changes from
 * second to second, so every round runs there and back: raw, push, push, raw.
 */
export async function transferRows(
  transfers: Child,
  subject: TransferSubject,
  set: (name: string, value: number) => void,
): Promise<void> {
  const all: Map<Kind, Measured>[] = [];
  for (let number = 0; number < subject.rounds; number++) {
    all.push(await new Round(transfers, subject, number).run());
  }
  const { name, raw } = subject;
  const middle = (value: (of: (kind: Kind) => Measured) => number): number =>
    median(all.map((round) => value((kind) => round.get(kind)!)));
  for (const [figure, kind, part] of transferKinds) {
    const floor = kind === "push" ? "raw put" : "raw get";
    set(
      `${name}${figure} MiB/s`,
      middle((of) => of(kind).mebibytes / of(kind)[part]),
    );
    set(
      `${name}${figure} / raw store`,
      middle((of) => of(floor).seconds / of(kind)[part]),
    );
  }
  for (const kind of ["raw put", "raw get"] as const) {
    set(
      `${name}${kind} MiB/s`,
      middle((of) => of(kind).mebibytes / of(kind).seconds),
    );
  }
  for (const kind of ["push", "pull", "raw put", "raw get"] as const) {
    if (kind.startsWith("raw") && raw.processId === undefined) continue;
    const perGibibyte = (one: Measured): number => (one.cpuSeconds / one.mebibytes) * 1_024;
    set(
      `${name}${kind} CPU s/GiB`,
      middle((of) => perGibibyte(of(kind))),
    );
  }
}

const transferKinds = [
  ["push, transfer alone", "push", "transferSeconds"],
  ["push", "push", "seconds"],
  ["pull, transfer alone", "pull", "transferSeconds"],
  ["pull", "checked pull", "seconds"],
] as const;

class Round {
  readonly #transfers: Child;
  readonly #subject: TransferSubject;
  readonly #number: number;
  readonly #sums = new Map<Kind, Measured>();

  constructor(transfers: Child, subject: TransferSubject, number: number) {
    this.#transfers = transfers;
    this.#subject = subject;
    this.#number = number;
  }

  async run(): Promise<Map<Kind, Measured>> {
    await this.#rawPut();
    await this.#push("there");
    await this.#push("back");
    await this.#rawPut();
    await this.#rawGet();
    await this.#pull(false);
    await this.#pull(true);
    await this.#pull(true);
    await this.#pull(false);
    await this.#rawGet();
    return this.#sums;
  }

  async #rawPut(): Promise<void> {
    const { raw, source } = this.#subject;
    const requests = await raw.puts(source.files);
    await this.#measured("raw put", { kind: "raw put", requests });
  }

  async #push(word: string): Promise<void> {
    const { account, source, scratch } = this.#subject;
    const pushes = [{ artifact: this.#artifact(word), path: source.directory }];
    const recordDirectory = join(scratch, "records");
    await this.#measured("push", { kind: "push", account, pushes, recordDirectory });
  }

  async #rawGet(): Promise<void> {
    const { raw, source, scratch } = this.#subject;
    const directory = join(scratch, "fetched");
    const files = source.files.map((file) => ({ ...file, path: join(directory, file.name) }));
    mkdirSync(directory, { recursive: true });
    await this.#measured("raw get", { kind: "raw get", requests: await raw.gets(files) });
    rmSync(directory, { recursive: true });
  }

  async #pull(verify: boolean): Promise<void> {
    const { account, scratch } = this.#subject;
    const directory = join(scratch, "pulled");
    const artifact = this.#artifact("there");
    const kind = verify ? "checked pull" : "pull";
    await this.#measured(kind, { kind: "pull", account, artifact, directory, verify });
    rmSync(directory, { recursive: true });
  }

  #artifact(word: string): string {
    return `transfers/${this.#number}/${word}`;
  }

  async #measured(kind: Kind, order: TransferOrder): Promise<void> {
    const { raw, processId, source } = this.#subject;
    const observed = kind.startsWith("raw") ? raw.processId : processId;
    const cpu = (): number => (observed === undefined ? 0 : cpuSeconds(observed));
    const before = cpu();
    this.#transfers.send(order);
    const done = await this.#transfers.next<Transferred>();
    const sum = this.#sums.get(kind);
    const mebibytes = source.files.reduce((bytes, file) => bytes + file.bytes, 0) / 2 ** 20;
    this.#sums.set(kind, {
      seconds: (sum?.seconds ?? 0) + done.seconds,
      transferSeconds: (sum?.transferSeconds ?? 0) + done.transferSeconds,
      cpuSeconds: (sum?.cpuSeconds ?? 0) + cpu() - before,
      mebibytes: (sum?.mebibytes ?? 0) + mebibytes,
    });
  }
}
