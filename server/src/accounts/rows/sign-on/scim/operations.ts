import { changeScimGroup, createScimGroup, deleteScimGroup } from "./group-changes.ts";
import { listScimGroups, readScimGroup } from "./group.ts";
import { createScimToken, endScim, readScim } from "./token.ts";
import { changeScimUser, createScimUser, deleteScimUser } from "./user-changes.ts";
import { listScimUsers, readScimUser } from "./user.ts";

/** Operations of this folder, listed in storage/operations.ts. */
export const scimWrites = {
  "scim.createToken": createScimToken,
  "scim.end": endScim,
  "scim.createUser": createScimUser,
  "scim.changeUser": changeScimUser,
  "scim.deleteUser": deleteScimUser,
  "scim.createGroup": createScimGroup,
  "scim.changeGroup": changeScimGroup,
  "scim.deleteGroup": deleteScimGroup,
};

export const scimReads = {
  "scim.read": readScim,
  "scim.listUsers": listScimUsers,
  "scim.readUser": readScimUser,
  "scim.listGroups": listScimGroups,
  "scim.readGroup": readScimGroup,
};
