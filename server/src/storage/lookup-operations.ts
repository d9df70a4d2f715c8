import { readNote } from "../artifacts/note.ts";
import { findConnection } from "../connections/stored-connection.ts";
import { queryExperiment } from "../experiments/query-experiment.ts";
import { findCredential } from "../organizations/credential.ts";
import { findInvitation } from "../people/accept-invitation.ts";
import { readPassword } from "../people/password.ts";
import { findForSignIn, organizationsOf } from "../people/person.ts";
import { showInvitation } from "../people/shown-invitation.ts";
import type { lookupReplyNames, lookups } from "./lookups.ts";

/** What the lookup thread runs; its own file, because that thread needs nothing else of the domain. */
export const lookupOperations = {
  "credential.find": findCredential,
  "person.find": findForSignIn,
  "person.organizations": organizationsOf,
  "password.read": readPassword,
  "invitation.find": findInvitation,
  "invitation.show": showInvitation,
  "connection.find": findConnection,
  "note.read": readNote,
} satisfies Record<(typeof lookups)[number], unknown>;

export const lookupReplies = { "query.experiment": queryExperiment } satisfies Record<
  (typeof lookupReplyNames)[number],
  unknown
>;
