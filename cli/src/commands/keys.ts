import { hasCode } from "@lossless/client";
import { CommandError, noPositionals, onlyPositional, UsageError } from "../command.ts";
import type { Command, CommandOptions, Invocation } from "../command.ts";
import {
  clientOf,
  connectionHelp,
  connectionOptions,
  isSignedIn,
  personsClientOf,
} from "../connection.ts";
import { dataHelp, dataOptions, driverSettingsOf } from "../data-location.ts";
import { table, timeText } from "../output.ts";

const waysHelp = `
Asks the service, as the person of lossless login or with an API key; making and revoking keys needs a person with
the role admin or owner. With --data or --database-url, their variables, or when there is neither sign-in nor key,
it works directly on the data, as whoever may read and write it.
`;
const options: CommandOptions = { ...connectionOptions, ...dataOptions };
const help = `${connectionHelp}${dataHelp}`;

export const list: Command = {
  usage: "keys list [--organization O]",
  help: `${waysHelp}
On the data, --organization limits the list; without it the keys of all organizations are listed.
${help}`,
  options,
  run: (invocation) => (isOnData(invocation) ? listOnData(invocation) : listByService(invocation)),
};

export const create: Command = {
  usage: "keys create --name NAME [--organization O] [--new-organization]",
  help: `
Prints the new key once; only its hash is stored. It works at once, also while the service runs.
${waysHelp}
  --name NAME        what the key is for
  --new-organization on the data only: make the organization (default: default) when there is none of this name${help}`,
  options: { ...options, name: { type: "string" }, "new-organization": { type: "boolean" } },
  run: (invocation) =>
    isOnData(invocation) ? createOnData(invocation) : createByService(invocation),
};

export const revoke: Command = {
  usage: "keys revoke KEY-ID",
  help: `
Ends a key for every request that starts from now on, also while the service runs.
${waysHelp}${help}`,
  options,
  run: (invocation) =>
    isOnData(invocation) ? revokeOnData(invocation) : revokeByService(invocation),
};

/** Given options decide; otherwise the service is asked if there is anything to ask it with. */
function isOnData(invocation: Invocation): boolean {
  const { values, environment } = invocation;
  const data = [values.text("data"), values.text("database-url")];
  const service = [values.text("url"), values.text("api-key")];
  if (data.some(isGiven)) {
    if (!service.some(isGiven)) return true;
    throw new UsageError("give --url and --api-key, or --data or --database-url, not both");
  }
  if (service.some(isGiven)) return false;
  const variables = ["LOSSLESS_DATA", "LOSSLESS_DATABASE_URL"].map((name) => environment[name]);
  if (variables.some(isGiven)) return true;
  return !isGiven(environment["LOSSLESS_API_KEY"]) && !isSignedIn(invocation);
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}

// ---- by the service

async function listByService(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const keys = await clientOf(invocation).organization.apiKeys();
  invocation.output.answer(keys, () =>
    table(
      ["ID", "NAME", "CREATED", "CREATED BY", "LAST USED"],
      keys.map(({ id, name, created, createdBy, lastUsed }) => {
        return [id, name, created, createdBy, lastUsed ?? "-"];
      }),
    ),
  );
  return 0;
}

async function createByService(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const { values, output } = invocation;
  if (values.flag("new-organization")) {
    throw new UsageError(
      "--new-organization works on the data only: give --data or --database-url",
    );
  }
  const name = values.required("name");
  const created = await asPerson(() => personsClientOf(invocation).organization.createApiKey(name));
  output.answer(created, () => created.secret);
  return 0;
}

async function revokeByService(invocation: Invocation): Promise<number> {
  const id = onlyPositional(invocation, "key by its id");
  await asPerson(() => personsClientOf(invocation).organization.revokeApiKey(id));
  invocation.output.answer({ id }, () => `${id} is revoked`);
  return 0;
}

async function asPerson<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!hasCode(error, "forbidden")) throw error;
    throw new CommandError(
      `${(error as Error).message} Run lossless login; or, where the data is, give --data DIR.`,
    );
  }
}

// ---- on the data

async function openKeys(invocation: Invocation) {
  const { administer } = await import("@lossless/server");
  return administer(driverSettingsOf(invocation));
}

async function listOnData(invocation: Invocation): Promise<number> {
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

async function createOnData(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const { values, output } = invocation;
  const name = values.required("name");
  const organization = values.text("organization") ?? "default";
  await using keys = await openKeys(invocation);
  const key = await keys.createKey(organization, name, values.flag("new-organization"));
  output.answer(key, () => key.secret);
  return 0;
}

async function revokeOnData(invocation: Invocation): Promise<number> {
  const keyId = onlyPositional(invocation, "key by its id");
  await using keys = await openKeys(invocation);
  const revoked = await keys.revokeKey(keyId);
  invocation.output.answer(revoked, () => `${keyId} is revoked`);
  return 0;
}
