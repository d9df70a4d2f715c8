import type { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { AppendConsoleReply, ReadConsoleReply } from "@lossless/protocol";
import { call } from "../http.ts";
import type { Random } from "../random.ts";
import { organizations } from "../service.ts";
import type { Journal } from "./journal.ts";
import { lineOf, sourceIdOf } from "./line.ts";

/** A process that prints into the console of an experiment; its lines are numbered from 0. */
export interface Printed {
  source: number;
  /** Lines that the service has acknowledged. */
  acknowledged: number;
  /** Lines that were ever sent: those above may be stored. */
  sent: number;
}

/** An experiment with a console under load. */
export interface PrintedInto {
  experiment: number;
  experimentId: string;
  token: string;
  printed: Printed[];
}

export interface PrintingOptions {
  baseUrl: string;
  seed: number;
  random: Random;
  journal: Journal;
  agent: Agent;
  violations: string[];
  /** The service goes on: a request without an answer is sent again. */
  resends: boolean;
  /** Rest after each request. */
  pauseMs: number;
  isRunning: () => boolean;
}

/** Prints and reads the consoles of some experiments until the load ends or the service is gone. */
export async function print(options: PrintingOptions, targets: PrintedInto[]): Promise<void> {
  const printers = targets.flatMap((target) => {
    // One goes on from one crash to the next; the other one is new.
    const fresh = { source: target.printed.length, acknowledged: 0, sent: 0 };
    target.printed.push(fresh);
    return [...new Set([target.printed[0], fresh])].map((printed) =>
      printLines(options, target, printed),
    );
  });
  await Promise.all([...printers, readAgain(options, targets)]);
}

async function printLines(
  options: PrintingOptions,
  target: PrintedInto,
  printed: Printed,
): Promise<void> {
  const { random, isRunning, resends, pauseMs } = options;
  while (isRunning()) {
    if (random.chance(0.05)) await leaveGap(options, target, printed);
    // A repetition of what is stored, with more behind it, as after a lost reply.
    const back = random.chance(0.3) ? random.below(Math.min(printed.acknowledged, 50) + 1) : 0;
    const count = 1 + random.below(random.chance(0.3) ? 400 : 20);
    const isAnswered = await send(options, target, printed, printed.acknowledged - back, count);
    if (!isAnswered && !resends) return;
    if (!isAnswered) await sleep(50);
    if (pauseMs > 0) await sleep(pauseMs);
  }
}

/** Lines whose predecessors are missing must not be stored. */
async function leaveGap(
  options: PrintingOptions,
  target: PrintedInto,
  printed: Printed,
): Promise<void> {
  const { acknowledged, sent } = printed;
  const next = await append(options, target, printed, sent + 3, 2);
  if (next !== undefined && (next < acknowledged || next > sent))
    options.violations.push(
      `${name(target, printed)}: ${next} lines of ${sent} are stored, ${acknowledged} were`,
    );
}

/** False: the service did not answer. */
async function send(
  options: PrintingOptions,
  target: PrintedInto,
  printed: Printed,
  first: number,
  count: number,
): Promise<boolean> {
  const { journal, violations } = options;
  const { experiment } = target;
  const request = journal.nextRequest();
  printed.sent = Math.max(printed.sent, first + count);
  journal.write({ at: "printing", request, experiment, source: printed.source, first, count });
  const next = await append(options, target, printed, first, count);
  if (next === undefined) return false;
  journal.write({ at: "printed", request, next });
  if (next < first + count || next > printed.sent)
    violations.push(`${name(target, printed)}: ${next} lines acknowledged of ${first + count}`);
  printed.acknowledged = Math.max(printed.acknowledged, next);
  return true;
}

async function append(
  { baseUrl, agent, seed, violations }: PrintingOptions,
  target: PrintedInto,
  { source }: Printed,
  first: number,
  count: number,
): Promise<number | undefined> {
  const { experiment, experimentId, token } = target;
  const lines = Array.from({ length: count }, (_, at) => {
    const { spans, ...line } = lineOf(seed, experiment, source, first + at);
    return spans.length === 0 ? line : { ...line, spans };
  });
  const body = { source: { id: sourceIdOf(source), rank: source }, first, lines };
  const path = `/api/console/v1/experiments/${experimentId}/lines`;
  try {
    const reply = await call(baseUrl, { path, credential: token, body, agent });
    if (reply.status === 200) return (JSON.parse(reply.text) as AppendConsoleReply).next;
    if (reply.status < 500)
      violations.push(`good lines were refused: ${reply.status} ${reply.text.slice(0, 300)}`);
  } catch {
    // The service is gone.
  }
  return undefined;
}

/** Checks that lines acknowledged before a read began are in it while printing goes on. */
async function readAgain(options: PrintingOptions, targets: PrintedInto[]): Promise<void> {
  const { baseUrl, agent, random, violations, resends, pauseMs, isRunning } = options;
  while (isRunning()) {
    const target = random.pick(targets);
    const before = target.printed.map(({ source, acknowledged }) => ({ source, acknowledged }));
    const body = { experimentId: target.experimentId, limit: 500 };
    const path = "/api/console/v1/read";
    const credential = organizations.acme.key;
    try {
      const reply = await call(baseUrl, { path, credential, body, agent });
      if (reply.status >= 500) throw new Error(reply.text);
      const page = JSON.parse(reply.text) as ReadConsoleReply;
      for (const { source, acknowledged } of before) {
        const found = page.sources.find(({ id }) => id === sourceIdOf(source));
        if ((found?.lines ?? 0) < acknowledged)
          violations.push(
            `a running service has ${found?.lines ?? 0} of ${acknowledged} lines of ${target.experimentId}`,
          );
      }
      checkPage(options, target, page);
    } catch {
      if (!resends) return;
    }
    await sleep(20 + pauseMs);
  }
}

/** The last lines of all are the last ones of each source. */
function checkPage(
  { seed, violations }: PrintingOptions,
  { experiment }: PrintedInto,
  { lines, sources, total }: ReadConsoleReply,
): void {
  const next = new Map(sources.map(({ source, lines: count }) => [source, count]));
  for (const [at, { line, source, text }] of [...lines].reverse().entries()) {
    const number = next.get(source)! - 1;
    next.set(source, number);
    const { id } = sources.find((one) => one.source === source)!;
    const printer = Number(/\d+$/.exec(id)![0]);
    const sent = lineOf(seed, experiment, printer, number);
    if (line !== total - 1 - at || text !== sent.text)
      violations.push(`a running service has line ${line} in place of ${number} of ${id}`);
  }
}

function name({ experiment }: PrintedInto, { source }: Printed): string {
  return `experiment ${experiment}: source ${source}`;
}
