import { pathToFileURL } from "node:url";
import type * as Program from "@lossless/server/main";
import type { Command } from "../../command.ts";

/**
 * All words after `serve`, --help included, go to the service, which has its own options and exit
 * codes.
 */
export const serve: Command = {
  usage: "serve [options]",
  help: "",
  options: {},
  async run({ positionals, output }) {
    const { programFile } = await import("@lossless/server/program");
    const file = await programFile((sentence) => output.note(sentence));
    const { serve: run } = await loaded(file);
    const words = positionals.filter((word) => word !== "--json");
    await run(words, (sentence) => output.failure(sentence, "not_started"));
    // Set by the service when it failed to start; otherwise it keeps running after this returns.
    return typeof process.exitCode === "number" ? process.exitCode : 0;
  },
};

/** The service's code, from the file if there is one that can be loaded. */
async function loaded(file: string | undefined): Promise<typeof Program> {
  if (file !== undefined) {
    try {
      return (await import(pathToFileURL(file).href)) as typeof Program;
    } catch {
      // A program that was damaged, or removed just now.
    }
  }
  return import("@lossless/server/main");
}
