import type { CompleteConnectionBody, Connection } from "@lossless/protocol";
import type { AwsDouble } from "./aws-double.ts";

export type Trusted = Pick<Connection, "id" | "issuer" | "audience" | "subject">;

export interface TrustOptions {
  accountId?: string;
  maxSessionSeconds?: number;
}

/**
 * Makes the objects of the setup script by the same calls, and returns its output: the identifiers.
 */
export function trustConnection(
  double: AwsDouble,
  { id, issuer, audience, subject }: Trusted,
  { accountId, maxSessionSeconds = 14_400 }: TrustOptions = {},
): CompleteConnectionBody {
  const account = double.account(accountId);
  const key = issuer.replace(/^https?:\/\//, "");
  const name = nameOf(id);
  const provider = `arn:aws:iam::${account.id}:oidc-provider/${key}`;
  const perform = (Action: string, form: Record<string, string>) =>
    account.perform(new Map(Object.entries({ Action, ...form })));
  if (!account.providers.has(provider)) {
    perform("CreateOpenIDConnectProvider", { Url: issuer, "ClientIDList.member.1": audience });
  }
  const equals = {
    [`${key}:aud`]: audience,
    [`${key}:sub`]: subject,
  };
  const trusted = {
    Effect: "Allow",
    Principal: { Federated: provider },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: { StringEquals: equals },
  };
  perform("CreateRole", {
    RoleName: name,
    AssumeRolePolicyDocument: policy(trusted),
    MaxSessionDuration: String(maxSessionSeconds),
  });
  const buckets = `arn:aws:s3:::${name}-*`;
  perform("PutRolePolicy", {
    RoleName: name,
    PolicyName: "buckets",
    PolicyDocument: policy(
      { Effect: "Allow", Action: bucketActions, Resource: buckets },
      {
        Effect: "Allow",
        Action: objectActions,
        Resource: `${buckets}/*`,
        Condition: { StringEquals: { "aws:ResourceAccount": account.id } },
      },
    ),
  });
  const roleArn = `arn:aws:iam::${account.id}:role/${name}`;
  return { cloud: "aws", aws: { roleArn } };
}

/** The name of a connection's objects in its cloud. */
export function nameOf(connectionId: string): string {
  return `lossless-${connectionId.slice(-10)}`;
}

function policy(...statements: object[]): string {
  return JSON.stringify({ Version: "2012-10-17", Statement: statements });
}

const bucketActions = [
  "s3:CreateBucket",
  "s3:DeleteBucket",
  "s3:ListBucket",
  "s3:ListBucketMultipartUploads",
  "s3:PutBucketCORS",
  "s3:PutBucketPublicAccessBlock",
  "s3:PutLifecycleConfiguration",
];
const objectActions = [
  "s3:AbortMultipartUpload",
  "s3:DeleteObject",
  "s3:GetObject",
  "s3:ListMultipartUploadParts",
  "s3:PutObject",
];
