import { noteCredentialUses } from "./credential-uses.ts";
import { createLink, listLinks, revokeLink, setMembersShare } from "./guests/links.ts";
import { isOfGuest, openLink } from "./guests/visit.ts";
import { grantCode, redeemCode } from "./oauth/code.ts";
import { redeemDevice, startDevice } from "./oauth/device.ts";
import { refreshPair } from "./oauth/refresh.ts";
import { revokeGrant } from "./oauth/revoke.ts";
import { answerDevice, enterUserCode } from "./oauth/user-code-entry.ts";
import { findCredentials } from "./organizations/credential.ts";
import { createKey, listLivingKeys, revokeKey } from "./organizations/keys.ts";
import { listOrganizations } from "./organizations/organization.ts";
import { provision } from "./organizations/provision.ts";
import { acceptInvitation, findInvitation } from "./people/accept-invitation.ts";
import { bootstrap } from "./people/bootstrap.ts";
import { eraseOneself } from "./people/erase.ts";
import { forgetEnded } from "./people/forget-ended.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./people/invitations.ts";
import { changeRole, listPeople, removePerson } from "./people/memberships.ts";
import { changePassword, readPassword } from "./people/password.ts";
import { findForSignIn, livingOrganizations } from "./people/person.ts";
import { createToken, endToken, listTokens } from "./people/personal-tokens.ts";
import { provisionPeople, provisionedPasswords } from "./people/provision.ts";
import { createServiceAccount } from "./people/service-account.ts";
import { createSession, endSession, noteRefusal, switchOrganization } from "./people/sessions.ts";
import { showInvitation } from "./people/shown-invitation.ts";
import { endSignIn, listSignIns } from "./people/sign-ins.ts";
import { provisionSignOn } from "./sign-on/provisioned.ts";
import { scimReads, scimWrites } from "./sign-on/scim/operations.ts";
import { offeredSignOns, readSignOn, removeSignOn, setSignOn } from "./sign-on/setting.ts";
import { signInByProvider } from "./sign-on/sign-in.ts";

export const accountWrites = {
  "credential.used": noteCredentialUses,
  "organization.provision": provision,
  "organization.bootstrap": bootstrap,
  "apiKey.create": createKey,
  "apiKey.revoke": revokeKey,
  "person.provision": provisionPeople,
  "session.create": createSession,
  "session.refused": noteRefusal,
  "session.end": endSession,
  "session.switch": switchOrganization,
  "signIn.end": endSignIn,
  "password.change": changePassword,
  "membership.change": changeRole,
  "membership.end": removePerson,
  "invitation.create": createInvitation,
  "invitation.revoke": revokeInvitation,
  "invitation.accept": acceptInvitation,
  "person.erase": eraseOneself,
  "people.forgetEnded": forgetEnded,
  "personalToken.create": createToken,
  "personalToken.revoke": endToken,
  "serviceAccount.create": createServiceAccount,
  "guestLink.create": createLink,
  "guestLink.revoke": revokeLink,
  "guestLink.set": setMembersShare,
  "guestLink.open": openLink,
  "signOn.set": setSignOn,
  "signOn.provision": provisionSignOn,
  "signOn.remove": removeSignOn,
  "signOn.signIn": signInByProvider,
  ...scimWrites,
  "oauth.grantCode": grantCode,
  "oauth.redeemCode": redeemCode,
  "oauth.refresh": refreshPair,
  "oauth.revoke": revokeGrant,
  "oauth.startDevice": startDevice,
  "oauth.redeemDevice": redeemDevice,
  "oauth.enterUserCode": enterUserCode,
  "oauth.answerDevice": answerDevice,
};

export const accountReads = {
  "credentials.find": findCredentials,
  "person.find": findForSignIn,
  "person.organizations": livingOrganizations,
  "personalToken.list": listTokens,
  "guestLink.list": listLinks,
  "guestLink.wrote": isOfGuest,
  "signOn.read": readSignOn,
  "signOn.offered": offeredSignOns,
  ...scimReads,
  "password.read": readPassword,
  "signIn.list": listSignIns,
  "invitation.find": findInvitation,
  "invitation.show": showInvitation,
  "organization.list": listOrganizations,
  "apiKey.list": listLivingKeys,
  "person.provisioned": provisionedPasswords,
  "membership.list": listPeople,
  "invitation.list": listInvitations,
};
