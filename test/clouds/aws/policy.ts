import type { Operation } from "../../stores/s3-double.ts";

/** A policy of IAM, as far as the doubles understand one; whatever else stands in it is refused. */
export interface Policy {
  statements: Statement[];
}

interface Statement {
  actions: string[];
  resources: string[];
  federated: string | undefined;
  /** Holds what `StringEquals` compares, the one operator that is understood. */
  equals: Record<string, string>;
}

/** Throws for what IAM would call malformed, and for what this double does not understand. */
export function readPolicy(text: string): Policy {
  const document = JSON.parse(text) as Record<string, unknown>;
  if (document.Version !== "2012-10-17") throw new Error("Version");
  const statements = list(document.Statement) as Record<string, unknown>[];
  return { statements: statements.map(readStatement) };
}

function readStatement(statement: Record<string, unknown>): Statement {
  const known = ["Sid", "Effect", "Action", "Resource", "Principal", "Condition"];
  const unknown = Object.keys(statement).filter((name) => !known.includes(name));
  if (unknown.length > 0 || statement.Effect !== "Allow") throw new Error(unknown.join(" "));
  const { Principal, Condition } = statement as {
    Principal?: { Federated?: string };
    Condition?: { StringEquals?: Record<string, string> };
  };
  const operators = Object.keys(Condition ?? {});
  if (operators.some((operator) => operator !== "StringEquals")) throw new Error("Condition");
  return {
    actions: list(statement.Action) as string[],
    resources: list(statement.Resource) as string[],
    federated: Principal?.Federated,
    equals: Condition?.StringEquals ?? {},
  };
}

function list(value: unknown): unknown[] {
  return value === undefined ? [] : [value].flat();
}

/** Whether the trust policy lets in who has proved these claims to this provider. */
export function trusts(
  policy: Policy,
  provider: string,
  claims: Readonly<Record<string, string>>,
): boolean {
  return policy.statements.some(
    ({ actions, federated, equals }) =>
      federated === provider &&
      actions.includes("sts:AssumeRoleWithWebIdentity") &&
      Object.entries(equals).every(([name, value]) => claims[name] === value),
  );
}

/**
 * Whether these policies allow an operation of S3. Of conditions only the account of the bucket is
 * known; a bucket that there is not has none, and no condition on it holds.
 */
export function allows(
  policies: Iterable<Policy>,
  operation: Operation,
  { bucket, key, owner }: { bucket: string; key: string; owner: string | undefined },
): boolean {
  const action = actionOf[operation];
  const resource = `arn:aws:s3:::${key === "" ? bucket : `${bucket}/${key}`}`;
  for (const { statements } of policies) {
    const isAllowed = statements.some(
      ({ actions, resources, equals }) =>
        actions.includes(action) &&
        Object.entries(equals).every(
          ([name, value]) => name === "aws:ResourceAccount" && value === owner,
        ) &&
        resources.some((pattern) => matches(pattern, resource)),
    );
    if (isAllowed) return true;
  }
  return false;
}

function matches(pattern: string, resource: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return resource === pattern;
  let at = start.length;
  if (!resource.startsWith(start)) return false;
  for (const [index, piece] of rest.entries()) {
    if (index === rest.length - 1) return resource.slice(at).endsWith(piece);
    const found = resource.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return false;
}

/** Which action a request needs, by the table in AWS's service authorization reference for S3. */
const actionOf: Readonly<Record<Operation, string>> = {
  CreateBucket: "s3:CreateBucket",
  HeadBucket: "s3:ListBucket",
  DeleteBucket: "s3:DeleteBucket",
  GetBucketLocation: "s3:GetBucketLocation",
  GetBucketLifecycleConfiguration: "s3:GetLifecycleConfiguration",
  PutBucketLifecycleConfiguration: "s3:PutLifecycleConfiguration",
  GetBucketCors: "s3:GetBucketCORS",
  PutBucketCors: "s3:PutBucketCORS",
  GetPublicAccessBlock: "s3:GetBucketPublicAccessBlock",
  PutPublicAccessBlock: "s3:PutBucketPublicAccessBlock",
  ListObjectsV2: "s3:ListBucket",
  ListMultipartUploads: "s3:ListBucketMultipartUploads",
  DeleteObjects: "s3:DeleteObject",
  PutObject: "s3:PutObject",
  GetObject: "s3:GetObject",
  HeadObject: "s3:GetObject",
  DeleteObject: "s3:DeleteObject",
  CreateMultipartUpload: "s3:PutObject",
  UploadPart: "s3:PutObject",
  ListParts: "s3:ListMultipartUploadParts",
  CompleteMultipartUpload: "s3:PutObject",
  AbortMultipartUpload: "s3:AbortMultipartUpload",
};
