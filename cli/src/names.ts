import { hasCode, type LosslessClient, type Person } from "@lossless/client";

/** An item that lists show by name: a person by e-mail address, a key by its label. */
interface Named {
  id: string;
  name: string;
}

/**
 * Names by id, for lists of ids; an id without a name, of a removed person or a revoked key, is
 * shown itself.
 */
export function namesOf(
  people: readonly { id: string; email: string }[],
  keys: readonly Named[],
): (id: string) => string {
  const names = new Map<string, string>();
  for (const { id, name } of keys) names.set(id, `key ${name}`);
  for (const { id, email } of people) names.set(id, email);
  return (id) => names.get(id) ?? id;
}

/** People of the organization; none for an API key, which may not list them. */
export async function visiblePeople(client: LosslessClient): Promise<Person[]> {
  try {
    return await client.people.list();
  } catch (error) {
    if (hasCode(error, "forbidden")) return [];
    throw error;
  }
}
