import { awsCloud } from "./aws/cloud.ts";
import { azureCloud } from "./azure/cloud.ts";
import type { Clouds, CloudSettings } from "./cloud.ts";
import { gcpCloud } from "./gcp/cloud.ts";

/** Opens every cloud that an organization can connect. */
export function openClouds(settings: CloudSettings): Clouds {
  return { aws: awsCloud(settings), gcp: gcpCloud(settings), azure: azureCloud(settings) };
}
