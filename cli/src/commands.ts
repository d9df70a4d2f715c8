import type { CommandEntry } from "./command.ts";

/** All commands by their one or two words. Each is loaded when called. */
export const commands: Record<string, CommandEntry> = {
  serve: {
    summary: "run the service",
    load: async () => (await import("./commands/data/serve.ts")).serve,
  },
  login: {
    summary: "sign this machine in",
    load: async () => (await import("./commands/session/login.ts")).login,
  },
  logout: {
    summary: "end the sign-in of this machine",
    load: async () => (await import("./commands/session/logout.ts")).logout,
  },
  whoami: {
    summary: "show for whom commands act",
    load: async () => (await import("./commands/session/whoami.ts")).whoami,
  },
  import: {
    summary: "record CSV files, one experiment each",
    load: async () => (await import("./commands/experiments/import.ts")).importFiles,
  },
  "import mlflow": {
    summary: "copy the runs of an MLflow server",
    load: async () => (await import("./commands/experiments/import-mlflow.ts")).importMlflow,
  },
  "import organization": {
    summary: "import an exported organization into this one",
    load: async () => (await import("./commands/organization/import-organization.ts")).importAll,
  },
  "export organization": {
    summary: "export the whole organization to a directory",
    load: async () => (await import("./commands/organization/export-organization.ts")).exportAll,
  },
  export: {
    summary: "write experiments to CSV or NDJSON files",
    load: async () => (await import("./commands/experiments/export.ts")).exportExperiments,
  },
  push: {
    summary: "store files as a new version of an artifact",
    load: async () => (await import("./commands/artifacts/push.ts")).pushFiles,
  },
  pull: {
    summary: "fetch a version of an artifact",
    load: async () => (await import("./commands/artifacts/pull.ts")).pullFiles,
  },
  artifacts: {
    summary: "list artifacts",
    load: async () => (await import("./commands/artifacts/artifacts.ts")).artifacts,
  },
  versions: {
    summary: "list the versions of an artifact",
    load: async () => (await import("./commands/artifacts/versions.ts")).versions,
  },
  "note get": {
    summary: "read a note of an artifact",
    load: async () => (await import("./commands/artifacts/note.ts")).get,
  },
  "note put": {
    summary: "write a note of an artifact",
    load: async () => (await import("./commands/artifacts/note.ts")).put,
  },
  runs: {
    summary: "find experiments by meta, metrics and times",
    load: async () => (await import("./commands/experiments/runs.ts")).runs,
  },
  "experiments list": {
    summary: "list experiments",
    load: async () => (await import("./commands/experiments/experiments-list.ts")).list,
  },
  "experiments tree": {
    summary: "show folders and what is in them",
    load: async () => (await import("./commands/experiments/experiments-tree.ts")).tree,
  },
  "experiments show": {
    summary: "show one experiment",
    load: async () => (await import("./commands/experiments/experiments-show.ts")).show,
  },
  delete: {
    summary: "move experiments or a folder to the trash",
    load: async () => (await import("./commands/deleting/delete.ts")).deleteExperiments,
  },
  "trash list": {
    summary: "list deleted entries that can be restored",
    load: async () => (await import("./commands/deleting/trash.ts")).list,
  },
  "trash restore": {
    summary: "restore entries of the trash",
    load: async () => (await import("./commands/deleting/trash.ts")).restore,
  },
  "trash purge": {
    summary: "remove entries of the trash for good",
    load: async () => (await import("./commands/deleting/trash.ts")).purge,
  },
  "trash free": {
    summary: "free the slug of a purged experiment",
    load: async () => (await import("./commands/deleting/trash-settings.ts")).free,
  },
  "trash keep": {
    summary: "show or set how long the trash keeps entries",
    load: async () => (await import("./commands/deleting/trash-settings.ts")).keep,
  },
  "retention list": {
    summary: "list rules that move old things to the trash",
    load: async () => (await import("./commands/deleting/retention.ts")).list,
  },
  "retention set": {
    summary: "set a retention rule",
    load: async () => (await import("./commands/deleting/retention.ts")).set,
  },
  "retention remove": {
    summary: "remove a retention rule",
    load: async () => (await import("./commands/deleting/retention.ts")).remove,
  },
  "retention try": {
    summary: "show what a retention rule would move now",
    load: async () => (await import("./commands/deleting/retention.ts")).tryRule,
  },
  "series list": {
    summary: "list the series of an experiment",
    load: async () => (await import("./commands/experiments/series-list.ts")).list,
  },
  "series points": {
    summary: "print the points of series",
    load: async () => (await import("./commands/experiments/series-points.ts")).points,
  },
  plot: {
    summary: "draw a series in the terminal",
    load: async () => (await import("./commands/experiments/plot.ts")).plot,
  },
  org: {
    summary: "show the organization, and whether it can store artifacts",
    load: async () => (await import("./commands/deleting/org.ts")).org,
  },
  "org delete": {
    summary: "move an organization to the trash",
    load: async () => (await import("./commands/deleting/org-delete.ts")).deleteOrganization,
  },
  "org restore": {
    summary: "restore a deleted organization",
    load: async () => (await import("./commands/deleting/org-delete.ts")).restoreOrganization,
  },
  "org purge": {
    summary: "remove a deleted organization for good",
    load: async () => (await import("./commands/deleting/org-delete.ts")).purgeOrganization,
  },
  "org deleted": {
    summary: "list deleted organizations",
    load: async () => (await import("./commands/deleting/org-delete.ts")).deletedOrganizations,
  },
  "connections list": {
    summary: "list connected cloud accounts",
    load: async () => (await import("./commands/organization/connections.ts")).list,
  },
  "connections add": {
    summary: "start connecting a cloud account",
    load: async () => (await import("./commands/organization/connections.ts")).add,
  },
  "connections show": {
    summary: "show a connection, and its last refusal",
    load: async () => (await import("./commands/organization/connections.ts")).show,
  },
  "connections setup": {
    summary: "print the script to run in the cloud account",
    load: async () => (await import("./commands/organization/connections.ts")).setup,
  },
  "connections complete": {
    summary: "set the service's identity in the cloud account",
    load: async () => (await import("./commands/organization/connections-complete.ts")).complete,
  },
  "connections remove": {
    summary: "remove a connection",
    load: async () => (await import("./commands/organization/connections-remove.ts")).remove,
  },
  "locations list": {
    summary: "list locations of artifacts",
    load: async () => (await import("./commands/organization/locations.ts")).list,
  },
  "locations add": {
    summary: "add an S3-compatible bucket",
    load: async () => (await import("./commands/organization/locations-add.ts")).add,
  },
  "locations fallback": {
    summary: "make a location the fallback",
    load: async () => (await import("./commands/organization/locations.ts")).fallback,
  },
  "locations default": {
    summary: "make a location the default of its cloud",
    load: async () => (await import("./commands/organization/locations.ts")).setDefault,
  },
  "locations rename": {
    summary: "rename a location",
    load: async () => (await import("./commands/organization/locations.ts")).rename,
  },
  "locations retire": {
    summary: "stop writing to a location",
    load: async () => (await import("./commands/organization/locations.ts")).retire,
  },
  usage: {
    summary: "show bytes written and read, by day",
    load: async () => (await import("./commands/artifacts/usage.ts")).usage,
  },
  quotas: {
    summary: "show or set quotas of organizations",
    load: async () => (await import("./commands/data/quotas.ts")).quotas,
  },
  "tokens list": {
    summary: "list your personal tokens",
    load: async () => (await import("./commands/organization/tokens.ts")).list,
  },
  "tokens create": {
    summary: "create a personal token, with which programs act for you",
    load: async () => (await import("./commands/organization/tokens.ts")).create,
  },
  "tokens revoke": {
    summary: "revoke a personal token",
    load: async () => (await import("./commands/organization/tokens.ts")).revoke,
  },
  "sign-on show": {
    summary: "show the organization's identity provider",
    load: async () => (await import("./commands/organization/sign-on.ts")).show,
  },
  "sign-on set": {
    summary: "set the organization's identity provider",
    load: async () => (await import("./commands/organization/sign-on.ts")).set,
  },
  "sign-on scim": {
    summary: "show, make or end the SCIM token of the identity provider",
    load: async () => (await import("./commands/organization/sign-on-scim.ts")).scim,
  },
  "sign-on remove": {
    summary: "end sign-on by the identity provider",
    load: async () => (await import("./commands/organization/sign-on.ts")).remove,
  },
  "keys list": {
    summary: "list API keys",
    load: async () => (await import("./commands/data/keys.ts")).list,
  },
  "keys create": {
    summary: "create an API key",
    load: async () => (await import("./commands/data/keys.ts")).create,
  },
  "keys revoke": {
    summary: "revoke an API key",
    load: async () => (await import("./commands/data/keys.ts")).revoke,
  },
  "keys rotate-master": {
    summary: "change the key that seals secrets at rest",
    load: async () => (await import("./commands/data/keys-rotate-master.ts")).rotateMaster,
  },
  "people list": {
    summary: "list people and their roles",
    load: async () => (await import("./commands/data/people.ts")).list,
  },
  "people invite": {
    summary: "create an invitation link",
    load: async () => (await import("./commands/data/people-links.ts")).invite,
  },
  "people role": {
    summary: "give a person another role",
    load: async () => (await import("./commands/data/people.ts")).role,
  },
  "people remove": {
    summary: "end a person's membership",
    load: async () => (await import("./commands/data/people.ts")).remove,
  },
  "people erase": {
    summary: "erase a person for ever",
    load: async () => (await import("./commands/data/people.ts")).erase,
  },
  "people reset-password": {
    summary: "create a link to set a new password",
    load: async () => (await import("./commands/data/people-links.ts")).resetPassword,
  },
  audit: {
    summary: "show who did what",
    load: async () => (await import("./commands/organization/audit.ts")).audit,
  },
  "issuer export": {
    summary: "write the token issuer's public documents for a static site",
    load: async () => (await import("./commands/organization/issuer-export.ts")).exportIssuer,
  },
  "issuer keys": {
    summary: "list the token issuer's signing keys",
    load: async () => (await import("./commands/data/issuer.ts")).keys,
  },
  "issuer rotate": {
    summary: "make the token issuer's next key sign",
    load: async () => (await import("./commands/data/issuer.ts")).rotate,
  },
  backup: {
    summary: "back up to a directory or bucket, beside a running service",
    load: async () => (await import("./commands/data/backup.ts")).backup,
  },
  "backup list": {
    summary: "list the backups of a place",
    load: async () => (await import("./commands/data/backup.ts")).list,
  },
  "backup prune": {
    summary: "remove old backups",
    load: async () => (await import("./commands/data/backup.ts")).prune,
  },
  restore: {
    summary: "make a data directory from a backup",
    load: async () => (await import("./commands/data/restore.ts")).restore,
  },
  restored: {
    summary: "continue from data that other tools restored",
    load: async () => (await import("./commands/data/restored.ts")).restored,
  },
  copy: {
    summary: "copy an installation to PostgreSQL, or back",
    load: async () => (await import("./commands/data/copy.ts")).copy,
  },
  gc: {
    summary: "remove leftovers of abandoned uploads",
    load: async () => (await import("./commands/data/gc.ts")).gc,
  },
  compact: {
    summary: "return the space of deleted data to the disk",
    load: async () => (await import("./commands/data/compact.ts")).compact,
  },
  verify: {
    summary: "check every checksum and count of stored data",
    load: async () => (await import("./commands/data/verify.ts")).verify,
  },
  doctor: {
    summary: "check the service's machine, database and network",
    load: async () => (await import("./commands/data/doctor.ts")).makeDoctor(),
  },
  completion: {
    summary: "print a shell's completion script",
    load: async () => (await import("./commands/completion.ts")).completionOf(commands),
  },
};
