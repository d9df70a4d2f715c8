import type { ReadOperations, ReplyOperations } from "./operations.ts";

/** Reads of a few rows: no long read holds them up, above all no credential. */
const shortReads: ReadonlySet<string> = new Set<keyof ReadOperations | keyof ReplyOperations>([
  "alias.list",
  "credentials.find",
  "file.read",
  "file.upload",
  "person.find",
  "person.organizations",
  "password.read",
  "picture.read",
  "invitation.find",
  "invitation.show",
  "connection.find",
  "issuer.keys",
  "location.list",
  "masterKey.inUse",
  "model.read",
  "note.read",
  "organization.list",
  "query.attributes",
  "query.experiment",
  "run.allowedLocations",
  "run.folder",
  "run.folderNamed",
  "run.read",
  "saved.read",
  "upload.candidates",
  "upload.state",
  "views.states",
  "views.marks",
  "workspace.applying",
]);

export function isShortRead(name: string): boolean {
  return shortReads.has(name);
}
