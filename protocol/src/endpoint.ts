import type { TObject, TSchema } from "typebox";
import type { ErrorForm } from "./error-form.ts";
import type { ErrorCode } from "./errors.ts";
import type { EventEndpoint } from "./events.ts";
import type { Role } from "./identity.ts";

/**
 * Kinds of credentials. `api_key`: an organization API key (`ak_…`); `session`: an app session
 * token; `oauth`: a command-line OAuth token, with the header `x-svc-organization`;
 * `experiment_token`: a token of the very experiment in the URL (`ik_…`); `signature`: the URL
 * itself is signed; `scim`: the token of an identity provider (`sc_…`); `guest`: a guest link
 * (`gl_…`), which also reads what http/callers/guest-scope.ts allows. An endpoint with none is open
 * to everyone.
 */
export type CredentialKind =
  | "api_key"
  | "session"
  | "oauth"
  | "experiment_token"
  | "signature"
  | "scim"
  | "guest";

/** Media types used instead of `application/json`; requests may use either. */
type JsonMediaType = "application/scim+json";

export interface EndpointDefinition {
  errorForm: ErrorForm;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters in braces, as in OpenAPI. */
  path: string;
  /** The last parameter takes the rest of the path, slashes included. */
  takesRest?: true;
  /** Also answers under a path with a second leading slash, which some clients send. */
  doubledSlash?: true;
  summary: string;
  /** Further facts that a caller needs, for the OpenAPI document. */
  about?: string;
  credentials: readonly CredentialKind[];
  /** The key may also be sent as the password of Basic; session cookies do not count (MLflow). */
  basic?: true;
  /** The least role required. API keys and people with a lesser role get 403. */
  role?: Role;
  /** People act for themselves: no organization is needed, and x-svc-organization is ignored. */
  personal?: true;
  /** Query parameters, all texts. Unknown ones are ignored, repeated ones refused (A62). */
  query?: TObject;
  /**
   * events: the envelopes of that endpoint, one or an array (`series`: one, answered by a stream).
   * json: at most `bytesMax` bytes; undefined: the server's limit. form: at most `openBodyBytesMax`
   * bytes. `metaAsSent`: the meta is returned as the exact text that was sent; `editsAsSent`:
   * likewise `after` in each element of the meta. bytes: any, at most `bytesMax` of them;
   * undefined: the URL says how many.
   */
  request:
    | { kind: "none" }
    | { kind: "events"; endpoint: EventEndpoint }
    | {
        kind: "json";
        schema: TSchema;
        bytesMax?: number;
        metaAsSent?: true;
        editsAsSent?: true;
        mediaType?: JsonMediaType;
      }
    | { kind: "form"; schema: TSchema }
    | { kind: "bytes"; bytesMax?: number };
  reply:
    | { kind: "events"; endpoint: EventEndpoint }
    | {
        kind: "json";
        status: number;
        otherStatuses?: readonly number[];
        schema: TSchema;
        mediaType?: JsonMediaType;
      }
    /** `isTyped`: sent with the media type of the file. */
    | { kind: "bytes"; status: number; otherStatuses?: readonly number[]; isTyped?: true }
    | { kind: "csv"; status: number }
    | { kind: "parquet"; status: number }
    | { kind: "text"; status: number }
    | { kind: "empty"; status: number }
    | { kind: "page"; status: number };
  /** Request-level codes besides those that every endpoint can answer (everyEndpointErrors). */
  errors: readonly ErrorCode[];
  extension: boolean;
}

/** Codes of the guards in front of every endpoint. */
export const everyEndpointErrors = [
  "invalid_headers",
  "method_not_allowed",
  "request_timeout",
  "misdirected_request",
  "headers_too_large",
  "rate_limited",
  "internal",
  "overloaded",
  "shutting_down",
] as const satisfies readonly ErrorCode[];

export const storageErrors = ["storage_unavailable"] as const;
export const bodyErrors = [
  "malformed_json",
  "validation_failed",
  "payload_too_large",
  "unsupported_media_type",
] as const;
