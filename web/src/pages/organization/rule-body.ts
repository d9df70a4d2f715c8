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
      throw new Error(
        "Enter how many versions the rule keeps, or how many days old the versions are that it moves to the trash.",
      );
    const under = text("place").replaceAll(/^\/+|\/+$/g, "") || null;
    return { name, rule: { kind: "versions", under, keepLast, olderThanDays } };
  }
  if (!isNever && olderThanDays === null)
    throw new Error(
      "Enter how many days ago the experiments ended that the rule moves to the trash.",
    );
  const statuses = form.getAll("status").map(textOf) as Status[];
  if (statuses.length === 0) throw new Error("Choose at least one status.");
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
    throw new Error(
      "Enter both how many of the best experiments the rule keeps and by which metric, or neither.",
    );
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
