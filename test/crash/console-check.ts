import { isDeepStrictEqual } from "node:util";
import type { ReadConsoleReply, SearchConsoleReply } from "@lossless/protocol";
import { call } from "../http.ts";
import { Random } from "../random.ts";
import { organizations } from "../service.ts";
import type { Expectation } from "./expectation.ts";
import { lineOf, sourceIdOf, textOf } from "./line.ts";

type Line = ReadConsoleReply["lines"][number];

/**
 * Reads the console of an experiment by the API and compares it with the journal: of each source
 * all acknowledged lines and none that was not sent, each once, in order, as they were sent; in
 * both directions, and by a search. Returns the count of lines.
 */
export async function checkConsole(
  { baseUrl, seed }: { baseUrl: string; seed: number },
  expectation: Expectation,
  report: (what: string) => void,
): Promise<number> {
  const experimentId = expectation.experimentId!;
  const ask = async <Reply>(what: "read" | "search", body: object): Promise<Reply> => {
    const path = `/api/console/v1/${what}`;
    const credential = organizations.acme.key;
    const reply = await call(baseUrl, { path, credential, body: { experimentId, ...body } });
    if (reply.status !== 200)
      throw new Error(`the console is not read: ${reply.status} ${reply.text.slice(0, 300)}`);
    return JSON.parse(reply.text) as Reply;
  };
  try {
    const read = (body: object) => ask<ReadConsoleReply>("read", body);
    const { lines, sources } = await readUpwards(read);
    const counts = checkLines(seed, expectation, { lines, sources }, report);
    if (!isDeepStrictEqual(await readDownwards(read), lines))
      report("the console read downwards is not the console read upwards");
    const random = new Random(seed ^ lines.length);
    const printed = [...counts].filter(([, count]) => count > 0);
    if (printed.length === 0) return lines.length;
    const [source, count] = random.pick(printed);
    const text = textOf(random.below(count), source);
    const found = await searchAll((body) => ask("search", { text, ...body }));
    const expected = lines.filter((line) => line.text.includes(text));
    if (!isDeepStrictEqual(found, expected))
      report(`a search for ${text} finds ${found.length} lines, not ${expected.length}`);
    return lines.length;
  } catch (error) {
    report((error as Error).message);
    return 0;
  }
}

type Read = (body: object) => Promise<ReadConsoleReply>;

async function readUpwards(read: Read): Promise<Pick<ReadConsoleReply, "lines" | "sources">> {
  const lines: Line[] = [];
  for (let first = 0; ;) {
    const page = await read({ first, limit: 10_000 });
    lines.push(...page.lines);
    if (page.next >= page.total) return { lines, sources: page.sources };
    if (page.next === first) throw new Error(`the console of ${page.total} lines ends at ${first}`);
    first = page.next;
  }
}

async function readDownwards(read: Read): Promise<Line[]> {
  const pages: Line[][] = [];
  for (let before: number | undefined; before !== 0;) {
    const page: ReadConsoleReply = await read({ limit: 4_999, ...(before && { before }) });
    pages.push(page.lines);
    if (page.first === before) throw new Error(`the console has no line below ${before}`);
    before = page.first;
  }
  return pages.reverse().flat();
}

/** A request searches for some seconds, which may not be all on a busy machine. */
async function searchAll(search: (body: object) => Promise<SearchConsoleReply>): Promise<Line[]> {
  const lines: Line[] = [];
  for (let first = 0; ;) {
    const page = await search({ first });
    lines.push(...page.lines);
    if (page.isComplete) return lines;
    if (page.next === first) throw new Error(`a search does not go on from line ${first}`);
    first = page.next;
  }
}

/** Returns how many lines each source has. */
function checkLines(
  seed: number,
  { experiment, printed }: Expectation,
  { lines, sources }: Pick<ReadConsoleReply, "lines" | "sources">,
  report: (what: string) => void,
): Map<number, number> {
  const printers = new Map(sources.map(({ source, id }) => [source, Number(/\d+$/.exec(id)?.[0])]));
  const counts = new Map<number, number>();
  for (const [at, { line, source, ...content }] of lines.entries()) {
    if (line !== at) report(`line ${at} of the console has the number ${line}`);
    const printer = printers.get(source) ?? NaN;
    const number = counts.get(printer) ?? 0;
    counts.set(printer, number + 1);
    const { spans, ...sent } = lineOf(seed, experiment, printer, number);
    if (!isDeepStrictEqual(content, spans.length === 0 ? sent : { ...sent, spans })) {
      const place = `in place of ${number} of source ${printer}`;
      report(`line ${at} is ${JSON.stringify(content).slice(0, 200)} ${place}`);
    }
  }
  for (const [source, { acknowledged, sent }] of printed) {
    const count = counts.get(source) ?? 0;
    if (count < acknowledged)
      report(`${acknowledged - count} acknowledged lines of source ${source} are lost`);
    if (count > sent) report(`source ${source} has ${count} lines, ${sent} were sent`);
    const known = sources.find(({ id }) => id === sourceIdOf(source));
    if ((known?.lines ?? 0) !== count)
      report(`source ${source} has ${count} lines and says ${known?.lines ?? 0}`);
  }
  for (const source of counts.keys())
    if (!printed.has(source)) report(`source ${source} was never there`);
  return counts;
}
