import { isIP } from "node:net";
import type { CloudName } from "../connection.ts";

/**
 * Returns why a cloud cannot fetch the issuer's two documents, as a sentence for the operator, or
 * null. Judges the address alone; PUT finds out whether it answers. Google Cloud takes the keys as
 * a file, but the issuer in tokens has to be an https address there too, though no server needs to
 * answer at it.
 */
export function issuerProblem(cloud: CloudName, issuer: string): string | null {
  const { protocol, hostname, port } = new URL(issuer);
  const remedy =
    "Start the service with --issuer-url https://... (an address where files can be published), then run " +
    "lossless issuer export DIR, publish the two files there, and then run this script as the service shows it.";
  if (protocol !== "https:") {
    return `The token issuer ${issuer} is not an https address, which ${cloudTitles[cloud]} requires. ${remedy}`;
  }
  if (cloud === "gcp") return null;
  if (!isPublicName(hostname)) {
    return `The token issuer ${issuer} is not a public address: ${cloudTitles[cloud]} cannot fetch its keys. ${remedy}`;
  }
  if (cloud === "aws" && port !== "") {
    return `The token issuer ${issuer} has a port, which AWS does not accept. ${remedy}`;
  }
  return null;
}

/** Whether the public internet can know the name. No cloud would trust a certificate of digits. */
export function isPublicName(hostname: string): boolean {
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
  if (!hostname.includes(".")) return false;
  return !/\.(?:localhost|local|internal|lan|home|corp|test|example|invalid|home\.arpa)$/.test(
    hostname,
  );
}

export const cloudTitles: Readonly<Record<CloudName, string>> = {
  aws: "AWS",
  gcp: "Google Cloud",
  azure: "Azure",
};
