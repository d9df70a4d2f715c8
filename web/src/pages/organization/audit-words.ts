import { timeText } from "../../parts/words.ts";

/** Verbs of a sentence by action; the subject follows. */
const done = new Map(
  Object.entries({
    "alias.moved": "moved an alias of the artifact",
    "alias.removed": "removed an alias of the artifact",
    "alias.set": "set an alias of the artifact",
    "apiKey.created": "created the API key",
    "apiKey.revoked": "revoked the API key",
    "backup.made": "made a backup",
    "backup.restored": "restored the backup",
    "connection.completed": "completed the connection",
    "connection.created": "started the connection",
    "connection.refused": "was refused by the cloud for the connection",
    "connection.removed": "removed the connection",
    "device.denied": "denied a device",
    "experiment.edited": "edited the experiment",
    "experiment.purged": "purged the experiment",
    "experiment.removed": "removed the remaining data of the experiment",
    "experiment.restored": "restored the experiment",
    "experiment.trashed": "trashed the experiment",
    "folder.deleted": "deleted the folder",
    "grant.created": "signed in a command line",
    "grant.ended": "ended a sign-in of the command line",
    "invitation.accepted": "accepted the invitation for",
    "invitation.created": "invited",
    "invitation.revoked": "revoked the invitation for",
    "issuer.keyAdded": "added a key of the token issuer",
    "issuer.keyRotated": "switched to a new key of the token issuer",
    "location.added": "added the location",
    "location.defaultMoved": "set the default location of its cloud to",
    "location.fallbackMoved": "set the fallback location to",
    "location.provisioned": "provisioned the location",
    "location.renamed": "renamed the location",
    "location.retired": "retired the location",
    "masterKey.rotated": "rotated the master key",
    "membership.changed": "changed the role of",
    "membership.created": "added",
    "membership.ended": "removed",
    "model.aliasMoved": "moved an alias of the model",
    "model.aliasRemoved": "removed an alias of the model",
    "model.aliasSet": "set an alias of the model",
    "model.deleted": "deleted the model",
    "model.registered": "registered the model",
    "model.renamed": "renamed the model",
    "model.versionAdded": "added a version to the model",
    "model.versionDeleted": "deleted a version of the model",
    "organization.created": "created the organization",
    "organization.purged": "purged the organization",
    "organization.removed": "removed the remaining data of the organization",
    "organization.restored": "restored the organization",
    "organization.trashed": "trashed the organization",
    "passwordLink.created": "created a password link for",
    "password.changed": "changed the password of",
    "person.created": "created the person",
    "person.erased": "erased the person",
    "person.provisioned": "provisioned the person",
    "quota.changed": "changed the quota",
    "report.changed": "changed the report",
    "report.created": "created the report",
    "report.deleted": "deleted the report",
    "scim.ended": "turned off SCIM of",
    "scim.groupCreated": "added the group",
    "scim.groupDeleted": "removed the group",
    "scim.groupRenamed": "renamed the group to",
    "scim.tokenMade": "created the SCIM token of",
    "scim.userActivated": "activated the user",
    "scim.userCreated": "added the user",
    "scim.userDeactivated": "deactivated the user",
    "scim.userDeleted": "removed the user",
    "series.purged": "purged a series of the experiment",
    "series.removed": "removed the remaining data of a series of the experiment",
    "series.restored": "restored a series of the experiment",
    "series.trashed": "trashed a series of the experiment",
    "session.created": "signed in",
    "session.ended": "signed out",
    "session.refused": "refused a sign-in of",
    "signOn.changed": "changed the sign-on of",
    "signOn.refused": "refused a sign-on of",
    "signOn.removed": "removed the sign-on of",
    "slug.freed": "freed the slug of the experiment",
    "guestLink.created": "made the guest link",
    "guestLink.opened": "opened, the first time, the guest link",
    "guestLink.revoked": "revoked the guest link",
    "guestLinks.set": "changed who may make guest links",
    "token.created": "created the token",
    "token.revoked": "revoked the token",
    "mlflowLocations.set": "changed where MLflow's experiments may keep files",
    "retention.set": "set the retention rule",
    "retention.removed": "removed the retention rule",
    "trash.set": "changed how long the trash is kept",
    "userCode.refused": "refused a command-line sign-in code of",
    "version.purged": "purged the version",
    "version.removed": "removed the files of the version",
    "version.restored": "restored the version",
    "version.trashed": "trashed the version",
    "view.changed": "changed the saved view",
    "view.created": "saved the view",
    "view.deleted": "deleted the saved view",
    "workspace.changed": "changed a workspace of charts",
    "workspace.created": "saved a workspace of charts",
    "workspace.deleted": "deleted a workspace of charts",
  }),
);

/** Words for actors without a name. */
const withoutName = new Map(
  Object.entries({
    bootstrap: "the first start",
    provision: "the provision file",
    scim: "the identity provider, by SCIM",
    guest: "a guest",
    operator: "the operator",
    service: "the service",
    retention: "a retention rule",
  }),
);

/** An action in words; unknown ones are shown as they are. */
export function actionWords(action: string): string {
  return done.get(action) ?? action;
}

export function actorWords(actor: string, name: string | null): string {
  return name ?? withoutName.get(actor) ?? actor;
}

/** The object of the sentence; "" where it ends with the verb. */
export function subjectWords({ details, ...event }: AuditSubject): string {
  const { action, actor, subject, subjectName } = event;
  if (subject === null || /^(organization|quota)\./.test(action)) return "";
  if (subject !== actor) return subjectName ?? wordsIn(action, details) ?? subject;
  return action.startsWith("session.") ? "" : "themselves";
}

interface AuditSubject {
  action: string;
  actor: string;
  subject: string | null;
  subjectName: string | null;
  details: Details;
}

type Details = Readonly<Record<string, unknown>>;

/** A name from the details, for subjects whose id no longer names anything, or never did. */
function wordsIn(action: string, details: Details): string | undefined {
  if (action.startsWith("invitation.") && details["email"] === null) return "anyone with the link";
  const names = [details["name"], details["slug"], versionIn(details), details["email"]];
  return names.find((name) => typeof name === "string" && name !== "") as string | undefined;
}

function versionIn({ artifact, version }: Details): string | undefined {
  if (typeof artifact !== "string") return undefined;
  return typeof version === "string" ? `${artifact} ${version}` : artifact;
}

/** The details that the sentence does not mention: `role: admin, email: x`. */
export function detailWords(details: Details, subject = ""): string {
  const isVersion = versionIn(details) === subject;
  const told: unknown[] = [null, "", subject];
  if (isVersion) told.push(details["artifact"], details["version"]);
  return Object.entries(details)
    .filter(([name, value]) => !told.includes(value) && !(name === "description" && !value))
    .map(([name, value]) => `${spaced(name.replace(/AtMs$/, "At"))}: ${valueWords(name, value)}`)
    .join(", ");
}

function valueWords(name: string, value: unknown): string {
  if (name.endsWith("AtMs") && typeof value === "number") return timeText(value);
  if (name === "description" && value === true) return "changed";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Turns `pendingUploads` into "pending uploads". */
function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
