/**
 * Reporter of `npm test -- --coverage`: the coverage of each room, including the services that
 * tests start and their threads. Killed processes report nothing, and are not counted.
 */
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

interface Counts {
  lines: number;
  linesRun: number;
  branches: number;
  branchesRun: number;
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== "test:coverage") continue;
    const { files, workingDirectory } = event.data.summary;
    const rooms = new Map<string, Counts>();
    const whole: Counts = { lines: 0, linesRun: 0, branches: 0, branchesRun: 0 };
    for (const file of files) {
      const room = roomOf(relative(workingDirectory, file.path));
      const counts = rooms.get(room) ?? { lines: 0, linesRun: 0, branches: 0, branchesRun: 0 };
      rooms.set(room, counts);
      for (const one of [counts, whole]) {
        one.lines += file.totalLineCount;
        one.linesRun += file.coveredLineCount;
        one.branches += file.totalBranchCount;
        one.branchesRun += file.coveredBranchCount;
      }
    }
    yield "\ncoverage                        lines  branches\n";
    for (const [room, counts] of [...rooms].sort(([a], [b]) => (a < b ? -1 : 1)))
      yield row(room, counts);
    yield row("all", whole);
  }
}

/** Maps `server/src/points/identifiers/hash.ts` to `server/src/points`. */
function roomOf(path: string): string {
  const words = path.split(/[/\\]/);
  return words.slice(0, Math.min(3, words.length - 1)).join("/");
}

const linesOf = ({ lines, linesRun }: Counts) => (100 * linesRun) / lines;
const branchesOf = ({ branches, branchesRun }: Counts) =>
  branches === 0 ? 100 : (100 * branchesRun) / branches;

function row(name: string, counts: Counts): string {
  const [lines, branches] = [linesOf(counts), branchesOf(counts)].map((part) => part.toFixed(1));
  return `${name.padEnd(32)}${lines.padStart(5)}${branches.padStart(10)}\n`;
}
