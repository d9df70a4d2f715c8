import { isTest, type Tree } from "./tree.ts";

const page = "docs/rules.md";

/**
 * Checks `docs/rules.md`: it lists exactly the rules that sources, tests and documents name by
 * number. Each row names existing tests that name the number, or contain the words quoted in the
 * row.
 */
export function unlistedRules(tree: Tree): string[] {
  const rows = rowsOf(tree.get(page) ?? "");
  const listed = new Set(rows.map(({ number }) => number));
  const named = new Map([...tree].filter(([path]) => names(path)).map(namedBy));
  const used = new Set(
    [...named].flatMap(([path, numbers]) => (path.endsWith(".md") ? [] : numbers)),
  );
  const unlisted = [...named].flatMap(([path, numbers]) =>
    numbers
      .filter((number) => !listed.has(number))
      .map((number) => `${path}: the rule ${number} is not in ${page}`),
  );
  const wrong = rows.flatMap((row, index) =>
    [
      ...faultsOfOrder(row, rows[index - 1]),
      ...faultsOfUse(row, used),
      ...faultsOfTests(row, tree),
    ].map((fault) => `${page}:${row.line}: ${fault}`),
  );
  return [...unlisted, ...wrong];
}

const names = (path: string) => path !== page && /\.(ts|js|py|sh|md)$/.test(path);

/** A letter and a number, or a range of them. The paths of drawings have none. */
const ruleNumbers = /(?<!\bd=")\b([AMR](?=\d)|T(?=\d\d))(\d\d?)\b(?: to \1(\d\d?)\b)?/g;

/** A file's path and the rules that it names, each once. */
function namedBy([path, text]: [string, string]): [string, string[]] {
  const unbroken = text.replaceAll(/\s*\n\s*(?:\*|\/\/|#)? ?/g, " ");
  const numbers = [...unbroken.matchAll(ruleNumbers)].flatMap((match) => {
    const [, letter = "", first = "", last = first] = match;
    const count = Math.max(0, Number(last) - Number(first)) + 1;
    return Array.from({ length: count }, (_, index) => written(letter, Number(first) + index));
  });
  return [path, [...new Set(numbers)]];
}

const written = (letter: string, number: number) =>
  `${letter}${letter === "T" ? `${number}`.padStart(2, "0") : number}`;

interface Row {
  line: number;
  number: string;
  /** The last cell: paths of tests, some followed by quoted words from them. */
  tests: string;
}

function rowsOf(text: string): Row[] {
  return text.split("\n").flatMap((line, index) => {
    const number = /^\| ([AMRT]\d+) \|/.exec(line)?.[1];
    if (number === undefined) return [];
    return [{ line: index + 1, number, tests: line.split(" | ").at(-1) ?? "" }];
  });
}

function faultsOfOrder({ number }: Row, before: Row | undefined): string[] {
  const isAhead = before !== undefined && sortKey(number) <= sortKey(before.number);
  return isAhead ? [`${number} stands behind ${before.number}`] : [];
}

const sortKey = (number: string) => `${number[0]}${number.slice(1).padStart(3, "0")}`;

function faultsOfUse({ number }: Row, used: ReadonlySet<string>): string[] {
  return used.has(number) ? [] : [`no source and no test names ${number}`];
}

function faultsOfTests({ number, tests }: Row, tree: Tree): string[] {
  const shown = [...tests.matchAll(/`([^`]+)`(?: "([^"]+)")?/g)];
  if (shown.length === 0) return [`no test shows ${number}`];
  return shown.flatMap(([, path = "", words]) => {
    const text = tree.get(path);
    if (text === undefined || !(isTest(path) || /(^|\/)tests?\//.test(path))) {
      return [`${path} is no test`];
    }
    if (words === undefined) {
      return namedBy([path, text])[1].includes(number) ? [] : [`${path} does not name ${number}`];
    }
    return text.includes(words) ? [] : [`${path} does not hold the words "${words}"`];
  });
}
