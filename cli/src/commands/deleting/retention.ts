import { ruleWords, type TriedRetentionRule } from "@lossless/client";
import { noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText, countedText, countText, printable, table, timeText } from "../../output.ts";
import { ruleHelp, ruleNamed, ruleOf, ruleOptions } from "./retention-rule.ts";

export const list = serviceCommand({
  usage: "retention list",
  help: `
Lists the rules that move old or surplus things to the trash.
`,
  async run(invocation) {
    noPositionals(invocation);
    const rules = await clientOf(invocation).retention.list();
    invocation.output.answer(rules, () => {
      if (rules.length === 0) return "None.";
      const rows = rules.map((rule) => [
        rule.name,
        ruleWords(rule),
        rule.changedBy,
        timeText(rule.lookedAtMs),
      ]);
      return table(["NAME", "MOVES", "SET BY", "LAST RUN"], rows);
    });
  },
});

export const set = serviceCommand({
  usage: "retention set NAME --folder PATH | --artifacts PATH ...",
  help: `
Sets a rule, or replaces the rule of this name: from now on it moves what it finds to the trash, from which it can be
restored. retention try shows what it would move. If a folder or a path has rules of its own, those of folders and paths
above do not apply. Needs a person with the role admin: lossless login.
${ruleHelp}`,
  options: ruleOptions,
  async run(invocation) {
    const name = onlyPositional(invocation, "rule");
    const rule = await ruleOf(invocation);
    const { retention } = clientOf(invocation);
    const found = (await retention.list()).find((one) => one.name === name);
    const given = { name, rule };
    const made = await (found === undefined
      ? retention.create(given)
      : retention.change(found, given));
    invocation.output.answer(made, () => `${printable(name)} moves ${printable(ruleWords(made))}`);
  },
});

export const remove = serviceCommand({
  usage: "retention remove NAME",
  help: `
Removes a rule; what it moved stays in the trash. Needs a person with the role admin: lossless login.
`,
  async run(invocation) {
    const name = onlyPositional(invocation, "rule");
    const client = clientOf(invocation);
    await client.retention.delete(await ruleNamed(client, name));
    invocation.output.answer({ name }, () => `${printable(name)} is removed`);
  },
});

export const tryRule = serviceCommand({
  usage: "retention try NAME | --folder PATH | --artifacts PATH ...",
  help: `
Shows what a rule would move now, and why, without moving it. NAME is a rule that is set.
${ruleHelp}`,
  options: ruleOptions,
  async run(invocation) {
    const { positionals, values, output } = invocation;
    const client = clientOf(invocation);
    const isNamed = positionals.length > 0;
    const given = Object.keys(ruleOptions).some(
      (name) =>
        values.text(name) !== undefined || values.flag(name) || values.texts(name).length > 0,
    );
    if (isNamed && given) throw new UsageError("name a rule, or give its options, not both");
    const stored = isNamed
      ? await ruleNamed(client, onlyPositional(invocation, "rule"))
      : undefined;
    const rule = stored?.rule ?? (await ruleOf(invocation));
    const tried = await client.retention.try(rule, stored?.id);
    output.answer(tried, () => shown(tried));
  },
});

function shown({ finds, total, behind }: TriedRetentionRule): string {
  const areNamed = finds.some(({ experimentName }) => experimentName !== null);
  const rows = finds.map(({ name, experimentName, version, points, bytes, sinceMs, why }) => [
    version === null ? name : `${name}@${version}`,
    ...(areNamed ? [experimentName ?? ""] : []),
    version === null ? countText(points) : "",
    version === null ? "" : bytesText(bytes),
    timeText(sinceMs),
    why,
  ]);
  const heads = ["NAME", ...(areNamed ? ["CALLED"] : []), "POINTS", "SIZE", "SINCE", "WHY"];
  const lines = finds.length === 0 ? [] : [table(heads, rows)];
  if (total > finds.length) lines.push(`and ${countText(total - finds.length)} more`);
  lines.push(total === 0 ? "It would move nothing now." : `It would move ${countText(total)} now.`);
  if (behind > 0)
    lines.push(
      `Left for now, because not fully counted yet: ${countedText(behind, "experiment")}.`,
    );
  return lines.join("\n");
}
