import type { CompleteConnectionBody, Connection } from "@lossless/client";

export type CloudName = Connection["cloud"];

interface Identifier {
  name: string;
  label: string;
}

/** Identifiers of the service in an account of each cloud, printed by the setup script. */
export const identifiersOf: Readonly<Record<CloudName, readonly Identifier[]>> = {
  aws: [{ name: "roleArn", label: "Role ARN" }],
  gcp: [
    { name: "projectId", label: "Project" },
    { name: "projectNumber", label: "Project number" },
    { name: "poolId", label: "Workload identity pool" },
    { name: "providerId", label: "Provider in the pool" },
    { name: "serviceAccountEmail", label: "Service account" },
  ],
  azure: [
    { name: "tenantId", label: "Tenant" },
    { name: "clientId", label: "Application (client id)" },
    { name: "subscriptionId", label: "Subscription" },
    { name: "resourceGroup", label: "Resource group" },
  ],
};

export const cloudNames: Readonly<Record<CloudName, string>> = {
  aws: "Amazon Web Services",
  gcp: "Google Cloud",
  azure: "Microsoft Azure",
};

/**
 * Extracts identifiers from pasted output of the script: options of the command (`--role-arn ARN`)
 * or members of the body (`"roleArn":"ARN"`). Missing ones are left out.
 */
export function pastedIdentifiers(cloud: CloudName, text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name } of identifiersOf[cloud]) {
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const value =
      new RegExp(`--${option}[ =]+'?([^\\s'"]+)`).exec(text)?.[1] ??
      new RegExp(`"${name}"\\s*:\\s*"([^"]*)"`).exec(text)?.[1];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** The body of `PUT /connections`. */
export function completeBody(
  cloud: CloudName,
  values: Readonly<Record<string, string>>,
): CompleteConnectionBody {
  const named = identifiersOf[cloud].map(({ name }) => [name, (values[name] ?? "").trim()]);
  return { cloud, [cloud]: Object.fromEntries(named) } as unknown as CompleteConnectionBody;
}
