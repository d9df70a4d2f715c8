import { createHash, verify, type KeyObject } from "node:crypto";
import { S3Error } from "../../stores/double/s3-error.ts";

export interface RawRequest {
  method: string;
  /** As it stands on the request line, nothing decoded. */
  target: string;
  headers: ReadonlyMap<string, string>;
}

/**
 * Google's V4 signature in an address, checked from the raw request as the documentation of
 * canonical requests has it, without a line of what signs in the service. Gives the account that
 * signed. Throws S3Error.
 */
export function accountThatSigned(
  request: RawRequest,
  keyOf: (account: string) => KeyObject | undefined,
  nowMs: number,
): string {
  const [path, queryText] = splitOnce(request.target, "?");
  const pairs = queryText.split("&").map((pair) => splitOnce(pair, "="));
  const one = (name: string): string => {
    const found = pairs.filter(([found]) => found === name).map(([, value]) => value);
    if (found.length !== 1) throw new S3Error("AccessDenied", `${name} has to be there once.`);
    return decodeURIComponent(found[0]);
  };
  if (one("X-Goog-Algorithm") !== "GOOG4-RSA-SHA256") throw new S3Error("AccessDenied");
  const [account = "", day, ...scope] = one("X-Goog-Credential").split("/");
  const date = one("X-Goog-Date");
  if (scope.join("/") !== "auto/storage/goog4_request" || day !== date.slice(0, 8))
    throw new S3Error("AccessDenied", "The credential scope is wrong.");
  checkLife(date, one("X-Goog-Expires"), nowMs);
  const names = one("X-Goog-SignedHeaders").split(";");
  const canonical = [
    request.method,
    path,
    pairs
      .filter(([name]) => name !== "X-Goog-Signature")
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join("&"),
    ...headersOf(request, names),
    "",
    names.join(";"),
    request.headers.get("x-goog-content-sha256") ?? "UNSIGNED-PAYLOAD",
  ].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const toSign = ["GOOG4-RSA-SHA256", date, [day, ...scope].join("/"), digest].join("\n");
  const key = keyOf(account);
  const signature = one("X-Goog-Signature");
  const isSigned =
    key !== undefined &&
    /^[0-9a-f]+$/.test(signature) &&
    verify("RSA-SHA256", Buffer.from(toSign), key, Buffer.from(signature, "hex"));
  if (!isSigned) throw new S3Error("SignatureDoesNotMatch");
  return account;
}

function checkLife(date: string, expires: string, nowMs: number): void {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const fromMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const seconds = /^\d{1,6}$/.test(expires) ? Number(expires) : Number.NaN;
  if (Number.isNaN(fromMs) || !(seconds >= 1 && seconds <= 604_800))
    throw new S3Error("AccessDenied", "X-Goog-Date or X-Goog-Expires is wrong.");
  // Google allows for clocks that differ by 15 minutes.
  if (fromMs > nowMs + 15 * 60_000 || nowMs >= fromMs + seconds * 1000)
    throw new S3Error("AccessDenied", "Request has expired, or is not valid yet.");
}

/** Host has to be signed, and every extension header that is sent. */
function headersOf({ headers }: RawRequest, names: readonly string[]): string[] {
  const isSorted = names.every((name, index) => index === 0 || names[index - 1] < name);
  const unsigned = [...headers.keys()].filter(
    (name) => /^x-(goog|amz)-/.test(name) && !names.includes(name),
  );
  if (!isSorted || !names.includes("host") || unsigned.length > 0)
    throw new S3Error("AccessDenied", `Headers not signed: ${unsigned.join(" ")}`);
  return names.map((name) => {
    const value = headers.get(name);
    if (value === undefined) throw new S3Error("SignatureDoesNotMatch", `${name} was signed.`);
    return `${name}:${value.trim().replaceAll(/\s{2,}/g, " ")}`;
  });
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
