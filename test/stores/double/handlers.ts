import * as buckets from "./buckets.ts";
import type { Handler } from "./exchange.ts";
import * as multipart from "./multipart.ts";
import * as objects from "./objects.ts";
import type { Operation } from "./operation.ts";

export const handlers: Readonly<Record<Operation, Handler>> = {
  CreateBucket: buckets.createBucket,
  HeadBucket: buckets.headBucket,
  DeleteBucket: buckets.deleteBucket,
  GetBucketLocation: buckets.getBucketLocation,
  GetBucketLifecycleConfiguration: buckets.getConfiguration,
  PutBucketLifecycleConfiguration: buckets.putConfiguration,
  GetBucketCors: buckets.getConfiguration,
  PutBucketCors: buckets.putConfiguration,
  GetPublicAccessBlock: buckets.getConfiguration,
  PutPublicAccessBlock: buckets.putConfiguration,
  ListObjectsV2: buckets.listObjects,
  DeleteObjects: objects.deleteObjects,
  PutObject: objects.putObject,
  GetObject: objects.getObject,
  HeadObject: objects.headObject,
  DeleteObject: objects.deleteObject,
  CreateMultipartUpload: multipart.createMultipartUpload,
  UploadPart: multipart.uploadPart,
  ListParts: multipart.listParts,
  CompleteMultipartUpload: multipart.completeMultipartUpload,
  AbortMultipartUpload: multipart.abortMultipartUpload,
  ListMultipartUploads: multipart.listMultipartUploads,
};
