import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the program that opens an address in a visible browser; undefined where there is none:
 * over SSH, and without a display.
 */
export function browserOpener(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] | undefined {
  if (environment["SSH_CONNECTION"] || environment["SSH_TTY"]) return undefined;
  if (environment["BROWSER"]) return [environment["BROWSER"]];
  if (platform === "darwin") return ["open"];
  // Not `start`: the shell would interpret the & of the address.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const hasDisplay = environment["DISPLAY"] || environment["WAYLAND_DISPLAY"];
  return hasDisplay ? ["xdg-open"] : undefined;
}

/** Opens a browser. Success is unknown, so the address is printed in any case. */
export function openBrowser([program = "", ...words]: readonly string[], address: string): void {
  const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
