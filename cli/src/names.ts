import { hasCode, type LosslessClient, type Person } from "@lossless/client";
import { CommandError } from "./command.ts";

/** An item that lists show by name: a person by e-mail address, a key by its label. */
interface Named {
  id: string;
  name: string;
}

/** Finds one by its id, or by its name when no other has it. */
export function oneNamed<One extends Named>(all: readonly One[], word: string, noun: string): One {
  const byId = all.find(({ id }) => id === word);
  if (byId !== undefined) return byId;
  const [found, ...more] = all.filter(({ name }) => name === word);
  if (found === undefined) throw new CommandError(`there is no ${noun} ${word}`);
  if (more.length === 0) return found;
  throw new CommandError(`${1 + more.length} ${noun}s are called ${word}; name one by its id`);
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
