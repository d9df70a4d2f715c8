import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { homeDirectory } from "@lossless/client/home";
import { CommandError } from "../command.ts";

/** The sign-in of this machine, as `lossless login` writes it. */
export interface Login {
  /** The service, by the name it calls itself. */
  url: string;
  accessToken: string;
  refreshToken: string;
  /** Expiry of the access token, Unix milliseconds. */
  expiresAtMs: number;
  /** Organization that commands act for; null: each has to name one. */
  organization: { id: string; name: string } | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const noHome = "this user has no home directory: set HOME or XDG_CONFIG_HOME";

/**
 * Path of the login file, one for a user on a machine, in the system's directory of settings; see
 * `noHome`.
 */
export function loginFilePath(
  environment: Environment,
  platform = process.platform,
): string | undefined {
  const directory = settingsDirectory(environment, platform);
  return directory && join(directory, "lossless", "login.json");
}

function settingsDirectory(
  environment: Environment,
  platform: NodeJS.Platform,
): string | undefined {
  const named = platform === "win32" ? environment["APPDATA"] : environment["XDG_CONFIG_HOME"];
  // XDG's specification says to ignore a relative XDG_CONFIG_HOME.
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeDirectory(environment);
  if (home === undefined) return undefined;
  return platform === "win32" ? join(home, "AppData", "Roaming") : join(home, ".config");
}

/** Reads the login file; undefined: nobody is signed in. */
export function readLogin(path: string | undefined): Login | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new CommandError(`the sign-in of this machine cannot be read: ${path}: ${code}`);
  }
  const login = parsed(text);
  if (login === undefined) {
    throw new CommandError(`${path} is damaged; remove it, then run lossless login again`);
  }
  return login;
}

/**
 * Writes the file atomically, readable by this user only. It replaces a refresh token that no
 * longer works.
 */
export async function writeLogin(path: string, login: Login): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}.partial`;
  try {
    await rm(partial, { force: true });
    {
      await using file = await open(partial, "wx", 0o600);
      await file.writeFile(`${JSON.stringify(login, undefined, 2)}\n`);
      await file.sync();
    }
    await rename(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(`the sign-in cannot be stored in ${path}: ${code ?? message}`);
  }
}

function parsed(text: string): Login | undefined {
  let value: Partial<Record<keyof Login, unknown>> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { url, accessToken, refreshToken, expiresAtMs, organization } = value;
  const texts = [url, accessToken, refreshToken];
  if (texts.some((each) => typeof each !== "string") || typeof expiresAtMs !== "number") {
    return undefined;
  }
  if (organization !== null && !isOrganization(organization)) return undefined;
  return value as Login;
}

function isOrganization(value: unknown): value is { id: string; name: string } {
  if (typeof value !== "object" || value === null) return false;
  const { id, name } = value as Record<string, unknown>;
  return typeof id === "string" && typeof name === "string";
}
