import { v1Errors } from "./error-forms.ts";

/** What the endpoints of an organization have in common: those of the specification. */
export const specified = {
  errorForm: v1Errors,
  credentials: ["api_key", "session", "oauth"],
  extension: false,
} as const;
/** And ours beside them. */
export const extension = { ...specified, extension: true } as const;
export const readErrors = ["bad_request", "unauthorized", "forbidden", "unavailable"] as const;
export const writeErrors = [...readErrors, "storage_full"] as const;
