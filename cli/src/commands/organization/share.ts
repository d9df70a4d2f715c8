import { noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { table } from "../../output.ts";

export const share = serviceCommand({
  usage: "share SLUG... [--days N]",
  help: `
Prints a guest link once: whoever has it reads the experiment, or the comparison of several, without an account, and
nothing else of the organization, until it ends. Needs a person, where members may share: lossless login.

  --days N           days until it ends, 1 to 90 (default: 14)
  --name NAME        what the list of links calls it (default: the slug)
  --anonymous        for review: curves and numbers, without names and texts
  --console          show the console
  --files            show media and artifacts, and let guests download them
`,
  options: {
    days: { type: "string" },
    name: { type: "string" },
    anonymous: { type: "boolean" },
    console: { type: "boolean" },
    files: { type: "boolean" },
  },
  async run(invocation) {
    const { values, output, positionals } = invocation;
    if (positionals.length === 0) throw new UsageError("name an experiment by its slug");
    const days = daysOf(values.text("days") ?? "14");
    const client = clientOf(invocation);
    const experimentIds: string[] = [];
    for (const slug of positionals) {
      const read = () => client.experiment({ experimentSlug: slug });
      experimentIds.push((await namedExperiment(client, slug, read)).experimentId);
    }
    const more = positionals.length === 1 ? "" : ` and ${positionals.length - 1} more`;
    const made = await client.guests.create({
      name: (values.text("name") ?? positionals[0] + more).slice(0, 128),
      experimentIds,
      days,
      isAnonymous: values.flag("anonymous"),
      showsConsole: values.flag("console"),
      showsFiles: values.flag("files"),
    });
    output.answer(made, () => made.address);
  },
});

export const list = serviceCommand({
  usage: "share list",
  help: `
Lists the organization's guest links, without their addresses. Needs a person: lossless login.
`,
  async run(invocation) {
    noPositionals(invocation);
    const found = await clientOf(invocation).guests.list();
    invocation.output.answer(found, () =>
      table(
        ["ID", "NAME", "KIND", "MADE BY", "ENDS", "OPENED", "LAST OPENED"],
        found.links.map(({ id, name, kind, createdBy, expires, uses, lastUsed }) => {
          return [id, name, kind, createdBy, expires, String(uses), lastUsed ?? "-"];
        }),
      ),
    );
  },
});

export const revoke = serviceCommand({
  usage: "share revoke LINK-ID",
  help: `
Ends a guest link at once: one of yours or, for an admin, any.
`,
  async run(invocation) {
    const id = onlyPositional(invocation, "guest link by its id");
    await clientOf(invocation).guests.revoke(id);
    invocation.output.answer({ id }, () => `${id} is revoked`);
  },
});

function daysOf(word: string): number {
  const days = Number(word);
  if (/^\d{1,2}$/.test(word) && days >= 1 && days <= 90) return days;
  throw new UsageError(`--days must be a whole number from 1 to 90, not ${word}`);
}
