import { noPositionals } from "../command.ts";
import type { Command, Invocation } from "../command.ts";
import { dataHelp, dataOptions, driverSettingsOf } from "../data-location.ts";
import { printable, table } from "../output.ts";

const limitMax = 100_000;

export const audit: Command = {
  usage: "audit [--organization O] [--limit N]",
  help: `
Prints who did what, newest first: sign-ins, keys, people, invitations, locations, provisioning.

  --organization O   only what concerns this organization, by name or id
  --limit N          at most this many events (100)${dataHelp}`,
  options: { ...dataOptions, organization: { type: "string" }, limit: { type: "string" } },
  run: runAudit,
};

async function runAudit(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const { values, output } = invocation;
  const limit = values.integer("limit", 100, 1, limitMax);
  const { administer } = await import("@lossless/server");
  await using administration = await administer(driverSettingsOf(invocation));
  const events = await administration.readAudit(values.text("organization"), limit);
  output.answer(events, () =>
    table(
      ["TIME", "ACTION", "ACTOR", "SUBJECT", "FROM", "DETAILS"],
      events.map(({ at, action, actor, subject, address, details }) => {
        const words = Object.entries(details).map(([name, value]) => `${name}=${String(value)}`);
        return [at, action, actor, subject ?? "", address ?? "", printable(words.join(" "))];
      }),
    ),
  );
  return 0;
}
