import type { Location, LosslessClient, UpdateLocationBody } from "@lossless/client";
import { type Invocation, noPositionals, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { oneNamed } from "../../names.ts";
import { printable, table } from "../../output.ts";

export const list = serviceCommand({
  usage: "locations list",
  help: `
Lists the locations of the organization's artifacts. The fallback is used if no location is nearer to the writer.
`,
  async run(invocation) {
    noPositionals(invocation);
    const { locations } = await clientOf(invocation).organization.view();
    invocation.output.answer(locations, () =>
      table(
        ["NAME", "CLOUD", "REGION", "BUCKET", "ENDPOINT", "STATE", "ROLE", "ID"],
        locations.map((location) => {
          const { name, cloud, region, bucket, path, endpoint, state, id } = location;
          const where = path === "" ? bucket : `${bucket}/${path}`;
          return [name, cloud, region, where, endpoint, state, roleText(location), id];
        }),
      ),
    );
  },
});

const person = "Needs a person with the role admin or owner: lossless login.";

export const fallback = serviceCommand({
  usage: "locations fallback LOCATION",
  help: `
Makes a location, by name or id, the fallback; the one before it no longer is. ${person}
`,
  run: (invocation) => change(invocation, { fallback: true }, "is the fallback"),
});

export const setDefault = serviceCommand({
  usage: "locations default LOCATION",
  help: `
Makes a location, by name or id, the default of its cloud: writers in the cloud's other regions use it.
${person}
`,
  run: (invocation) => change(invocation, { default: true }, "is the default of its cloud"),
});

export const retire = serviceCommand({
  usage: "locations retire LOCATION",
  help: `
Stops writing to a location, by name or id. Its versions can still be read, and pending uploads end normally.
It cannot be undone. The fallback cannot be retired: make another location the fallback first. ${person}
`,
  run: (invocation) => change(invocation, { state: "retired" }, "is retired"),
});

export const rename = serviceCommand({
  usage: "locations rename LOCATION NAME",
  help: `
Gives a location, by name or id, another name. ${person}
`,
  async run(invocation) {
    const [word, name, ...more] = invocation.positionals;
    if (word === undefined || name === undefined || more.length > 0) {
      throw new UsageError("name the location and its new name");
    }
    const renamed = { ...invocation, positionals: [word] };
    return change(renamed, { name }, `is now ${printable(name)}`);
  },
});

async function change(
  invocation: Invocation,
  body: UpdateLocationBody,
  result: string,
): Promise<void> {
  const word = onlyPositional(invocation, "location by its name or id");
  const client = clientOf(invocation);
  const { locations } = await client.organization.view();
  const { id, name } = oneNamed(locations, word, "location");
  const location = await client.organization.updateLocation(id, body);
  const more = body.fallback === true ? await whatStaysLocal(client, location) : [];
  invocation.output.answer(location, () => [`${printable(name)} ${result}`, ...more].join("\n"));
}

/**
 * Warns that a new fallback changes nothing for writers with a location in their own place, which
 * for most is the built-in one's, the default.
 */
export async function whatStaysLocal(client: LosslessClient, added: Location): Promise<string[]> {
  const { locations } = await client.organization.view();
  return locations
    .filter(({ id, cloud, region, state }) => {
      return id !== added.id && state === "active" && cloud === "local" && region === "local";
    })
    .flatMap(({ id, name }) => {
      const isOnly = locations.filter((other) => other.name === name).length === 1;
      return [
        `writers in local/local (push without --cloud and --region) still go to ${printable(name)};`,
        `lossless locations retire ${isOnly ? printable(name) : id} sends them here; its versions can still be read`,
      ];
    });
}

function roleText({ fallback: isFallback, default: isDefault }: Location): string {
  const roles = [...(isFallback ? ["fallback"] : []), ...(isDefault ? ["default"] : [])];
  return roles.join(", ") || "-";
}
