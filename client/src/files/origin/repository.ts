import { masked } from "../../secrets.ts";
import type { Programs } from "./programs.ts";

export const diffBytesMax = 1_048_576;
/** Git asks nothing, waits for no other git, and runs no program that a repository names. */
const variables = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  LC_ALL: "C",
};
const settings = ["core.fsmonitor=false", "core.quotePath=false", "diff.relative=false"];
const diffWords = [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--ignore-submodules=untracked",
];

export interface Diff {
  content: Buffer;
  isCut: boolean;
}

/** Returns whether tracked files differ from the commit; undefined: git does not say. */
export async function isDirty(programs: Programs, root: string): Promise<boolean | undefined> {
  // One byte is enough.
  const answer = await ask(programs, root, [...diffWords, "--raw", "HEAD", "--"], 1);
  return answer === undefined ? undefined : answer.length > 0;
}

/** Returns the difference of tracked files to the commit; what looks like a key is masked. */
export async function diffOf(programs: Programs, root: string): Promise<Diff | undefined> {
  const words = [...diffWords, "--submodule=diff", "HEAD", "--"];
  const answer = await ask(programs, root, words, diffBytesMax);
  if (answer === undefined || answer.length === 0) return undefined;
  const isCut = answer.length > diffBytesMax;
  const end = isCut ? answer.lastIndexOf("\n", diffBytesMax - 1) + 1 || diffBytesMax : undefined;
  // Files have bytes that are no text: each byte is a character here, and the same byte again.
  const lines = answer.subarray(0, end).toString("latin1").split("\n");
  return { content: Buffer.from(lines.map(masked).join("\n"), "latin1"), isCut };
}

/** Returns the address of a remote without a password, and of a web server without a user. */
export function withoutCredentials(address: string): string {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)([^/?#]*)@(.*)$/s.exec(address);
  if (found === null) return masked(address);
  const [, scheme = "", who = "", rest = ""] = found;
  const isShell = ["ssh://", "git+ssh://"].includes(scheme.toLowerCase());
  return masked(`${scheme}${isShell ? `${who.split(":")[0]}@` : ""}${rest}`);
}

function ask(
  programs: Programs,
  root: string,
  words: readonly string[],
  bytesMax: number,
): Promise<Buffer | undefined> {
  const given = settings.flatMap((setting) => ["-c", setting]);
  const command = ["git", "-C", root, "--no-pager", ...given, ...words];
  return programs.ask(command, bytesMax, variables, true);
}
