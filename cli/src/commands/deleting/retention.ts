import { ruleWords, type TriedRetentionRule } from "@lossless/client";
import { type Invocation, noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText, countedText, countText, printable, table, timeText } from "../../output.ts";
import { ruleHelp, ruleNamed, ruleOf, ruleOptions } from "./retention-rule.ts";

export const list = serviceCommand({
  usage: "retention list",
  help: `
The rules by which what is old, or too many, goes to the trash by itself.
`,
  run: runList,
});

export const set = serviceCommand({
  usage: "retention set NAME --folder PATH | --artifacts PATH ...",
  help: `
Sets a rule, or another one in place of the one with this name: from now on what it finds goes to the trash, from where
it can be restored. retention try shows before what it would take. Where a folder or a path has rules of its own, those
above do not reach. Needs a person with the role admin: lossless login.
${ruleHelp}`,
  options: ruleOptions,
  run: runSet,
});

export const remove = serviceCommand({
  usage: "retention remove NAME",
  help: `
Removes a rule; what it took stays in the trash. Needs a person with the role admin: lossless login.
`,
  run: runRemove,
});

export const tryRule = serviceCommand({
  usage: "retention try NAME | --folder PATH | --artifacts PATH ...",
  help: `
Shows what a rule would take now, and why; it takes nothing. NAME is a rule that is set.
${ruleHelp}`,
  options: ruleOptions,
  run: runTry,
});

async function runList(invocation: Invocation): Promise<void> {
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
    return table(["NAME", "TAKES", "SET BY", "LOOKED"], rows);
  });
}

async function runSet(invocation: Invocation): Promise<void> {
  const name = onlyPositional(invocation, "rule");
  const rule = await ruleOf(invocation);
  const { retention } = clientOf(invocation);
  const found = (await retention.list()).find((one) => one.name === name);
  const given = { name, rule };
  const made = await (found === undefined
    ? retention.create(given)
    : retention.change(found, given));
  invocation.output.answer(made, () => `${printable(name)} takes ${printable(ruleWords(made))}`);
}

async function runRemove(invocation: Invocation): Promise<void> {
  const name = onlyPositional(invocation, "rule");
  const client = clientOf(invocation);
  await client.retention.delete(await ruleNamed(client, name));
  invocation.output.answer({ name }, () => `${printable(name)} is removed`);
}

async function runTry(invocation: Invocation): Promise<void> {
  const { positionals, values, output } = invocation;
  const client = clientOf(invocation);
  const isNamed = positionals.length > 0;
  const given = Object.keys(ruleOptions).some(
    (name) => values.text(name) !== undefined || values.flag(name) || values.texts(name).length > 0,
  );
  if (isNamed && given) throw new UsageError("name a rule, or give its options, not both");
  const stored = isNamed ? await ruleNamed(client, onlyPositional(invocation, "rule")) : undefined;
  const rule = stored?.rule ?? (await ruleOf(invocation));
  const tried = await client.retention.try(rule, stored?.id);
  output.answer(tried, () => shown(tried));
}

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
  lines.push(total === 0 ? "It would take nothing now." : `It would take ${countText(total)} now.`);
  if (behind > 0)
    lines.push(`${countedText(behind, "experiment")} not counted yet; none of them is taken.`);
  return lines.join("\n");
}
