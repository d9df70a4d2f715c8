import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import {
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  importJWK,
  SignJWT,
  type CryptoKey,
  type JWK,
} from "jose";
import type { CompleteConnectionBody } from "@lossless/protocol";
import { SmallIssuer } from "../gcp/small-issuer.ts";
import { AwsDouble } from "./aws-double.ts";
import { allows, readPolicy } from "./policy.ts";
import { trustConnection } from "./trusting-account.ts";

const organizationId = "01k00000000000000000000001";
const connectionId = "01k00000000000000000000002";
const subject = `org:${organizationId}:conn:${connectionId}`;
const audience = "sts.amazonaws.com";

interface Scene extends AsyncDisposable {
  double: AwsDouble;
  issuer: SmallIssuer;
  identifiers: CompleteConnectionBody;
}

async function scene(): Promise<Scene> {
  const double = await AwsDouble.start();
  const issuer = await SmallIssuer.start();
  const trusted = { id: connectionId, issuer: issuer.issuer, audience, subject };
  const identifiers = trustConnection(double, trusted);
  return {
    double,
    issuer,
    identifiers,
    [Symbol.asyncDispose]: async () => {
      await issuer[Symbol.asyncDispose]();
      await double[Symbol.asyncDispose]();
    },
  };
}

/** STS's answer to a token: a code, or the access key. */
async function assume(
  { double, identifiers }: Scene,
  token: string,
  further: Record<string, string> = {},
): Promise<string> {
  assert.ok(identifiers.cloud === "aws");
  const body = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: identifiers.aws.roleArn,
    RoleSessionName: "session",
    WebIdentityToken: token,
    ...further,
  });
  const reply = await fetch(double.origin, { method: "POST", body });
  const text = await reply.text();
  const [, found = text] = /<(?:Code|AccessKeyId)>(\w+)</.exec(text) ?? [];
  return found.replace(/^ASIA.*/, "session");
}

test("STS takes the token of the trusted subject, also after the issuer's keys were rotated", async () => {
  await using at = await scene();
  assert.equal(await assume(at, await at.issuer.mint({ subject, audience })), "session");
  await at.issuer.rotate();
  assert.equal(await assume(at, await at.issuer.mint({ subject, audience })), "session");
});

test("STS refuses another issuer, audience or subject, and a token that is over", async () => {
  await using at = await scene();
  await using stranger = await SmallIssuer.start();
  const own = (claims: object) => at.issuer.mint({ subject, audience, ...claims });
  const refused = "InvalidIdentityToken";
  assert.equal(await assume(at, await stranger.mint({ subject, audience })), refused);
  assert.equal(await assume(at, await own({ issuer: stranger.issuer })), refused);
  const claimed = { subject, audience, issuer: at.issuer.issuer };
  assert.equal(await assume(at, await stranger.mint(claimed)), refused);
  assert.equal(await assume(at, await own({ issuer: `${at.issuer.issuer}/` })), refused);
  assert.equal(await assume(at, await own({ audience: "lossless" })), refused);
  const other = { subject: subject.replace(/2$/, "3") };
  assert.equal(await assume(at, await own(other)), "AccessDenied");
  assert.equal(await assume(at, await own({ subject: `${subject}x` })), "AccessDenied");
  assert.equal(await assume(at, await own({ lifeSeconds: -1 })), "ExpiredTokenException");
});

test("STS refuses an audience that the provider knows and the role does not", async () => {
  await using at = await scene();
  for (const { clientIds } of at.double.account().providers.values()) clientIds.add("lossless");
  const token = await at.issuer.mint({ subject, audience: "lossless" });
  assert.equal(await assume(at, token), "AccessDenied");
});

test("STS refuses tokens that are altered, unsigned, or signed with what is public", async () => {
  await using at = await scene();
  const token = await at.issuer.mint({ subject, audience });
  const [head = "", claims = "", signature = ""] = token.split(".");
  const refused = "InvalidIdentityToken";
  assert.equal(await assume(at, await at.issuer.forge({ subject, audience })), refused);
  const longer = { ...decodeJwt(token), exp: Math.floor(Date.now() / 1_000) + 86_400 };
  assert.equal(await assume(at, `${head}.${encoded(longer)}.${signature}`), refused);
  const flipped = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  assert.equal(await assume(at, `${head}.${claims}.${flipped}`), refused);
  const none = encoded({ ...decodeProtectedHeader(token), alg: "none" });
  assert.equal(await assume(at, `${none}.${claims}.`), refused);
  assert.equal(await assume(at, `${none}.${claims}.${signature}`), refused);
  for (const secret of await publicTexts(at.issuer)) {
    const { kid } = decodeProtectedHeader(token);
    const header = { alg: "HS256", kid: kid! };
    const forged = new SignJWT(decodeJwt(token)).setProtectedHeader(header);
    assert.equal(await assume(at, await forged.sign(Buffer.from(secret))), refused);
  }
  // A key that the token brings along is nobody's.
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const jwk = publicKey.export({ format: "jwk" }) as { kty: string };
  const brought = new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: "RS256", jwk });
  assert.equal(await assume(at, await brought.sign(privateKey)), refused);
  assert.equal(await assume(at, "no.token"), refused);
});

test("a policy may ask whose bucket it is", () => {
  const policy = readPolicy(
    JSON.stringify({
      Version: "2012-10-17",
      Statement: {
        Effect: "Allow",
        Action: "s3:GetObject",
        Resource: "arn:aws:s3:::b-*/*",
        Condition: { StringEquals: { "aws:ResourceAccount": "111122223333" } },
      },
    }),
  );
  const isAllowed = (owner: string | undefined) =>
    allows([policy], "GetObject", { bucket: "b-1", key: "k", owner });
  assert.deepEqual(["111122223333", "444455556666", undefined].map(isAllowed), [
    true,
    false,
    false,
  ]);
});

test("STS refuses a longer session than the role allows, another role, another account", async () => {
  await using at = await scene();
  const token = await at.issuer.mint({ subject, audience });
  const assumed = (further: Record<string, string>) => assume(at, token, further);
  assert.equal(await assumed({ DurationSeconds: "14400" }), "session");
  assert.equal(await assumed({ DurationSeconds: "14401" }), "ValidationError");
  const roles = "arn:aws:iam::111122223333:role";
  assert.equal(await assumed({ RoleArn: `${roles}/other` }), "AccessDenied");
  const elsewhere = "arn:aws:iam::999999999999:role/other";
  assert.equal(await assumed({ RoleArn: elsewhere }), "InvalidIdentityToken");
});

test("an issuer that cannot be reached is no identity", async () => {
  await using at = await scene();
  const token = await at.issuer.mint({ subject, audience });
  await at.issuer[Symbol.asyncDispose]();
  assert.equal(await assume(at, token), "IDPCommunicationError");
  at.issuer[Symbol.asyncDispose] = async () => {};
});

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Whatever a careless verifier could take for a shared secret. */
async function publicTexts({ issuer }: SmallIssuer): Promise<string[]> {
  const reply = await fetch(`${issuer}/.well-known/jwks.json`);
  const { keys } = (await reply.json()) as { keys: [JWK] };
  const [jwk] = keys;
  const pem = await exportSPKI((await importJWK(jwk, "RS256")) as CryptoKey);
  return [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? ""];
}
