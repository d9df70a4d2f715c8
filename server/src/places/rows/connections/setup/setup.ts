import type { CloudName } from "../connection.ts";
import { awsSetup } from "./aws.ts";
import { azureSetup } from "./azure.ts";
import { gcpSetup } from "./gcp.ts";
import type { SetupScript } from "./script-terms.ts";

/** The script that an administrator of the cloud runs, for each cloud. */
export const setupScripts: Readonly<Record<CloudName, SetupScript>> = {
  aws: awsSetup,
  gcp: gcpSetup,
  azure: azureSetup,
};
