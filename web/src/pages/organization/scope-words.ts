import type { PersonalToken } from "@lossless/client";

/** What tokens of each scope may, for who makes one and who looks at a list. */
export const scopeWords: Record<PersonalToken["scope"], string> = {
  read: "read only",
  write: "read and record",
  role: "do all that the role may",
};
