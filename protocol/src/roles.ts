/** Roles of a person in an organization; each includes the rights of those after it. */
export const roles = ["owner", "admin", "member", "viewer"] as const;
