import { createLocalJWKSet, decodeJwt, errors, jwtVerify, type JSONWebKeySet } from "jose";
import { withoutScheme, type IamAccount, type StoredRole } from "./iam-account.ts";
import { trusts } from "./policy.ts";
import { QueryError } from "./query-error.ts";

/** The role that a token may assume, checked as AWS documents it, by none of the product's code. */
export async function assumedRole(
  account: IamAccount | undefined,
  roleArn: string,
  token: string,
  nowMs: number,
): Promise<StoredRole> {
  const issuer = issuerOf(token);
  const providerArn = `arn:aws:iam::${account?.id ?? ""}:oidc-provider/${withoutScheme(issuer)}`;
  const provider = account?.providers.get(providerArn);
  if (account === undefined || provider === undefined || provider.url !== issuer)
    throw refused(`No OpenIDConnect provider found in your account for ${issuer}`);
  const keys = await keysOf(issuer);
  const claims = await verified(token, keys, issuer, nowMs);
  if (!provider.clientIds.has(claims.audience)) throw refused("Incorrect token audience");
  const role = [...account.roles.values()].find(({ arn }) => arn === roleArn);
  const prefix = withoutScheme(issuer);
  const named = { [`${prefix}:aud`]: claims.audience, [`${prefix}:sub`]: claims.subject };
  if (role === undefined || !trusts(role.trust, providerArn, named))
    throw new QueryError(
      "AccessDenied",
      "Not authorized to perform sts:AssumeRoleWithWebIdentity",
      403,
    );
  return role;
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    throw refused("The ID Token provided is not a valid JWT.");
  }
}

async function verified(
  token: string,
  keys: JSONWebKeySet,
  issuer: string,
  nowMs: number,
): Promise<{ subject: string; audience: string }> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      algorithms: ["RS256"],
      requiredClaims: ["sub", "aud", "exp", "iat"],
      currentDate: new Date(nowMs),
    });
    const { sub, aud } = payload;
    if (typeof sub !== "string" || typeof aud !== "string") throw refused("sub and aud");
    return { subject: sub, audience: aud };
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      throw new QueryError("ExpiredTokenException", "Token expired");
    if (error instanceof QueryError) throw error;
    throw refused(`Couldn't verify the token: ${String(error)}`);
  }
}

/** As AWS fetches them: the discovery document first, whose issuer must be the same text. */
async function keysOf(issuer: string): Promise<JSONWebKeySet> {
  try {
    const signal = AbortSignal.timeout(60_000);
    const found = await fetch(`${issuer}/.well-known/openid-configuration`, { signal });
    const document = (await found.json()) as { issuer: string; jwks_uri: string };
    if (!found.ok || document.issuer !== issuer) throw new Error("another issuer");
    const keys = await fetch(document.jwks_uri, { signal });
    if (!keys.ok) throw new Error(`status ${keys.status}`);
    return (await keys.json()) as JSONWebKeySet;
  } catch (error) {
    throw new QueryError("IDPCommunicationError", `The keys of ${issuer}: ${String(error)}`);
  }
}

function refused(message: string): QueryError {
  return new QueryError("InvalidIdentityToken", message);
}
