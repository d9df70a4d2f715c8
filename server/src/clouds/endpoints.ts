/**
 * Addresses of the clouds' interfaces. `{region}` and `{account}` are filled in with checked words; `{suffix}` is the
 * domain of the partition that a role belongs to (`amazonaws.com`, in China `amazonaws.com.cn`). The key `clouds` of
 * the provision file replaces them: for sovereign clouds, for private endpoints, and for tests.
 */
export interface CloudEndpoints {
  aws: { sts: string; s3: string };
  gcp: { sts: string; iamCredentials: string; storage: string };
  azure: { login: string; management: string; blob: string };
}

export const publicEndpoints: CloudEndpoints = {
  aws: {
    sts: "https://sts.{region}.{suffix}",
    s3: "https://s3.{region}.{suffix}",
  },
  gcp: {
    sts: "https://sts.googleapis.com",
    iamCredentials: "https://iamcredentials.googleapis.com",
    storage: "https://storage.googleapis.com",
  },
  azure: {
    login: "https://login.microsoftonline.com",
    management: "https://management.azure.com",
    blob: "https://{account}.blob.core.windows.net",
  },
};

export function endpointOf(template: string, words: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const word = words[name];
    if (word === undefined) throw new Error(`BUG: the endpoint ${template} wants ${name}`);
    return word;
  });
}

/** As the provision file gives them: whatever is left out is the public address. */
export type GivenEndpoints = { [Cloud in keyof CloudEndpoints]?: Partial<CloudEndpoints[Cloud]> };

export function mergeEndpoints(given: GivenEndpoints = {}): CloudEndpoints {
  return {
    aws: { ...publicEndpoints.aws, ...given.aws },
    gcp: { ...publicEndpoints.gcp, ...given.gcp },
    azure: { ...publicEndpoints.azure, ...given.azure },
  };
}

/** The words that may stand in braces, by cloud and field. */
const allowedWords: { [Cloud in keyof CloudEndpoints]: Record<string, readonly string[]> } = {
  aws: { sts: ["region", "suffix"], s3: ["region", "suffix"] },
  gcp: {},
  azure: { blob: ["account"] },
};

/** What is wrong with an address that replaces a public one, as the end of a sentence. */
export function endpointProblem(
  cloud: keyof CloudEndpoints,
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
  const filled = template.replaceAll(/\{\w+\}/g, "word");
  const url = URL.parse(filled);
  // Nothing that a URL parser would have to mend: drivers put paths behind it as it stands.
  const isPlain = url !== null && `${url.origin}${url.pathname.replace(/\/$/, "")}` === filled;
  if (!isPlain || /[{}?#@\\]/.test(filled)) {
    return "must be an address like https://host[:port][/path], without a slash at its end";
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) {
    return undefined;
  }
  return "must begin with https://; http:// is for 127.0.0.1, [::1] and localhost only";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
