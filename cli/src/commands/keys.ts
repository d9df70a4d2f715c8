import { noPositionals, onlyPositional } from "../command.ts";
import type { Command, Invocation } from "../command.ts";
import { dataHelp, dataOptions, driverSettingsOf } from "../data-location.ts";
import { table, timeText } from "../output.ts";

export const list: Command = {
  usage: "keys list [--organization O]",
  help: `
  --organization O   only the keys of this organization, by name or id${dataHelp}`,
  options: { ...dataOptions, organization: { type: "string" } },
  run: runList,
};

export const create: Command = {
  usage: "keys create --name NAME [--organization O] [--new-organization]",
  help: `
Prints the new key once; only its hash is stored. It works at once, also while the service runs.

  --name NAME        what the key is for
  --organization O   organization by name or id (default)
  --new-organization make the organization when there is none of this name${dataHelp}`,
  options: {
    ...dataOptions,
    name: { type: "string" },
    organization: { type: "string" },
    "new-organization": { type: "boolean" },
  },
  run: runCreate,
};

export const revoke: Command = {
  usage: "keys revoke KEY-ID",
  help: `
Ends a key for every request that starts from now on, also while the service runs.
${dataHelp}`,
  options: dataOptions,
  run: runRevoke,
};

async function openKeys(invocation: Invocation) {
  const { administer } = await import("@lossless/server");
  return administer(driverSettingsOf(invocation));
}

async function runList(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  await using keys = await openKeys(invocation);
  const all = await keys.listKeys(invocation.values.text("organization"));
  invocation.output.answer(all, () =>
    table(
      ["ID", "ORGANIZATION", "NAME", "CREATED", "LAST USED", "REVOKED"],
      all.map(({ keyId, organization, name, createdAtMs, lastUsedAtMs, revokedAtMs }) => {
        const times = [createdAtMs, lastUsedAtMs, revokedAtMs].map(timeText);
        return [keyId, organization.name, name, ...times];
      }),
    ),
  );
  return 0;
}

async function runCreate(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const { values, output } = invocation;
  const name = values.required("name");
  const organization = values.text("organization") ?? "default";
  await using keys = await openKeys(invocation);
  const key = await keys.createKey(organization, name, values.flag("new-organization"));
  output.answer(key, () => key.secret);
  return 0;
}

async function runRevoke(invocation: Invocation): Promise<number> {
  const keyId = onlyPositional(invocation, "key by its id");
  await using keys = await openKeys(invocation);
  const revoked = await keys.revokeKey(keyId);
  invocation.output.answer(revoked, () => `${keyId} is revoked`);
  return 0;
}
