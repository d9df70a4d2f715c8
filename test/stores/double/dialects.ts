/** Where stores that speak S3 differ for a client. Each field names what was seen in the field. */
export interface Dialect {
  /** A Complete of a completed upload. AWS repeats its success, MinIO has forgotten the upload. */
  secondComplete: "success" | "no-such-upload" | "internal-error";
  /** Whether a Complete may leave out parts that were uploaded. Ceph answers InvalidPart. */
  subsetOfParts: boolean;
  /** 10,000 by the S3 documentation; 1,000 is the default of Swift. */
  maxPartNumber: number;
  /** `If-None-Match: *` on PutObject. */
  conditionalPut: boolean;
  /** `If-None-Match: *` on CompleteMultipartUpload; Ceph 16 ignores it and overwrites. */
  conditionalComplete: boolean;
  lifecycle: boolean;
  cors: boolean;
  /**
   * Ceph answers a wrong signature in a URL with AccessDenied and an expired session with 403; AWS
   * has codes for both.
   */
  signatureCodes: "aws" | "ceph";
}

export type DialectName = "aws" | "ceph" | "minio" | "swift";

const aws: Dialect = {
  secondComplete: "success",
  subsetOfParts: true,
  maxPartNumber: 10_000,
  conditionalPut: true,
  conditionalComplete: true,
  lifecycle: true,
  cors: true,
  signatureCodes: "aws",
};

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  aws,
  ceph: { ...aws, subsetOfParts: false, conditionalComplete: false, signatureCodes: "ceph" },
  minio: { ...aws, secondComplete: "no-such-upload" },
  swift: { ...aws, maxPartNumber: 1_000, conditionalPut: false, lifecycle: false, cors: false },
};

export function dialectOf(wanted: DialectName | Partial<Dialect>): Dialect {
  return typeof wanted === "string" ? dialects[wanted] : { ...aws, ...wanted };
}
