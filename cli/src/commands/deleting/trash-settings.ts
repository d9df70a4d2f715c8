import { limits } from "@lossless/client";
import { onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { countedText, printable } from "../../output.ts";

export const free = serviceCommand({
  usage: "trash free SLUG",
  help: `
Lets another experiment be recorded under the slug of a purged one. Writers of the purged one must have stopped before.
Needs a person with the role admin: lossless login.
`,
  async run(invocation) {
    const slug = onlyPositional(invocation, "slug");
    await clientOf(invocation).trash.freeSlug(slug);
    invocation.output.answer({ slug }, () => `${printable(slug)} is free again`);
  },
});

export const keep = serviceCommand({
  usage: "trash keep [DAYS]",
  help: `
Shows how many days the organization's trash keeps entries, or sets them for entries deleted from then on. Setting
them needs a person with the role admin: lossless login.
`,
  async run(invocation) {
    const [word, ...more] = invocation.positionals;
    if (more.length > 0) throw new UsageError(`unexpected word: ${more[0]}`);
    const { trash } = clientOf(invocation);
    if (word !== undefined && !(/^[1-9]\d{0,3}$/.test(word) && Number(word) <= limits.trashDaysMax))
      throw new UsageError(
        `DAYS must be a whole number from 1 to ${limits.trashDaysMax}, not ${word}`,
      );
    const { days } =
      word === undefined ? await trash.settings() : await trash.set({ days: Number(word) });
    invocation.output.answer(
      { days },
      () => `Deleted entries can be restored for ${countedText(days, "day")}.`,
    );
  },
});
