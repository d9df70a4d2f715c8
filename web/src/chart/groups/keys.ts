/** Keys of groups, as addresses and choices have them. */

/** Whether a key is a field of meta, recognised by its beginning; others are keys of partitions. */
export function isMetaField(key: string): boolean {
  return key.startsWith("meta.");
}

/** Fields of experiments by which the service groups; a page knows them by this beginning. */
export const ownGroupFields = ["folder", "status", "state", "tag", "group", "commit"] as const;
const own = "experiment.";
export const ownKeys: readonly string[] = ownGroupFields.map((name) => own + name);

/** Whether a key is a field of experiments; others are keys of partitions. */
export function isFoundField(key: string): boolean {
  return isMetaField(key) || ownKeys.includes(key);
}

/** A key as names of groups have it. */
export function keyName(key: string): string {
  return choiceName(key).replace(/^meta\./, "");
}

/** A key as one chooses it. */
export function choiceName(key: string): string {
  return ownKeys.includes(key) ? key.slice(own.length) : key;
}

/** Whether clients and importers write a key by themselves: nobody chose it for an experiment. */
export function isOfTools(field: string): boolean {
  return /^meta\.("?_|import(\.|$)|tag\."?mlflow\.)/.test(field);
}
