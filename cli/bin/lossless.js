#!/usr/bin/env node
// Plain JavaScript on purpose: any Node must be able to read this file, find out that it is too old for
// TypeScript, and hand over to the Node that `npm ci` has brought along.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
const isNewEnough = major > 24 || (major === 24 && minor >= 12);

if (isNewEnough) {
  keepCompiledCode();
  const { main } = await import("../src/main.ts");
  await main(process.argv.slice(2));
} else {
  const node = bundledNode(dirname(fileURLToPath(import.meta.url)));
  if (node === undefined) {
    console.error(
      `lossless needs Node 24.12 or newer and this is ${process.versions.node}: ` +
        "install a newer Node, or in a clone run `npm ci` without --omit=optional, which brings one.",
    );
    process.exitCode = 2;
  } else {
    handOver(node);
  }
}

/**
 * Nine tenths of a start are reading and compiling; what one start has compiled is kept for the next ones. Code is
 * read from there, so the directory has to be this user's own, and nobody else may write to it.
 */
function keepCompiledCode() {
  if (process.platform === "win32" || process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { XDG_CACHE_HOME: named = "" } = process.env;
  try {
    // Whom the system does not know, and who has no HOME, has no such directory.
    const caches = isAbsolute(named) ? named : join(homedir(), ".cache");
    if (!isAbsolute(caches)) return;
    const directory = join(caches, "lossless", "compiled");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(directory);
    if (uid === process.getuid() && (mode & 0o022) === 0) nodeModule.enableCompileCache(directory);
  } catch {
    // Without it everything works, only later.
  }
}

function bundledNode(directory) {
  for (let at = directory; at !== dirname(at); at = dirname(at)) {
    for (const path of [`node-${process.platform}-${process.arch}/bin/node`, ".bin/node"]) {
      const node = join(at, "node_modules", path);
      if (existsSync(node)) return node;
    }
  }
  return undefined;
}

/** Signals go on to the child, and the channel tells it when this process is killed without a word. */
function handOver(node) {
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  // The service would set these by beginning anew (server/src/settings/allocator.ts), and lose the channel by that.
  const thresholds = { MALLOC_MMAP_THRESHOLD_: "65536", MALLOC_TRIM_THRESHOLD_: "131072" };
  const isSet = Object.keys(thresholds).some((name) => process.env[name] !== undefined);
  const isTight = process.argv[2] === "serve" && !isSet;
  const allocator = isTight ? { ...thresholds, MALLOC_ARENA_MAX: "2" } : {};
  const { NODE_OPTIONS: own = "" } = process.env;
  const young = "--max-semi-space-size";
  const flags = isTight && !own.includes(young) ? [`${young}=4`] : [];
  const argv = [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const env = { ...allocator, ...process.env, LOSSLESS_HANDED_OVER: "1" };
  const child = spawn(node, argv, { stdio, env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(`lossless cannot start ${node}: ${error.message}`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    process.removeAllListeners(signal ?? "SIGTERM");
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code ?? 1;
  });
}
