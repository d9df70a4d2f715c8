import { readingTools } from "@lossless/protocol/agents/tools";
import { writingTools } from "@lossless/protocol/agents/writing";
import manifest from "../../package.json" with { type: "json" };
import { noPositionals } from "../command.ts";
import { clientOf, serviceCommand } from "../connection.ts";

/** An agent waits longer than a person, and cannot start the service. */
const patienceMs = 20_000;

export const mcp = serviceCommand({
  usage: "mcp [options]",
  help: `
Speaks the Model Context Protocol on standard input and output: an agent (Claude, Cursor, VS Code) starts it and asks
about experiments, metrics, consoles, artifacts and models. It only reads, with the key or sign-in of this machine, or
with a personal token of the scope read. docs/agents.md has the configuration of each program.

  --write            also tools that annotate, tag and move experiments, as far as the key may`,
  options: { write: { type: "boolean" } },
  async run(invocation) {
    noPositionals(invocation);
    const client = clientOf(invocation, patienceMs);
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    const { toolServer } = await import("../mcp/tool-server.ts");
    const tools = invocation.values.flag("write")
      ? [...readingTools, ...writingTools]
      : readingTools;
    const ended = new Promise<void>((resolve) => process.stdin.once("close", resolve));
    const served = serveStdio(() => toolServer(client, tools, manifest.version));
    await ended;
    await served.close();
  },
});
