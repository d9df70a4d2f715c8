import { ServiceError } from "../../../ground/errors.ts";
import type { Refusal } from "../../../accounts/rows/oauth/token-pair.ts";
import { routesReading } from "../../endpoint-routes.ts";
import { type Form, readForm } from "../form.ts";

/** Makes routes of endpoints for clients, whose bodies are forms. */
export const oauth = routesReading(readForm);

/** Id of the only client: public, without a secret, and known to all. */
export const clientId = "lossless-cli";

/** Codes of RFC 6749 5.2, RFC 8628 3.5. */
export type OauthError = Refusal | "invalid_request" | "invalid_client" | "unsupported_grant_type";

/**
 * Returns an error of clients' endpoints: always 400, as in RFC 6749 5.2 for clients without a
 * secret.
 */
export function oauthFailure(oauthError: OauthError, sentence: string): ServiceError {
  return new ServiceError("bad_request", sentence, { oauthError });
}

/** Returns a required field. */
export function requiredField(form: Form, name: string): string {
  const text = form[name];
  if (text === undefined || text === "") {
    throw oauthFailure("invalid_request", `The field ${name} is missing.`);
  }
  return text;
}

/** Checks the client of a form; `optional`: the grant itself names the client (RFC 6749 6). */
export function checkClient(form: Form, need: "required" | "optional"): void {
  // A parameter without a value counts as left out (RFC 6749 3.2).
  if (need === "optional" && (form["client_id"] ?? "") === "") return;
  if (requiredField(form, "client_id") !== clientId) {
    throw oauthFailure("invalid_client", `The only client is ${clientId}.`);
  }
}
