import { v1Errors } from "./error-forms.ts";

export const readErrors = ["bad_request", "unauthorized", "forbidden", "unavailable"] as const;
export const writeErrors = [...readErrors, "storage_full"] as const;

/** Defaults of the specified v1 endpoints of an organization. */
export const specified = {
  errorForm: v1Errors,
  credentials: ["api_key", "session", "oauth"],
  extension: false,
} as const;
/** Defaults of the extension endpoints beside them. */
export const extension = { ...specified, extension: true } as const;
/** Extensions for a person, whatever organization the session acts for. */
export const personal = { ...extension, credentials: ["session"], personal: true } as const;

const read = { method: "GET", request: { kind: "none" }, errors: readErrors } as const;
export const specifiedRead = { ...specified, ...read } as const;
export const extensionRead = { ...extension, ...read } as const;

export const removal = {
  method: "DELETE",
  request: { kind: "none" },
  reply: { kind: "empty", status: 204 },
} as const;
