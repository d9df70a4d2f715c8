import type { Command, CommandEntry } from "./command.ts";

const artifacts = () => import("./commands/artifacts/artifacts.ts");
const aliases = () => import("./commands/artifacts/aliases.ts");
const lineage = () => import("./commands/artifacts/lineage.ts");
const models = () => import("./commands/artifacts/models.ts");
const note = () => import("./commands/artifacts/note.ts");
const pull = () => import("./commands/artifacts/pull.ts");
const push = () => import("./commands/artifacts/push.ts");
const usage = () => import("./commands/artifacts/usage.ts");
const versions = () => import("./commands/artifacts/versions.ts");
const completion = () => import("./commands/completion.ts");
const backup = () => import("./commands/data/backup.ts");
const compact = () => import("./commands/data/compact.ts");
const copy = () => import("./commands/data/copy.ts");
const doctor = () => import("./commands/data/doctor.ts");
const gc = () => import("./commands/data/gc.ts");
const issuer = () => import("./commands/data/issuer.ts");
const keysRotateMaster = () => import("./commands/data/keys-rotate-master.ts");
const keys = () => import("./commands/data/keys.ts");
const peopleLinks = () => import("./commands/data/people-links.ts");
const people = () => import("./commands/data/people.ts");
const quotas = () => import("./commands/data/quotas.ts");
const restore = () => import("./commands/data/restore.ts");
const restored = () => import("./commands/data/restored.ts");
const serve = () => import("./commands/data/serve.ts");
const verify = () => import("./commands/data/verify.ts");
const deleting = () => import("./commands/deleting/delete.ts");
const orgDelete = () => import("./commands/deleting/org-delete.ts");
const org = () => import("./commands/deleting/org.ts");
const retention = () => import("./commands/deleting/retention.ts");
const trashSettings = () => import("./commands/deleting/trash-settings.ts");
const trash = () => import("./commands/deleting/trash.ts");
const experimentsList = () => import("./commands/experiments/experiments-list.ts");
const experimentsShow = () => import("./commands/experiments/experiments-show.ts");
const experimentsTree = () => import("./commands/experiments/experiments-tree.ts");
const exportFiles = () => import("./commands/experiments/export.ts");
const importMlflow = () => import("./commands/experiments/import-mlflow.ts");
const importFiles = () => import("./commands/experiments/import.ts");
const mcp = () => import("./commands/mcp.ts");
const wait = () => import("./commands/experiments/wait.ts");
const logs = () => import("./commands/experiments/logs.ts");
const media = () => import("./commands/experiments/media.ts");
const plot = () => import("./commands/experiments/plot.ts");
const runs = () => import("./commands/experiments/runs.ts");
const seriesList = () => import("./commands/experiments/series-list.ts");
const seriesPoints = () => import("./commands/experiments/series-points.ts");
const audit = () => import("./commands/organization/audit.ts");
const connectionsComplete = () => import("./commands/organization/connections-complete.ts");
const connectionsRemove = () => import("./commands/organization/connections-remove.ts");
const connections = () => import("./commands/organization/connections.ts");
const exportOrganization = () => import("./commands/organization/export-organization.ts");
const importOrganization = () => import("./commands/organization/import-organization.ts");
const issuerExport = () => import("./commands/organization/issuer-export.ts");
const locationsAdd = () => import("./commands/organization/locations-add.ts");
const locations = () => import("./commands/organization/locations.ts");
const share = () => import("./commands/organization/share.ts");
const signOnScim = () => import("./commands/organization/sign-on-scim.ts");
const signOn = () => import("./commands/organization/sign-on.ts");
const tokens = () => import("./commands/organization/tokens.ts");
const login = () => import("./commands/session/login.ts");
const logout = () => import("./commands/session/logout.ts");
const whoami = () => import("./commands/session/whoami.ts");

