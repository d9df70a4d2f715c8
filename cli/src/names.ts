import { hasCode, type LosslessClient, type Person } from "@lossless/client";

/** Something that lists show by a name: a person by the e-mail address, a key by its label. */
interface Named {
  id: string;
  name: string;
}

/**
 * Names by id, for lists in which ids stand: of whom there is no name any more, a person who was
 * removed or a key that was revoked, the id is shown.
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

/** Nobody for an API key: the list is for people. */
export async function visiblePeople(client: LosslessClient): Promise<Person[]> {
  try {
    return await client.people.list();
  } catch (error) {
    if (hasCode(error, "forbidden")) return [];
    throw error;
  }
}
