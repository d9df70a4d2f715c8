import { createHmac, timingSafeEqual } from "node:crypto";

/** Why an address with a user delegation SAS is refused, as Azure says it; undefined when it is good. */
export interface SignedAddress {
  method: string;
  account: string;
  container: string;
  key: string;
  query: URLSearchParams;
  isPlain: boolean;
  nowMs: number;
}

/**
 * Checks a signature by the documentation of Azure alone ("Create a user delegation SAS", version 2020-12-06): the
 * text is put together from what stands in the address, in the order of that page.
 */
export function refusalOfSignature(address: SignedAddress, secret: Buffer): string | undefined {
  const { query, nowMs } = address;
  const of = (name: string): string => query.get(name) ?? "";
  if (of("sv") !== "2020-12-06") return "the version";
  if (of("sks") !== "b" || of("skv") === "") return "the key's service";
  const isVersion = of("sr") === "bv";
  if (!isVersion && of("sr") !== "b") return "the resource";
  if (isVersion !== query.has("versionid")) return "the version of the blob";
  const fields = [
    of("sp"),
    of("st"),
    of("se"),
    `/blob/${address.account}/${address.container}/${address.key}`,
    of("skoid"),
    of("sktid"),
    of("skt"),
    of("ske"),
    of("sks"),
    of("skv"),
    of("saoid"),
    of("suoid"),
    of("scid"),
    of("sip"),
    of("spr"),
    of("sv"),
    of("sr"),
    isVersion ? of("versionid") : "",
    of("ses"),
    ...["rscc", "rscd", "rsce", "rscl", "rsct"].map(of),
  ];
  const key = keyValue(secret, fields.slice(4, 10));
  const expected = createHmac("sha256", key).update(fields.join("\n"), "utf8").digest();
  const given = Buffer.from(of("sig"), "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "the signature";
  for (const time of ["se", "ske"]) if (!(Date.parse(of(time)) > nowMs)) return `the end (${time})`;
  for (const time of ["st", "skt"])
    if (of(time) !== "" && Date.parse(of(time)) > nowMs) return `the start (${time})`;
  if (address.isPlain && of("spr") === "https") return "plain http";
  return of("sp").includes(neededFor(address)) ? undefined : "the permission";
}

/** A delegation key's value follows from what is written in the addresses: the double need not remember keys. */
export function keyValue(secret: Buffer, described: readonly string[]): Buffer {
  return createHmac("sha256", secret).update(described.join("\n")).digest();
}

const writes: ReadonlySet<string> = new Set(["block", "blocklist", "lease", "snapshot"]);

/** The letter that the operation takes; a sign that stands nowhere when no address may do it. */
function neededFor({ method, query }: SignedAddress): string {
  const comp = query.get("comp");
  if (method === "GET" || method === "HEAD") return comp === null ? "r" : "?";
  if (method === "PUT") return comp === null || writes.has(comp) ? "w" : "?";
  return method === "DELETE" && comp === null ? "d" : "?";
}
