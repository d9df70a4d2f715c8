/**
 * Addresses of the clouds' interfaces. `{region}` and `{account}` are filled in with checked words;
 * `{suffix}` is the domain of the partition that a role belongs to (`amazonaws.com`, in China
 * `amazonaws.com.cn`). The key `clouds` of the provision file replaces them: for sovereign clouds,
 * for private endpoints, and for tests.
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

/** Endpoints of the provision file; an omitted one is the public address. */
export type GivenEndpoints = { [Cloud in keyof CloudEndpoints]?: Partial<CloudEndpoints[Cloud]> };

export function mergeEndpoints(given: GivenEndpoints = {}): CloudEndpoints {
  return {
    aws: { ...publicEndpoints.aws, ...given.aws },
    gcp: { ...publicEndpoints.gcp, ...given.gcp },
    azure: { ...publicEndpoints.azure, ...given.azure },
  };
}
