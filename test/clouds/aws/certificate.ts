import { generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

/**
 * A certificate (X.509) that holds a public key, in DER. Nobody's signature is on it that means
 * anything: whoever asks for one here knows it by its hash.
 */
export function certificateOf(publicKey: KeyObject): Buffer {
  const name = sequence(set(sequence(objectId("550403"), utf8("test issuer"))));
  const algorithm = sequence(objectId("2a864886f70d01010b"), element(0x05));
  const body = sequence(
    element(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    sequence(time("20200101000000Z"), time("20491231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const signature = sign("sha256", body, privateKey);
  return sequence(body, algorithm, element(0x03, Buffer.of(0), signature));
}

function element(tag: number, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const size = bytes.byteLength;
  const length = size < 0x80 ? Buffer.of(size) : Buffer.of(0x82, size >> 8, size & 0xff);
  return Buffer.concat([Buffer.of(tag), length, bytes]);
}

function sequence(...content: Buffer[]): Buffer {
  return element(0x30, ...content);
}

function set(...content: Buffer[]): Buffer {
  return element(0x31, ...content);
}

function integer(bytes: Buffer): Buffer {
  return element(0x02, bytes);
}

function objectId(hexadecimal: string): Buffer {
  return element(0x06, Buffer.from(hexadecimal, "hex"));
}

function utf8(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

function time(text: string): Buffer {
  return element(0x18, Buffer.from(text));
}
