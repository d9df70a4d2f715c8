import { createInterface } from "node:readline/promises";
import { endpoints, type Organization } from "@lossless/client";
import { CommandError } from "../command.ts";
import { type Output, printable } from "../output.ts";
import { fetchJson } from "./authorization-server.ts";

/** Reads the organizations of the signed-in person. */
export async function organizationsOf(url: string, accessToken: string): Promise<Organization[]> {
  const address = url + endpoints.listOrganizations.path;
  const { organizations } = await fetchJson(address, accessToken);
  if (!Array.isArray(organizations)) throw new CommandError("the list of organizations is missing");
  return organizations.map(({ id, name }: Organization) => ({ id, name }));
}

/** Returns the named organization, the only one, or the one the person picks; null: none yet. */
export async function chooseOrganization(
  organizations: readonly Organization[],
  wanted: string | undefined,
  output: Output,
): Promise<Organization | null> {
  if (wanted !== undefined) return organizationNamed(organizations, wanted);
  if (organizations.length === 1) return organizations[0];
  if (organizations.length === 0) {
    output.note("You do not belong to any organization yet; ask for an invitation.");
    return null;
  }
  output.note(`You belong to several organizations:\n${listed(organizations)}`);
  if (output.isTerminal && process.stdin.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = (await terminal.question("Which one? ")).trim();
      if (answer !== "") return organizationNamed(organizations, answer);
    } finally {
      terminal.close();
    }
  }
  output.note("No organization is chosen: give --organization, here or with each command.");
  return null;
}

/** Finds an organization by name, then by id, as everywhere. */
function organizationNamed(organizations: readonly Organization[], wanted: string): Organization {
  const found =
    organizations.find(({ name }) => name === wanted) ??
    organizations.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  throw new CommandError(
    `you do not belong to an organization ${JSON.stringify(wanted)}; you belong to:\n${listed(organizations)}`,
  );
}

function listed(organizations: readonly Organization[]): string {
  return organizations.map(({ name }) => `  ${printable(name)}`).join("\n");
}
