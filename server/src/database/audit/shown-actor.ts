/** The columns of an actor, and the tables that `actorJoins` adds. */
export interface ActorColumns {
  actor: string;
  email: string | null;
  key_name: string | null;
}

export const actorColumns = (actor: string) =>
  `${actor} AS actor, person.email, api_key.name AS key_name`;
export const actorJoins = (actor: string) => `LEFT JOIN person ON person.id = ${actor}
  LEFT JOIN api_key ON api_key.id = ${actor}`;

/** Returns the name of a person or key, or the word of an actor that is neither. */
export function shownActor({ actor, email, key_name: keyName }: ActorColumns): string {
  // A mark may follow the address, which tells namesakes apart.
  return email === null ? (keyName ?? actor) : email.split(" ", 1)[0];
}
