import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { masked } from "../../secrets.ts";

const commandCharactersMax = 6_000;
/** An option whose value is a secret. */
const secretOption =
  /^--?(?:[^\W_]+[_-]+)*(?:api[_-]?key|access[_-]?key|token|password|passwd|secret)$/i;
const secretCharactersMin = 8;
const mask = "********";

/** Returns the path of the script; undefined where none was started. */
export function scriptPath(): string | undefined {
  const [, named] = process.argv;
  if (named === undefined || !existsSync(named)) return undefined;
  return statSync(named).isFile() ? resolve(named) : undefined;
}

/** Returns the command line, the directory and the script; those below the root relative to it. */
export function commandFacts(
  script: string | undefined,
  root: string | undefined,
): Record<string, unknown> {
  const words = [process.argv0, ...process.execArgv, ...process.argv.slice(1)];
  return {
    directory: within(process.cwd(), root),
    script: script === undefined ? undefined : within(script, root),
    command: maskedCommand(words).slice(0, commandCharactersMax),
  };
}

/** Returns a command line as a shell reads it; what looks like a secret is replaced. */
export function maskedCommand(words: readonly string[]): string {
  return words
    .map((word, at) => {
      const isNamed = secretOption.test(words[at - 1] ?? "") && !word.startsWith("-");
      if (isNamed && word.length >= secretCharactersMin) return mask;
      const equals = word.indexOf("=");
      const isOption = equals > 0 && secretOption.test(word.slice(0, equals));
      if (isOption && word.length - equals > secretCharactersMin)
        return `${word.slice(0, equals)}=${mask}`;
      return masked(word);
    })
    .map(quoted)
    .join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

function within(path: string, root: string | undefined): string {
  if (root === undefined) return path;
  const found = relative(realpathSync(root), realpathSync(path));
  const isOutside = found === ".." || found.startsWith(`..${sep}`) || isAbsolute(found);
  return isOutside ? path : found.split(sep).join("/") || ".";
}
