import { Organization } from "./organization.ts";
import { assignedId, closedObject, nullable, oneOfStrings, timestamp } from "./schema.ts";
import * as Type from "./type.ts";

/** Sessions and command-line sign-ins of a person. */

export const SignIn = closedObject("SignIn", {
  id: assignedId("Id for ending it; not a secret."),
  kind: oneOfStrings("SignInKind", ["session", "command_line"]),
  current: Type.Boolean({ description: "The very session that asks." }),
  created: timestamp("When the person signed in."),
  lastUsed: nullable(timestamp("To five minutes; null: unknown.")),
  expires: timestamp("When it ends unless it is used."),
  device: nullable(
    Type.String({
      description: "The User-Agent of the browser or the program; null: none.",
    }),
  ),
  address: nullable(
    Type.String({ description: "Network address from which the person signed in; null: unknown." }),
  ),
  organization: nullable(Organization),
});
export type SignIn = Type.Static<typeof SignIn>;

export const SignInsReply = closedObject("SignInsReply", {
  signIns: Type.Array(SignIn, { description: "Newest first, sessions before the command line." }),
});
export type SignInsReply = Type.Static<typeof SignInsReply>;
