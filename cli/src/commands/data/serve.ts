import type { Command } from "../../command.ts";

/** All after `serve`, --help too, is the service's own: it has its options and exit codes. */
export const serve: Command = {
  usage: "serve [options]",
  help: "",
  options: {},
  async run({ positionals, output }) {
    const { serve: run } = await import("@lossless/server/main");
    const words = positionals.filter((word) => word !== "--json");
    await run(words, (sentence) => output.failure(sentence, "not_started"));
    // Set by the service when it could not start; otherwise it goes on running after this.
    return typeof process.exitCode === "number" ? process.exitCode : 0;
  },
};
