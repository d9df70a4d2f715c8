type CloudName = "aws" | "gcp" | "azure";

/** Returns the fault of an address that replaces a public one, as the end of a sentence. */
export function endpointProblem(
  cloud: CloudName,
  field: string,
  template: string,
): string | undefined {
  const allowed = allowedWords[cloud][field] ?? [];
  const words = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, word]) => word ?? "");
  const unknown = words.find((word) => !allowed.includes(word));
  if (unknown !== undefined) {
    const known = allowed.map((word) => `{${word}}`).join(" and ");
    return `has {${unknown}}, and may have ${known === "" ? "nothing in braces" : known}`;
  }
  // Every location has an account of its own.
  if (cloud === "azure" && field === "blob" && words.length === 0) return "must have {account}";
  const filled = template.replaceAll(/\{\w+\}/g, "word");
  const url = URL.parse(filled);
  // The text must equal its parsed URL: drivers append paths to it unchanged.
  const isPlain = url !== null && `${url.origin}${url.pathname.replace(/\/$/, "")}` === filled;
  if (!isPlain || /[{}?#@\\]/.test(filled)) {
    return "must be an address like https://host[:port][/path], without a slash at its end";
  }
  // Addresses for clients are signed for a host, and begin with the bucket.
  if (cloud === "aws" && field === "s3" && url.pathname !== "/") return "must have no path";
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) {
    return undefined;
  }
  return "must begin with https://; http:// is for 127.0.0.1, [::1] and localhost only";
}

/** Words allowed in braces, by cloud and field. */
const allowedWords: Record<CloudName, Record<string, readonly string[]>> = {
  aws: { sts: ["region", "suffix"], s3: ["region", "suffix"] },
  gcp: {},
  azure: { blob: ["account"] },
};

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
