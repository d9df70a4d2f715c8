import * as Type from "./type.ts";
import {
  assignedId,
  closedObject,
  label,
  nullable,
  oneOfStrings,
  timestamp,
  variants,
} from "./schema.ts";

const identifier = (pattern: string, rule: string) =>
  Type.String({ pattern, "x-rule": rule, maxLength: 2_048 });
const guid = identifier("^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "must be a GUID");
const cloudWord = identifier(
  "^[A-Za-z0-9][A-Za-z0-9._()-]{0,127}$",
  "must be a name of that cloud: letters, digits, . _ - ( )",
);

const AwsIdentifiers = closedObject("AwsIdentifiers", {
  roleArn: identifier(
    "^arn:aws[a-z-]*:iam::\\d{12}:role/[\\w+=,.@/-]{1,512}$",
    "must be the ARN of an IAM role",
  ),
});
const GcpIdentifiers = closedObject("GcpIdentifiers", {
  projectId: cloudWord,
  projectNumber: identifier("^\\d{1,20}$", "must be a number"),
  poolId: cloudWord,
  providerId: cloudWord,
  serviceAccountEmail: identifier(
    "^[a-z0-9-]{1,64}@[a-z0-9.-]{1,190}\\.gserviceaccount\\.com$",
    "must be the e-mail address of a service account",
  ),
});
const AzureIdentifiers = closedObject("AzureIdentifiers", {
  tenantId: guid,
  clientId: guid,
  subscriptionId: guid,
  resourceGroup: cloudWord,
});

export const CompleteConnectionBody = variants("CompleteConnectionBody", "cloud", {
  aws: closedObject("AwsConnection", {
    cloud: Type.Literal("aws", { "x-name": "AwsCloud" }),
    aws: AwsIdentifiers,
  }),
  gcp: closedObject("GcpConnection", {
    cloud: Type.Literal("gcp", { "x-name": "GcpCloud" }),
    gcp: GcpIdentifiers,
  }),
  azure: closedObject("AzureConnection", {
    cloud: Type.Literal("azure", { "x-name": "AzureCloud" }),
    azure: AzureIdentifiers,
  }),
});
export type CompleteConnectionBody = Type.Static<typeof CompleteConnectionBody>;

export const CreateConnectionBody = closedObject("CreateConnectionBody", {
  cloud: oneOfStrings(undefined, ["aws", "gcp", "azure"]),
  name: label("For people."),
});
export type CreateConnectionBody = Type.Static<typeof CreateConnectionBody>;

export const Connection = closedObject("Connection", {
  id: assignedId("Assigned by the service."),
  cloud: oneOfStrings(undefined, ["aws", "gcp", "azure"]),
  name: Type.String(),
  state: oneOfStrings("ConnectionState", ["pending", "active"]),
  subject: Type.String({ description: "The identity that the cloud must trust." }),
  issuer: Type.String({ description: "Address of the token issuer." }),
  audience: Type.String(),
  identifiers: nullable(CompleteConnectionBody),
  error: nullable(Type.String()),
  setup: Type.String({ description: "A script to run in the cloud account." }),
  created: timestamp("When it was made."),
});
export type Connection = Type.Static<typeof Connection>;
