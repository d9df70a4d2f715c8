import type { CreateRetentionRuleBody, RetentionRuleContent } from "@lossless/client";

type Form = Pick<FormData, "get" | "getAll">;
type Status = Extract<RetentionRuleContent, { kind: "experiments" }>["statuses"][number];

/** The rule in the form. Throws an Error that names missing fields; the service checks the rest. */
export function ruleBody(form: Form): CreateRetentionRuleBody {
  const text = (field: string) => textOf(form.get(field));
  const number = (field: string) => (text(field) === "" ? null : Number(text(field)));
  const isNever = form.get("never") !== null;
  const olderThanDays = isNever ? null : number("days");
  const name = text("name");
  if (text("kind") === "versions") {
    const keepLast = isNever ? null : number("keep");
    if (!isNever && olderThanDays === null && keepLast === null)
      throw new Error("Say how many versions it keeps, or how old those are that it takes.");
    const under = text("place").replaceAll(/^\/+|\/+$/g, "") || null;
    return { name, rule: { kind: "versions", under, keepLast, olderThanDays } };
  }
  if (!isNever && olderThanDays === null)
    throw new Error("Say how many days ago what it takes has ended.");
  const statuses = form.getAll("status").map(textOf) as Status[];
  if (statuses.length === 0) throw new Error("Choose a status at least.");
  const folderId = text("folderId") || null;
  const kept = { folderId, olderThanDays, statuses, ...conditions(text, number("best")) };
  return { name, rule: { kind: "experiments", ...kept } };
}

/** Whether the rule takes nothing, and so protects its experiments or versions from other rules. */
export function isNever(rule: RetentionRuleContent): boolean {
  return rule.olderThanDays === null && (rule.kind === "experiments" || rule.keepLast === null);
}

function conditions(text: (field: string) => string, count: number | null) {
  const [query, unless, field] = [text("query"), text("unless"), text("field")];
  if ((count === null) !== (field === ""))
    throw new Error("Say how many of the best it keeps, and by which metric; or neither.");
  const order = text("order") === "greatest" ? "greatest" : "least";
  return {
    ...(query !== "" && { query }),
    ...(unless !== "" && { unless }),
    ...(count !== null && { keepBest: { field, order, count } as const }),
  };
}

/** The text of a field, trimmed, as pasted text may have spaces at its ends. */
function textOf(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value.trim() : "";
}
