/** Reads of a few rows, which run in a thread of their own: no long read holds them up, above all no credential. */
export const lookups = [
  "credential.find",
  "person.find",
  "person.organizations",
  "password.read",
  "invitation.find",
  "invitation.show",
  "connection.find",
  "note.read",
] as const;

/** Those of which the result is passed on as text. */
export const lookupReplyNames = ["query.experiment"] as const;

const all: ReadonlySet<string> = new Set([...lookups, ...lookupReplyNames]);

export function isLookup(name: string): boolean {
  return all.has(name);
}