/** All commands by their one or two words. Each is loaded when called. */
export const commands: Record<string, CommandEntry> = {
  serve: entry(serve, "serve", "run the service"),
  login: entry(login, "login", "sign this machine in"),
  logout: entry(logout, "logout", "end the sign-in of this machine"),
  whoami: entry(whoami, "whoami", "show for whom commands act"),
  import: entry(importFiles, "importFiles", "record CSV files, one experiment each"),
  "import mlflow": entry(importMlflow, "importMlflow", "copy the runs of an MLflow server"),
  "import organization": entry(
    importOrganization,
    "importAll",
    "import an exported organization into this one",
  ),
  "export organization": entry(
    exportOrganization,
    "exportAll",
    "export the whole organization to a directory",
  ),
  export: entry(exportFiles, "exportExperiments", "write experiments to CSV or NDJSON files"),
  push: entry(push, "pushFiles", "store files as a new version of an artifact"),
  pull: entry(pull, "pullFiles", "fetch a version of an artifact"),
  artifacts: entry(artifacts, "artifacts", "list artifacts"),
  versions: entry(versions, "versions", "list the versions of an artifact"),
  "alias list": entry(aliases, "list", "list the aliases of an artifact's versions"),
  "alias set": entry(aliases, "set", "set or move an alias to a version"),
  "alias remove": entry(aliases, "remove", "remove an alias"),
  "alias history": entry(aliases, "history", "show what aliases pointed to, and who moved them"),
  lineage: entry(lineage, "lineage", "show what runs and versions were made of and used for"),
  "models list": entry(models, "list", "list registered models"),
  "models show": entry(models, "show", "show a registered model or one of its versions"),
  "note get": entry(note, "get", "read a note of an artifact"),
  "note put": entry(note, "put", "write a note of an artifact"),
  runs: entry(runs, "runs", "find experiments by meta, metrics and times"),
  "experiments list": entry(experimentsList, "list", "list experiments"),
  "experiments tree": entry(experimentsTree, "tree", "show folders and what is in them"),
  "experiments show": entry(experimentsShow, "show", "show one experiment"),
  delete: entry(deleting, "deleteExperiments", "move experiments or a folder to the trash"),
  "trash list": entry(trash, "list", "list deleted entries that can be restored"),
  "trash restore": entry(trash, "restore", "restore entries of the trash"),
  "trash purge": entry(trash, "purge", "remove entries of the trash for good"),
  "trash free": entry(trashSettings, "free", "free the slug of a purged experiment"),
  "trash keep": entry(trashSettings, "keep", "show or set how long the trash keeps entries"),
  "retention list": entry(retention, "list", "list rules that move old things to the trash"),
  "retention set": entry(retention, "set", "set a retention rule"),
  "retention remove": entry(retention, "remove", "remove a retention rule"),
  "retention try": entry(retention, "tryRule", "show what a retention rule would move now"),
  "series list": entry(seriesList, "list", "list the series of an experiment"),
  "series points": entry(seriesPoints, "points", "print the points of series"),
  mcp: entry(mcp, "mcp", "answer an agent's questions about runs, by MCP over stdio"),
  wait: entry(wait, "wait", "wait until a run is done, silent, or a metric passes a test"),
  logs: entry(logs, "logs", "print what a run has printed and logged"),
  media: entry(media, "media", "list and download pictures, texts and the like of a run"),
  plot: entry(plot, "plot", "draw a series in the terminal"),
  org: entry(org, "org", "show the organization, and whether it can store artifacts"),
  "org delete": entry(orgDelete, "deleteOrganization", "move an organization to the trash"),
  "org restore": entry(orgDelete, "restoreOrganization", "restore a deleted organization"),
  "org purge": entry(orgDelete, "purgeOrganization", "remove a deleted organization for good"),
  "org deleted": entry(orgDelete, "deletedOrganizations", "list deleted organizations"),
  "connections list": entry(connections, "list", "list connected cloud accounts"),
  "connections add": entry(connections, "add", "start connecting a cloud account"),
  "connections show": entry(connections, "show", "show a connection, and its last refusal"),
  "connections setup": entry(connections, "setup", "print the script to run in the cloud account"),
  "connections complete": entry(
    connectionsComplete,
    "complete",
    "set the service's identity in the cloud account",
  ),
  "connections remove": entry(connectionsRemove, "remove", "remove a connection"),
  "locations list": entry(locations, "list", "list locations of artifacts"),
  "locations add": entry(locationsAdd, "add", "add an S3-compatible bucket"),
  "locations fallback": entry(locations, "fallback", "make a location the fallback"),
  "locations default": entry(locations, "setDefault", "make a location the default of its cloud"),
  "locations rename": entry(locations, "rename", "rename a location"),
  "locations retire": entry(locations, "retire", "stop writing to a location"),
  usage: entry(usage, "usage", "show bytes written and read, by day"),
  quotas: entry(quotas, "quotas", "show or set quotas of organizations"),
  "tokens list": entry(tokens, "list", "list your personal tokens"),
  "tokens create": entry(
    tokens,
    "create",
    "create a personal token, with which programs act for you",
  ),
  "tokens revoke": entry(tokens, "revoke", "revoke a personal token"),
  share: entry(share, "share", "make a guest link to experiments"),
  "share list": entry(share, "list", "list guest links"),
  "share revoke": entry(share, "revoke", "end a guest link"),
  "sign-on show": entry(signOn, "show", "show the organization's identity provider"),
  "sign-on set": entry(signOn, "set", "set the organization's identity provider"),
  "sign-on scim": entry(
    signOnScim,
    "scim",
    "show, make or end the SCIM token of the identity provider",
  ),
  "sign-on remove": entry(signOn, "remove", "end sign-on by the identity provider"),
  "keys list": entry(keys, "list", "list API keys"),
  "keys create": entry(keys, "create", "create an API key"),
  "keys revoke": entry(keys, "revoke", "revoke an API key"),
  "keys rotate-master": entry(
    keysRotateMaster,
    "rotateMaster",
    "change the key that seals secrets at rest",
  ),
  "people list": entry(people, "list", "list people and their roles"),
  "people invite": entry(peopleLinks, "invite", "create an invitation link"),
  "people role": entry(people, "role", "give a person another role"),
  "people remove": entry(people, "remove", "end a person's membership"),
  "people erase": entry(people, "erase", "erase a person for ever"),
  "people reset-password": entry(
    peopleLinks,
    "resetPassword",
    "create a link to set a new password",
  ),
  audit: entry(audit, "audit", "show who did what"),
  "issuer export": entry(
    issuerExport,
    "exportIssuer",
    "write the token issuer's public documents for a static site",
  ),
  "issuer keys": entry(issuer, "keys", "list the token issuer's signing keys"),
  "issuer rotate": entry(issuer, "rotate", "make the token issuer's next key sign"),
  backup: entry(backup, "backup", "back up to a directory or bucket, beside a running service"),
  "backup list": entry(backup, "list", "list the backups of a place"),
  "backup prune": entry(backup, "prune", "remove old backups"),
  restore: entry(restore, "restore", "make a data directory from a backup"),
  restored: entry(restored, "restored", "continue from data that other tools restored"),
  copy: entry(copy, "copy", "copy an installation to PostgreSQL, or back"),
  gc: entry(gc, "gc", "remove leftovers of abandoned uploads"),
  compact: entry(compact, "compact", "return the space of deleted data to the disk"),
  verify: entry(verify, "verify", "check every checksum and count of stored data"),
  doctor: {
    summary: "check the service's machine, database and network",
    load: async () => (await doctor()).makeDoctor(),
  },
  completion: {
    summary: "print a shell's completion script",
    load: async () => (await completion()).completionOf(commands),
  },
};

function entry<Name extends string>(
  load: () => Promise<Record<Name, Command>>,
  name: Name,
  summary: string,
): CommandEntry {
  return { summary, load: async () => (await load())[name] };
}
