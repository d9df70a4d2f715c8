import { parseArgs } from "node:util";
import { PatchedCheckout } from "../crash/patched-checkout.ts";
import { startPostgres } from "../postgres.ts";
import type { Abuse } from "./abuse.ts";
import { abuses } from "./abuses.ts";
import { Arena, type ArenaOptions, type Result, type Timing } from "./arena.ts";
import { mutants } from "./mutants.ts";

const help = `npm run abuse: what an audit did to the service, whole, with a second organization beside it.

  --postgres    on a PostgreSQL that is started for the run
  --short       the short forms, as npm run test:systems runs them
  --only TEXT   only abuses (or faults) whose name contains it
  --mutants     takes each defence that counts on this database out of a copy of the source; its abuse
                must notice

Takes Linux and an otherwise idle machine: p99 beside the attack should stay below twice that before it, and
/healthz below 50 ms. A missed aim is printed; the exit code is 1 when somebody was refused, the service fell,
or took more memory than it may.
`;

const { values } = parseArgs({
  options: {
    postgres: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    mutants: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const aimRatio = 2;
const aimHealthMs = 50;

if (values.help) {
  console.log(help);
} else {
  await using resources = new AsyncDisposableStack();
  const server = values.postgres ? resources.use(await startPostgres()) : undefined;
  const freshArena = async (options: Pick<ArenaOptions, "size" | "checkout">): Promise<Arena> =>
    Arena.open({ ...options, databaseUrl: await server?.createDatabase() });
  const isFine = values.mutants ? await plantFaults(freshArena) : await attackAll(freshArena);
  process.exitCode = isFine ? 0 : 1;
}

type FreshArena = (options: Pick<ArenaOptions, "size" | "checkout">) => Promise<Arena>;

async function attackAll(freshArena: FreshArena): Promise<boolean> {
  const size = values.short ? "short" : "whole";
  let isFine = true;
  for (const abuse of abuses.filter(({ name }) => name.includes(values.only))) {
    await using arena = await freshArena({ size });
    const result = await arena.run(abuse);
    if (result.violations.length > 0) isFine = false;
    print(abuse, result);
  }
  return isFine;
}

function print({ name }: Abuse, { violations, notes, timings }: Result): void {
  console.log(`${violations.length === 0 ? "held" : "BROKEN"}: ${name}`);
  for (const line of [...violations, ...notes]) console.log(`    ${line}`);
  for (const timing of timings) console.log(`    ${timingLine(timing)}`);
}

function timingLine({ kind, aloneP99Ms, besideP99Ms, besideMaxMs }: Timing): string {
  const ratio = besideP99Ms / aloneP99Ms;
  const isMet = kind === "health" ? besideMaxMs <= aimHealthMs : ratio <= aimRatio;
  const figures = [
    `p99 alone ${aloneP99Ms.toFixed(1)} ms`,
    `beside ${besideP99Ms.toFixed(1)} ms (${ratio.toFixed(2)})`,
    `longest ${besideMaxMs.toFixed(1)} ms`,
  ];
  return `${kind.padEnd(7)}${figures.join(", ")}: ${isMet ? "aim met" : "aim missed"}`;
}

async function plantFaults(freshArena: FreshArena): Promise<boolean> {
  let isFine = true;
  const database = values.postgres ? "postgres" : "sqlite";
  const wanted = mutants.filter(({ name, on = database }) => {
    return on === database && name.includes(values.only);
  });
  for (const { name, patches, abuse } of wanted) {
    using checkout = new PatchedCheckout(patches);
    await using arena = await freshArena({ size: "short", checkout: checkout.directory });
    const { violations } = await arena.run(abuse);
    if (violations.length === 0) isFine = false;
    console.log(
      `${name}: ${violations.length === 0 ? "NOT NOTICED" : violations[0].slice(0, 160)}`,
    );
  }
  return isFine;
}
