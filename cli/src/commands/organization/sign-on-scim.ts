import type { ScimView } from "@lossless/client";
import { noPositionals, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { table } from "../../output.ts";

export const scim = serviceCommand({
  usage: "sign-on scim [--new-token | --end]",
  help: `
Shows the SCIM settings, by which the identity provider reports members and groups. Needs a person with the role admin.
An owner creates and ends the SCIM token: lossless login.

  --new-token   print a new token once; an existing one ends at once
  --end         end the token and delete the provider's data; people stay members
`,
  options: { "new-token": { type: "boolean" }, end: { type: "boolean" } },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const { signOn } = clientOf(invocation);
    const isNew = values.flag("new-token");
    if (isNew && values.flag("end"))
      throw new UsageError("--new-token and --end exclude each other");
    if (values.flag("end")) {
      await signOn.endScim();
      output.answer({ token: null }, () => "SCIM is ended.");
    } else if (isNew) {
      const made = await signOn.createScimToken();
      output.answer(made, () => made.secret);
    } else {
      const view = await signOn.readScim();
      output.answer(view, () => table(["WHAT", "IS"], linesOf(view)));
    }
  },
});

function linesOf({ address, token, users, groups }: ScimView): string[][] {
  return [
    ["base address", address],
    ["token made", token?.created ?? "none"],
    ["last used", token?.lastUsed ?? "-"],
    ["users", String(users)],
    ["groups", String(groups)],
  ];
}
