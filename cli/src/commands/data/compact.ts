import { noPositionals } from "../../command.ts";
import { dataCommand, driverSettingsOf } from "../../data-location.ts";
import { bytesText } from "../../output.ts";

export const compact = dataCommand({
  usage: "compact [--data DIR | --config FILE]",
  help: `
Returns the space of deleted data to the disk: it rewrites SQLite's file, which otherwise keeps that space for later use.
The service may be running: reads go on, and writes wait while the copy is made. For a file of many GiB that may be too
long for them: stop the service, or choose a quiet hour. The copy temporarily needs twice the remaining size.
PostgreSQL does this by itself.
`,
  async run(invocation) {
    noPositionals(invocation);
    const { compact: compactData } = await import("@lossless/server/operator/compact");
    const result = await compactData(await driverSettingsOf(invocation));
    const { before, after } = result;
    invocation.output.answer(result, () => {
      const free = after.freeBytes === 0 ? "" : `, ${bytesText(after.freeBytes)} of it free`;
      return `${bytesText(before.bytes)} before, ${bytesText(after.bytes)} now${free}`;
    });
  },
});
