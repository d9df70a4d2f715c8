import {
  audiences,
  cloudName,
  subjectOf,
  type ConnectionAccess,
} from "@lossless/server/connections/connection";
import type { AwsDouble } from "./aws-double.ts";

export interface Trust {
  issuer: string;
  organizationId: string;
  connectionId: string;
  accountId?: string;
  maxSessionSeconds?: number;
}

/** What the setup script makes, by the same calls, and the access of the connection that it was made for. */
export function trustConnection(double: AwsDouble, trust: Trust): ConnectionAccess {
  const { issuer, organizationId, connectionId, maxSessionSeconds = 14_400 } = trust;
  const account = double.account(trust.accountId);
  const key = issuer.replace(/^https?:\/\//, "");
  const name = cloudName(connectionId);
  const provider = `arn:aws:iam::${account.id}:oidc-provider/${key}`;
  const perform = (Action: string, form: Record<string, string>) =>
    account.perform(new Map(Object.entries({ Action, ...form })));
  if (!account.providers.has(provider)) {
    perform("CreateOpenIDConnectProvider", { Url: issuer, "ClientIDList.member.1": audiences.aws });
  }
  const equals = {
    [`${key}:aud`]: audiences.aws,
    [`${key}:sub`]: subjectOf(organizationId, connectionId),
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
      { Effect: "Allow", Action: objectActions, Resource: `${buckets}/*` },
    ),
  });
  const roleArn = `arn:aws:iam::${account.id}:role/${name}`;
  return { organizationId, connectionId, identifiers: { cloud: "aws", aws: { roleArn } } };
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
