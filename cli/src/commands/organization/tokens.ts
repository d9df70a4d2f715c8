import { noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { table } from "../../output.ts";

export const list = serviceCommand({
  usage: "tokens list [--all]",
  help: `
Lists your personal tokens in the organization; with --all those of every member, for an admin. Needs a person:
lossless login.

  --all              of every member
`,
  options: { all: { type: "boolean" } },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const tokens = await clientOf(invocation).tokens.list(values.flag("all") ? "all" : undefined);
    output.answer(tokens, () =>
      table(
        ["ID", "NAME", "SCOPE", "OF", "CREATED", "EXPIRES", "LAST USED"],
        tokens.map(({ id, name, scope, owner, created, expires, lastUsed }) => {
          return [id, name, scope, owner, created, expires ?? "-", lastUsed ?? "-"];
        }),
      ),
    );
  },
});

export const create = serviceCommand({
  usage: "tokens create --name NAME [--scope S] [--days N]",
  help: `
Prints a new personal token once; only its hash is stored. Programs send it in place of an API key, and act for you:
never with more than your current role, and only while you are a member. Needs a person: lossless login.

  --name NAME        the purpose of the token
  --scope S          read; write, what an API key may (default); role, what your role may
  --days N           days until it expires, or none (default: 90)
  --service-account  first make a service account of the name, and the token for it; needs the role admin
`,
  options: {
    name: { type: "string" },
    scope: { type: "string" },
    days: { type: "string" },
    "service-account": { type: "boolean" },
  },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const name = values.required("name");
    const scope = scopeOf(values.text("scope") ?? "write");
    const days = daysOf(values.text("days") ?? "90");
    const { tokens } = clientOf(invocation);
    const account = values.flag("service-account")
      ? { account: (await tokens.createServiceAccount({ name, role: "member" })).id }
      : {};
    const made = await tokens.create({ name, scope, days, ...account });
    output.answer(made, () => made.secret);
  },
});

export const revoke = serviceCommand({
  usage: "tokens revoke TOKEN-ID",
  help: `
Ends a personal token for every request that starts from now on: one of yours or, for an admin, of any member.
`,
  async run(invocation) {
    const id = onlyPositional(invocation, "token by its id");
    await clientOf(invocation).tokens.revoke(id);
    invocation.output.answer({ id }, () => `${id} is revoked`);
  },
});

function scopeOf(word: string): "read" | "write" | "role" {
  if (word === "read" || word === "write" || word === "role") return word;
  throw new UsageError(`--scope must be read, write or role, not ${word}`);
}

function daysOf(word: string): number | null {
  if (word === "none") return null;
  if (/^[1-9]\d{0,3}$/.test(word)) return Number(word);
  throw new UsageError(`--days must be a whole number of days, or none, not ${word}`);
}
