import { type Command, type Invocation, noPositionals } from "../../command.ts";
import { dataHelp, dataOptions, driverSettingsOf } from "../../data-location.ts";
import { bytesText } from "../../output.ts";

export const compact: Command = {
  usage: "compact [--data DIR | --config FILE]",
  help: `
Gives the space of what was deleted back to the disk: SQLite's file keeps it and uses it again, and is written anew here
without it. The service may run: reads go on, and writes wait for as long as the copy takes. Of a file of many GiB that may
be longer than they can wait: stop the service for it, or choose a quiet hour. It takes twice the room of what is left,
for a while. PostgreSQL does this by itself.
${dataHelp}`,
  options: dataOptions,
  run: runCompact,
};

async function runCompact(invocation: Invocation): Promise<void> {
  noPositionals(invocation);
  const { compact: compactData } = await import("@lossless/server/operator/compact");
  const result = await compactData(await driverSettingsOf(invocation));
  const { before, after } = result;
  invocation.output.answer(result, () => {
    const free = after.freeBytes === 0 ? "" : `, ${bytesText(after.freeBytes)} of it free`;
    return `${bytesText(before.bytes)} before, ${bytesText(after.bytes)} now${free}`;
  });
}
