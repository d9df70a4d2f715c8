import { endpoints, type RequestQuery } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { clientId } from "./oauth/client.ts";
import { readQuery } from "../query.ts";

/** A valid request of the command line (RFC 6749 4.1.1, RFC 7636 4.3). */
export interface AuthorizationRequest {
  /** Address on which the command line listens: `http://127.0.0.1:PORT/callback`. */
  redirectUri: string;
  codeChallenge: string;
  state: string | undefined;
}

/** The answer: parameters for the redirect address (RFC 6749 4.1.2, RFC 9207). */
export type AuthorizationReply = { code: string } | { error: string; error_description: string };

/**
 * Accepted redirect addresses: any port, and no name: the meaning of `localhost` is not ours to
 * decide (RFC 8252 7.3 and 8.3).
 */
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):([1-9]\d{0,4})\/callback$/;

/**
 * Reads the request. A wrong client or redirect address throws `bad_request`, for a page: no
 * browser is redirected to an address that is not the command line's. Every other error goes to
 * that address.
 */
export function readAuthorization(
  url: string | undefined,
  issuer: string,
): { request: AuthorizationRequest; refusal?: never } | { refusal: string } {
  const query = withoutEmpty(readQuery("authorizePage", url));
  if (query.client_id !== clientId) {
    throw new ServiceError("bad_request", "This link names a program that Lossless does not know.");
  }
  const redirectUri = query.redirect_uri ?? "";
  const port = loopback.exec(redirectUri)?.[1];
  if (port === undefined || Number(port) > 65_535) {
    throw new ServiceError(
      "bad_request",
      "This link does not lead back to a command line on your own machine.",
    );
  }
  const { state, code_challenge: codeChallenge = "" } = query;
  const asked = { redirectUri, codeChallenge, state };
  const refuse = (error: string, sentence: string) => ({
    refusal: replyAddress(asked, { error, error_description: sentence }, issuer),
  });
  if (query.response_type === undefined) {
    return refuse("invalid_request", "response_type is missing");
  }
  if (query.response_type !== "code") {
    return refuse("unsupported_response_type", "response_type must be code");
  }
  if (query.code_challenge_method !== "S256") {
    return refuse("invalid_request", "code_challenge_method must be S256");
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(codeChallenge)) {
    return refuse("invalid_request", "code_challenge must be 43 characters of base64url");
  }
  return { request: asked };
}

/** Removes parameters without a value, which count as left out (RFC 6749 3.1). */
function withoutEmpty(query: RequestQuery<"authorizePage">): RequestQuery<"authorizePage"> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}

/** Returns the redirect that ends the request. */
export function replyAddress(
  { redirectUri, state }: AuthorizationRequest,
  reply: AuthorizationReply,
  issuer: string,
): string {
  const parameters = { ...reply, ...(state === undefined ? {} : { state }), iss: issuer };
  return `${redirectUri}?${new URLSearchParams(parameters).toString()}`;
}

/** Returns our own address of the page for this request. */
export function authorizationAddress(request: AuthorizationRequest): string {
  const { redirectUri, codeChallenge, state } = request;
  const parameters = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
    ...(state === undefined ? {} : { state }),
  });
  return `${endpoints.authorizePage.path}?${parameters.toString()}`;
}
