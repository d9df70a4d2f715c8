import { createPrivateKey, generateKeyPair, sign } from "node:crypto";
import { promisify } from "node:util";
import { newId } from "../../ground/ids.ts";
import { issuerKeyContext, type NewKey } from "../rows/issuer/key.ts";
import type { Sealing } from "../../ground/sealing.ts";

const makePair = promisify(generateKeyPair);
const signed = promisify(sign);

/** Makes an RSA-2048 key, which every cloud accepts, on a thread of the pool. */
export async function makeKey(sealing: Sealing, nowMs: number): Promise<NewKey> {
  const { publicKey, privateKey } = await makePair("rsa", { modulusLength: 2_048 });
  const id = newId(nowMs);
  const { n, e } = publicKey.export({ format: "jwk" });
  if (n === undefined || e === undefined) throw new Error("BUG: an RSA key without n or e");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  const sealedKey = sealing.seal(String(pem), issuerKeyContext(id));
  return { id, publicKey: { kty: "RSA", n, e }, sealedKey };
}

/** A JWT (RS256, RFC 7519). Throws SealBroken. */
export async function signToken(
  { id, sealedKey }: { id: string; sealedKey: Uint8Array },
  claims: Readonly<Record<string, string | number>>,
  sealing: Sealing,
): Promise<string> {
  const key = createPrivateKey(sealing.open(sealedKey, issuerKeyContext(id)));
  const header = { alg: "RS256", kid: id, typ: "JWT" };
  const text = `${encoded(header)}.${encoded(claims)}`;
  const signature = await signed("sha256", Buffer.from(text, "ascii"), key);
  return `${text}.${signature.toString("base64url")}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64url");
}
