import type { LosslessClient } from "@lossless/client";
import type { Administration } from "@lossless/server/operator/administration";
import { administered, administrationCommand, waysHelp } from "../../administration.ts";
import { type Invocation, noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { namesOf, visiblePeople } from "../../names.ts";
import { table, timeText } from "../../output.ts";

const person =
  "\nThrough the service it needs a person with the role admin or owner; an API key is not enough.";

export const list = administrationCommand({
  usage: "keys list [--organization O]",
  help: `${waysHelp}
On the data, --organization limits the list; without it, it lists the keys of all organizations.
`,
  run: (invocation) => {
    noPositionals(invocation);
    return administered(invocation, { byService: listByService, onData: listOnData });
  },
});

export const create = administrationCommand({
  usage: "keys create --name NAME [--organization O] [--new-organization]",
  help: `
Prints the new key once; only its hash is stored. The key is valid at once, also in a running service.
${waysHelp}${person}

  --name NAME        the purpose of the key
  --new-organization on the data only: make the organization (default: default) if it does not exist`,
  options: {
    name: { type: "string" },
    "new-organization": { type: "boolean" },
  },
  run: (invocation) => {
    noPositionals(invocation);
    invocation.values.required("name");
    return administered(invocation, { byService: createByService, onData: createOnData });
  },
});

export const revoke = administrationCommand({
  usage: "keys revoke KEY-ID",
  help: `
Ends a key for every request that starts from now on, also in a running service.
${waysHelp}${person}
`,
  run: (invocation) => {
    onlyPositional(invocation, "key by its id");
    return administered(invocation, { byService: revokeByService, onData: revokeOnData });
  },
});

async function listByService(client: LosslessClient, { output }: Invocation): Promise<void> {
  const keys = await client.organization.apiKeys();
  const nameOf = namesOf(await visiblePeople(client), keys);
  output.answer(keys, () =>
    table(
      ["ID", "NAME", "CREATED", "CREATED BY", "LAST USED"],
      keys.map(({ id, name, created, createdBy, lastUsed }) => {
        return [id, name, created, nameOf(createdBy), lastUsed ?? "-"];
      }),
    ),
  );
}

async function createByService(client: LosslessClient, invocation: Invocation): Promise<void> {
  const { values, output } = invocation;
  if (values.flag("new-organization")) {
    throw new UsageError(
      "--new-organization works on the data only: give --data or --database-url",
    );
  }
  const created = await client.organization.createApiKey(values.required("name"));
  output.answer(created, () => created.secret);
}

async function revokeByService(client: LosslessClient, invocation: Invocation): Promise<void> {
  const id = onlyPositional(invocation, "key by its id");
  await client.organization.revokeApiKey(id);
  invocation.output.answer({ id }, () => `${id} is revoked`);
}

async function listOnData(keys: Administration, invocation: Invocation): Promise<void> {
  const all = await keys.listKeys(invocation.values.text("organization"));
  const nameOf = namesOf(await keys.listPeople(), []);
  invocation.output.answer(all, () =>
    table(
      ["ID", "ORGANIZATION", "NAME", "CREATED", "CREATED BY", "LAST USED", "REVOKED"],
      all.map(({ keyId, organization, name, createdBy, ...times }) => {
        const [created, ...others] = [times.createdAtMs, times.lastUsedAtMs, times.revokedAtMs];
        const by = nameOf(createdBy);
        const shown = others.map(timeText);
        return [keyId, organization.name, name, timeText(created ?? null), by, ...shown];
      }),
    ),
  );
}

async function createOnData(keys: Administration, invocation: Invocation): Promise<void> {
  const { values, output } = invocation;
  const organization = values.text("organization") ?? "default";
  const name = values.required("name");
  const key = await keys.createKey(organization, name, values.flag("new-organization"));
  output.answer(key, () => key.secret);
}

async function revokeOnData(keys: Administration, invocation: Invocation): Promise<void> {
  const keyId = onlyPositional(invocation, "key by its id");
  const revoked = await keys.revokeKey(keyId);
  invocation.output.answer(revoked, () => `${keyId} is revoked`);
}
