import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isNothing } from "./backup/place.ts";
import { ConfigError } from "../settings/options.ts";

/** Throws ConfigError when there is something in a directory that is to be filled. */
export function refuseTaken(directory: string): void {
  if (!existsSync(directory)) return;
  const [name] = readdirSync(directory).filter((one) => !isNothing.test(one));
  if (name === undefined) return;
  throw new ConfigError(
    `${directory} is not empty (it has ${name}): name a new directory, so that nothing is lost.`,
  );
}

/** Empties a directory and keeps it: it may have been made or mounted by the operator. */
export function empty(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    if (!isNothing.test(name)) rmSync(join(directory, name), { recursive: true, force: true });
  }
}
