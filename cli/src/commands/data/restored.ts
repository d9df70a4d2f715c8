import { noPositionals } from "../../command.ts";
import { dataCommand, driverSettingsOf } from "../../data-location.ts";
import { endedText, keysText } from "./restore.ts";

export const restored = dataCommand({
  usage: "restored --database-url U | --data DIR [--revoke-keys]",
  help: `
Use it after other tools than lossless restore have put data back to an earlier state: a PostgreSQL database by
pg_restore or its archive, a data directory by a snapshot. Run it once, before the service starts. Revisions and epochs
become higher than any given out since. The tokens of running experiments, personal tokens, sessions, sign-ins and open
invitations end, because some may have been ended since. No service may run.

  --revoke-keys      end all API keys, too`,
  options: { "revoke-keys": { type: "boolean" } },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const { goOnRestored } = await import("@lossless/server/operator/restored");
    const located = await driverSettingsOf(invocation);
    const ended = await goOnRestored(located, values.flag("revoke-keys"));
    const where = located.databaseUrl === undefined ? `--data ${located.data}` : "--database-url U";
    output.answer({ ended }, () =>
      [endedText(ended), ...(ended.apiKeys > 0 ? [keysText(ended, where)] : [])].join("\n"),
    );
  },
});
