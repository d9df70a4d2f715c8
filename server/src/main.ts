import manifest from "../package.json" with { type: "json" };
import { ensureTightAllocator } from "./settings/allocator.ts";
import { type Config, readCommandLine } from "./settings/config.ts";
import { exitCodeOf, exitCodes } from "./ground/exit-codes.ts";
import { createLog, type Log } from "./ground/log.ts";
import { monotonicMicroseconds, notifySystemd } from "./ground/systemd.ts";
import { ConfigError, optionsHelp } from "./settings/options.ts";
import type { RunningService, ServiceEvents } from "./service.ts";
import { StorageThreads } from "./storage/threads.ts";

/**
 * `lossless serve`: runs until a signal or a failure ends it. Standard output gets the ready line
 * and the key of a first start; the log goes to standard error. `complain` receives one sentence
 * when it cannot start.
 */
export async function serve(
  words: readonly string[],
  complain: (sentence: string) => void = toStandardError,
): Promise<void> {
  let config: Config;
  try {
    const command = readCommandLine(words, process.env);
    if (command.kind === "help")
      return print(`Usage: lossless serve [options]\n\n${optionsHelp()}`);
    if (command.kind === "version") return print(manifest.version);
    config = command.config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    complain(error.message);
    process.exitCode = exitCodes.configuration;
    return;
  }
  ensureTightAllocator();
  // Files of the service are readable by its own user alone (T66).
  process.umask(0o077);
  const log = createLog(config.logLevel, (line) => process.stderr.write(line));
  await run(config, log, complain);
}

async function run(config: Config, log: Log, complain: (sentence: string) => void): Promise<void> {
  const end = (error: unknown): never => {
    log.fatal({ err: error }, "the service ends");
    process.exit(exitCodeOf(error));
  };
  process.on("uncaughtException", end);
  // A closed output is no reason to stop recording.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const starting = start(config, log, {
    // Storage that fails is the end, whatever the error is called.
    fatal: (error) => {
      log.fatal({ err: error }, "storage has failed; the service ends");
      process.exit(
        exitCodeOf(error) === exitCodes.defect ? exitCodes.storageFailed : exitCodeOf(error),
      );
    },
    firstStart: ({ apiKey, setupLink }) => {
      print(`The organization "default" has this API key; it is shown only now: ${apiKey}`);
      print(`Set the first password within an hour: ${setupLink}`);
    },
  });
  stopOnSignals(starting, log);
  try {
    const service = await starting;
    if (service.adminUrl !== undefined)
      log.info({ url: service.adminUrl }, "figures are at /metrics");
    reloadOnHangup(service, log);
    print(`Lossless is ready at ${service.url}`);
    await notifySystemd(log, "READY=1");
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === exitCodes.defect) end(error);
    complain(error instanceof Error ? error.message : String(error));
    process.exit(code);
  }
}

/**
 * Starts the service. Its code is loaded last: before, this process may restart, or only report a
 * mistake. Its threads load meanwhile.
 */
async function start(config: Config, log: Log, events: ServiceEvents): Promise<RunningService> {
  const threads = new StorageThreads(config.readerThreads);
  const { startService } = await import("./service.ts");
  return startService(config, log, events, threads);
}

/** A terminal and the launcher may both pass one signal on; signals this close count as one. */
const echoMs = 250;

/** The first signal drains and ends with 0; a second one ends at once. */
function stopOnSignals(starting: Promise<RunningService>, log: Log): void {
  let firstAtMs: number | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (firstAtMs !== undefined) {
      if (performance.now() - firstAtMs > echoMs) process.exit(signal === "SIGINT" ? 130 : 143);
      return;
    }
    firstAtMs = performance.now();
    log.info({ signal }, "stopping");
    void notifySystemd(log, "STOPPING=1");
    const service = await starting;
    await service.close();
    log.info("stopped");
    process.exit(exitCodes.clean);
  };
  // A terminal says so that nobody looks any more; elsewhere it is a wish to read anew.
  const ends = ["SIGTERM", "SIGINT", ...(isInTerminal() ? (["SIGHUP"] as const) : [])] as const;
  for (const signal of ends) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.fatal({ err: error }, "the service could not be stopped in order");
        process.exit(exitCodeOf(error) || exitCodes.defect);
      });
    });
  }
}

function isInTerminal(): boolean {
  return process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
}

/** One reload at a time; what comes meanwhile is one more. One that fails ends nothing. */
function reloadOnHangup(service: RunningService, log: Log): void {
  if (isInTerminal()) return;
  let isAsked = false;
  let running: Promise<void> | undefined;
  const reload = async (): Promise<void> => {
    while (isAsked) {
      isAsked = false;
      await notifySystemd(log, "RELOADING=1", `MONOTONIC_USEC=${monotonicMicroseconds()}`);
      try {
        await service.reload();
        log.info("reloaded: the provision file is applied; options are read at a start alone");
      } catch (error) {
        const { message } = error as Error;
        log.error(
          exitCodeOf(error) === exitCodes.defect ? { err: error } : {},
          `the reload failed, and the service goes on without it: ${message}`,
        );
      }
      await notifySystemd(log, "READY=1");
    }
    running = undefined;
  };
  process.on("SIGHUP", () => {
    isAsked = true;
    running ??= reload();
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function toStandardError(sentence: string): void {
  process.stderr.write(`lossless: ${sentence}\n`);
}

if (import.meta.main) await serve(process.argv.slice(2));
