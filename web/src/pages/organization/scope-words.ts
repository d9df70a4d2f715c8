import type { PersonalToken } from "@lossless/client";

/** The rights of each scope, in words. */
export const scopeWords: Record<PersonalToken["scope"], string> = {
  read: "read only",
  write: "read and record",
  role: "everything the role allows",
};
