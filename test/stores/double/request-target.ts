import { S3Error } from "./s3-error.ts";

export interface RequestTarget {
  bucket: string;
  /** It is empty on the bucket itself. It is byte for byte what a client named, not normalised. */
  key: string;
  /** The decoded path as it stands on the request line, which is what a signature covers. */
  path: string;
  /** The decoded query in the order sent. */
  query: [name: string, value: string][];
}

const maxKeyBytes = 1_024;

/**
 * Takes the request line apart by hand. `new URL()` would collapse `a/../b` to `b`, and a key that
 * was signed as the one would be stored as the other.
 */
export function readTarget(url: string, host: string, domain: string): RequestTarget {
  if (!url.startsWith("/")) throw new S3Error("InvalidURI", "The request target is not a path.");
  const mark = url.indexOf("?");
  const path = decode(mark < 0 ? url : url.slice(0, mark));
  const query = mark < 0 ? [] : readQuery(url.slice(mark + 1));
  const hostedBucket = bucketOfHost(host, domain);
  const target = { path, query, ...split(hostedBucket, path.slice(1)) };
  if (Buffer.byteLength(target.key) > maxKeyBytes) throw new S3Error("KeyTooLongError");
  return target;
}

function split(hostedBucket: string | undefined, path: string): { bucket: string; key: string } {
  if (hostedBucket !== undefined) return { bucket: hostedBucket, key: path };
  const slash = path.indexOf("/");
  if (slash < 0) return { bucket: path, key: "" };
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}

/** Virtual-hosted style: the bucket is what stands before the store's own domain. */
function bucketOfHost(host: string, domain: string): string | undefined {
  const name = host.replace(/:\d+$/, "");
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : undefined;
}

function readQuery(text: string): [string, string][] {
  return text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      const [name, value] =
        equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
      // Forms write a space as plus; who means a plus has to escape it.
      return [decode(name.replaceAll("+", " ")), decode(value.replaceAll("+", " "))];
    });
}

/** Percent-decoding refuses what is no escape and no UTF-8, where stores disagree. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error("InvalidURI", "Couldn't parse the specified URI.");
  }
}

/** As a signature wants it: everything but the unreserved characters, in upper-case escapes. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function encodePath(path: string): string {
  return path.split("/").map(encode).join("/");
}
