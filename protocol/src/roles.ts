/** What a person may do in an organization; each may do what those behind it may. */
export const roles = ["owner", "admin", "member"] as const;
