import * as Type from "./type.ts";
import { success } from "./envelope.ts";
import { assignedId, closedObject, oneOfStrings } from "./schema.ts";

export const Organization = closedObject("Organization", {
  id: assignedId("Assigned by the service."),
  name: Type.String(),
});
export type Organization = Type.Static<typeof Organization>;

export const AuthStatusReply = success(
  "AuthStatusReply",
  closedObject("AuthStatus", {
    auth: closedObject("AuthKind", {
      kind: oneOfStrings("CredentialWord", ["api_key", "session", "oauth"]),
    }),
    organization: Organization,
  }),
);
export type AuthStatusReply = Type.Static<typeof AuthStatusReply>;
