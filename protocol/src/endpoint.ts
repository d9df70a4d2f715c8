import type { TObject, TSchema } from "typebox";
import type { ErrorForm } from "./error-form.ts";
import type { ErrorCode } from "./errors.ts";
import type { EventEndpoint } from "./events.ts";
import type { Role } from "./identity.ts";

/**
 * What a caller may show. `api_key`: an organization API key (`ak_…`); `session`: an app session
 * token; `oauth`: a command-line OAuth token, with the header `x-svc-organization`;
 * `experiment_token`: a token of the very experiment in the URL (`ik_…`); `signature`: the URL
 * itself is signed; `scim`: the token of an identity provider (`sc_…`). None: open to everyone.
 */
export type CredentialKind =
  | "api_key"
  | "session"
  | "oauth"
  | "experiment_token"
  | "signature"
  | "scim";

/** What JSON is called where it is not `application/json`; requests may call it that too. */
type JsonMediaType = "application/scim+json";

export interface EndpointDefinition {
  errorForm: ErrorForm;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters in braces, as in OpenAPI. */
  path: string;
  /** The last parameter is all that follows, with its slashes. */
  takesRest?: true;
  /** Clients ask for it with a second slash in front, too. */
  doubledSlash?: true;
  summary: string;
  /** What a caller has to know besides, for the OpenAPI document. */
  about?: string;
  credentials: readonly CredentialKind[];
  /** The key may also be the password of Basic; the cookie of a session does not count (MLflow). */
  basic?: true;
  /** The least role of the person who is needed here: an API key, or a lesser role, gets 403. */
  role?: Role;
  /** The person acts for themselves: no organization is needed; x-svc-organization is ignored. */
  personal?: true;
  /** Query parameters, all of them texts. Unknown ones are ignored, repeated ones refused (A62). */
  query?: TObject;
  /**
   * Events: the envelopes of that endpoint, one or an array (`series`: one, answered by a stream).
   * json: `bytesMax` of them at most; undefined: as many as the server takes. form:
   * `openBodyBytesMax`. `metaAsSent`: its meta is given back as the very text that came;
   * `editsAsSent`: the same of `after` in each element of its meta. bytes: any bytes, `bytesMax`
   * of them at most; undefined: the URL says how many.
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
    /** `isTyped`: the media type is the file's. */
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
