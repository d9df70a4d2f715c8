import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { homeDirectory } from "@lossless/client/home";
import { CommandError } from "../command.ts";

/** A sign-in of this machine, as `lossless login` leaves it. */
export interface Login {
  /** The service, by the name it gives itself. */
  url: string;
  accessToken: string;
  refreshToken: string;
  /** When the access token ends. */
  expiresAtMs: number;
  /** The one that commands act for; null: they have to name one. */
  organization: { id: string; name: string } | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const noHome = "this user has no home directory: HOME or XDG_CONFIG_HOME has to name one";

/** One file for one person on one machine, where the system keeps settings; see `noHome`. */
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
  // A relative XDG_CONFIG_HOME is to be ignored, its specification says.
  if (named !== undefined && isAbsolute(named)) return named;
  const home = homeDirectory(environment);
  if (home === undefined) return undefined;
  return platform === "win32" ? join(home, "AppData", "Roaming") : join(home, ".config");
}

/** Undefined: nobody has signed in. */
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

/** Whole or not at all, for this user alone. It replaces a refresh token that works no more. */
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
    throw new CommandError(`the sign-in cannot be kept in ${path}: ${code ?? message}`);
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
