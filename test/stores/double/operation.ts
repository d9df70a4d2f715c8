import { type ErrorCode, S3Error } from "./s3-error.ts";

/** method, whether there is a key, the deciding parameter -> operation, further parameters. */
const table = [
  ["PUT", "bucket", "", "CreateBucket", []],
  ["HEAD", "bucket", "", "HeadBucket", []],
  ["DELETE", "bucket", "", "DeleteBucket", []],
  [
    "GET",
    "bucket",
    "list-type",
    "ListObjectsV2",
    "prefix continuation-token start-after max-keys encoding-type delimiter fetch-owner".split(" "),
  ],
  [
    "GET",
    "bucket",
    "uploads",
    "ListMultipartUploads",
    "prefix key-marker upload-id-marker max-uploads encoding-type".split(" "),
  ],
  ["GET", "bucket", "location", "GetBucketLocation", []],
  ["GET", "bucket", "lifecycle", "GetBucketLifecycleConfiguration", []],
  ["PUT", "bucket", "lifecycle", "PutBucketLifecycleConfiguration", []],
  ["GET", "bucket", "cors", "GetBucketCors", []],
  ["PUT", "bucket", "cors", "PutBucketCors", []],
  ["PUT", "bucket", "publicAccessBlock", "PutPublicAccessBlock", []],
  ["GET", "bucket", "publicAccessBlock", "GetPublicAccessBlock", []],
  ["POST", "bucket", "delete", "DeleteObjects", []],
  ["PUT", "object", "uploadId", "UploadPart", ["partNumber"]],
  ["PUT", "object", "", "PutObject", []],
  ["GET", "object", "uploadId", "ListParts", ["max-parts", "part-number-marker"]],
  [
    "GET",
    "object",
    "",
    "GetObject",
    "response-content-disposition response-content-type response-cache-control".split(" "),
  ],
  ["HEAD", "object", "", "HeadObject", []],
  ["DELETE", "object", "uploadId", "AbortMultipartUpload", []],
  ["DELETE", "object", "", "DeleteObject", []],
  ["POST", "object", "uploads", "CreateMultipartUpload", []],
  ["POST", "object", "uploadId", "CompleteMultipartUpload", []],
] as const;

export type Operation = (typeof table)[number][3];

/** Parameters that only sign or label a request; SDKs' operation names are `x-id`. */
const neutral = /^(x-amz-|x-goog-|x-id$)/i;

/** A parameter that is not understood is refused: to ignore it would be to do something else. */
export function operationOf(
  method: string,
  hasKey: boolean,
  query: readonly [string, string][],
): Operation {
  const names = query.map(([name]) => name).filter((name) => !neutral.test(name));
  const scope = hasKey ? "object" : "bucket";
  const rows = table.filter(([m, s]) => m === method && s === scope);
  const row =
    rows.find(([, , parameter]) => parameter !== "" && names.includes(parameter)) ??
    rows.find(([, , parameter]) => parameter === "");
  if (row === undefined) throw new S3Error(hasKey ? "MethodNotAllowed" : refusal(method));
  const allowed: readonly string[] = [row[2], ...row[4]];
  const unknown = names.filter((name) => !allowed.includes(name));
  if (unknown.length > 0) throw new S3Error("NotImplemented", `Parameters ${unknown.join(" ")}`);
  if (new Set(names).size !== names.length) throw new S3Error("InvalidArgument", "Repeated.");
  return row[3];
}

function refusal(method: string): ErrorCode {
  return method === "GET" ? "NotImplemented" : "MethodNotAllowed";
}
