import { v1Errors } from "./error-forms.ts";

/** Defaults of the specified v1 endpoints of an organization. */
export const specified = {
  errorForm: v1Errors,
  credentials: ["api_key", "session", "oauth"],
  extension: false,
} as const;
/** Defaults of the extension endpoints beside them. */
export const extension = { ...specified, extension: true } as const;
export const readErrors = ["bad_request", "unauthorized", "forbidden", "unavailable"] as const;
export const writeErrors = [...readErrors, "storage_full"] as const;
