import { UsageError } from "./command.ts";

const roles = ["owner", "admin", "member", "viewer"] as const;
type Role = (typeof roles)[number];

export function choiceOfRole(what: string, word: string): Role {
  const role = roles.find((one) => one === word);
  if (role !== undefined) return role;
  throw new UsageError(`${what} must be one of ${roles.join(", ")}, not ${word}`);
}
